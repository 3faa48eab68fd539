"""
Whether an agent log keeps the rules of its format, line by line and in constant memory.

The format's text is `community/agent-log.md` of the bench that takes such logs. Every rule has a
code in `rules`; what it leaves open is read as said there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from quickstarted.formats.agent_log import model as kinds
from quickstarted.formats.agent_log.data import DataRules
from quickstarted.formats.agent_log.rules import DRIFT_MS, RULES
from quickstarted.formats.agent_log.times import Clock, NotUtc
from quickstarted.formats.agent_log.video import Video, video_problems
from quickstarted.formats.problems import Problem, Problems
from quickstarted.formats.strict_json import JsonProblem, parse, quote, quote_all

Verdict = Literal["accept", "look", "reject"]
_DRIFT_NS = DRIFT_MS * 10**6
_TYPES = frozenset(kinds.TYPES)


@dataclass(frozen=True, slots=True)
class LogReport:
    """
    What a log is worth.

    Attributes:
        problems: By line; of each code the first 20.
        counts: How often each code occurs.
        run_seconds: From `run_start` to `run_end`; None where one of them is not there.

    """

    lines: int
    actions: int
    responses: int
    problems: tuple[Problem, ...]
    counts: dict[str, int]
    run_seconds: float | None

    @property
    def errors(self) -> int:
        """How many errors there are, kept or not."""
        return self._number("error")

    @property
    def findings(self) -> int:
        """How many findings there are, kept or not."""
        return self._number("finding")

    @property
    def verdict(self) -> Verdict:
        """`reject` with an error, `look` with a finding, else `accept`."""
        return "reject" if self.errors else "look" if self.findings else "accept"

    def _number(self, severity: str) -> int:
        codes = {one.code for one in self.problems if one.severity == severity}
        return sum(self.counts[code] for code in codes)


class LogChecker:
    """Takes a log's lines one after the other; `report` says what it has found."""

    def __init__(self, *, allow_changed_args: bool = False) -> None:
        self.problems = Problems(RULES)
        self._data = DataRules(self.problems, allow_changed_args=allow_changed_args)
        self._clock = Clock()
        self._lines = 0
        self._events = 0
        self._seq = -1
        self._first_ns: int | None = None
        self._at_ns = -(1 << 80)
        self._elapsed: float = 0
        self._end_line = 0
        self._end_ns: int | None = None
        self._last_is_whole = False
        self._is_cut_off = False

    def feed(self, raw: bytes) -> dict[str, Any] | None:
        """
        Look at the next line, with its line end; what it holds, where it is an object.

        A line without a line end is the last one.
        """
        self._lines += 1
        event = self._parsed(raw)
        self._last_is_whole = event is not None
        if event is None:
            return None
        self._events += 1
        if self._end_line:
            self._add("run-end-not-last", f"comes after run_end, which is line {self._end_line}")
            self._end_line = 0
        at_ns = self._ordinary_ns(event)
        if at_ns is None:
            self._check_seq(event.get("seq"))
            at_ns = self._check_at(event.get("at"))
            self._check_elapsed(event.get("elapsedMs"), at_ns)
        if len(event) > len(kinds.FIELDS):
            self._check_fields(event)
        self._check_type(event, raw, at_ns)
        return event

    def stop(self, code: str, message: str) -> None:
        """Note that the next line cannot be read as it is, and others may not be read at all."""
        self.problems.add(code, self._lines + 1, message)
        self._is_cut_off = True

    def report(self, video: Video | None = None) -> LogReport:
        """All that is known once the last line was fed; to be asked once."""
        if not self._lines and not self._is_cut_off:
            self.problems.add("empty", 0, "the log has no line")
        self._data.finish()
        if self._lines and not self._is_cut_off:
            self._check_whole()
        run_seconds = self._run_seconds()
        if video is not None and run_seconds is not None:
            for code, message in video_problems(run_seconds, video):
                self.problems.add(code, 0, message)
        return LogReport(
            lines=self._lines,
            actions=self._data.actions,
            responses=self._data.responses,
            problems=self.problems.kept,
            counts=self.problems.counts,
            run_seconds=run_seconds,
        )

    def _check_whole(self) -> None:
        if not self._events:
            return
        if (
            self._last_is_whole
            and not self._end_line
            and "run-end-not-last" not in self.problems.counts
        ):
            self.problems.add(
                "no-run-end", 0, "the log has no run_end: it was cut off, or the run crashed"
            )
        if not self._data.responses:
            self.problems.add("no-model-response", 0, "no model_response: no model has played")
        if not self._data.actions:
            self.problems.add("no-action", 0, "no action: nothing was played")

    def _run_seconds(self) -> float | None:
        if self._first_ns is None or self._end_ns is None:
            return None
        return (self._end_ns - self._first_ns) / 10**9

    def _add(self, code: str, message: str) -> None:
        self.problems.add(code, self._lines, message)

    def _parsed(self, raw: bytes) -> dict[str, Any] | None:
        try:
            value = parse(raw)
        except JsonProblem as problem:
            self._add(*_line_problem(raw, problem))
            return None
        if isinstance(value, dict):
            return value
        self._add("not-object", f"is {quote(value)}, and must be an object")
        return None

    def _ordinary_ns(self, event: dict[str, Any]) -> int | None:
        """
        The time of a line whose number and times are right; None, and nothing noted, otherwise.

        It asks what the three rules below ask, at once: nearly every line passes here.
        """
        try:
            seq, at, elapsed = event["seq"], event["at"], event["elapsedMs"]
        except KeyError:
            return None
        if (
            self._first_ns is None
            or type(seq) is not int
            or seq != self._seq + 1
            or type(at) is not str
            or (type(elapsed) is not int and type(elapsed) is not float)
            or elapsed < self._elapsed
        ):
            return None
        try:
            at_ns = self._clock.read_ns(at)
        except ValueError:
            return None
        drift_ns = elapsed * 1_000_000 - (at_ns - self._first_ns)
        if at_ns < self._at_ns or not -_DRIFT_NS <= drift_ns <= _DRIFT_NS:
            return None
        self._seq, self._at_ns, self._elapsed = seq, at_ns, elapsed
        return at_ns

    def _check_seq(self, seq: Any) -> None:
        # After a gap the log may go on from either number: one mistake is said once.
        expected, self._seq = self._seq + 1, self._seq + 1
        if type(seq) is not int:
            self._add("seq-not-integer", f"seq is {_given(seq)}, and must be the number {expected}")
        elif seq != expected and seq != self._lines - 1:
            if self._lines == 1:
                self._add("seq-start", f"seq starts at {quote(seq)}, and must start at 0")
            else:
                self._add(
                    "seq-gap",
                    f"seq is {quote(seq)}, and must be {expected}, one more than on the line"
                    " before",
                )
            self._seq = seq
        else:
            self._seq = seq

    def _check_at(self, at: Any) -> int | None:
        try:
            if not isinstance(at, str):
                raise ValueError  # noqa: TRY004, TRY301 (one place says it)
            at_ns = self._clock.read_ns(at)
        except NotUtc:
            self._add("at-not-utc", f"at is {quote(at)}, and does not say that it is UTC (Z)")
            return None
        except ValueError:
            self._add(
                "at-invalid", f"at is {_given(at)}, and must be like 2026-10-22T18:00:00.000Z"
            )
            return None
        if at_ns < self._at_ns:
            back = (self._at_ns - at_ns) / 10**9
            self._add("at-goes-back", f"at is {back:.10g} s earlier than on the line before")
        self._at_ns = at_ns
        if self._first_ns is None and self._lines == 1:
            self._first_ns = at_ns
        return at_ns

    def _check_elapsed(self, elapsed: Any, at_ns: int | None) -> None:
        if (type(elapsed) is not int and type(elapsed) is not float) or elapsed < 0:
            self._add(
                "elapsed-not-number",
                f"elapsedMs is {_given(elapsed)}, and must be a number from 0 on",
            )
            return
        if elapsed < self._elapsed:
            self._add(
                "elapsed-goes-back",
                f"elapsedMs is {quote(elapsed)}, less than {quote(self._elapsed)} before",
            )
        self._elapsed = elapsed
        if at_ns is None or self._first_ns is None:
            return
        if self._lines == 1 and elapsed:
            self._add("elapsed-start", f"elapsedMs of the first line is {quote(elapsed)}, not 0")
        since_start_ns = at_ns - self._first_ns
        if abs(elapsed * 1_000_000 - since_start_ns) > _DRIFT_NS:
            self._add(
                "elapsed-drift",
                f"elapsedMs is {quote(elapsed)}, and at is {since_start_ns / 10**6:.10g} ms after"
                f" the first line: more than {DRIFT_MS} ms apart",
            )

    def _check_fields(self, event: dict[str, Any]) -> None:
        extra = quote_all(name for name in event if name not in kinds.FIELDS)
        if extra:
            self._add("extra-field", f"has {extra} beside data; withholding leaves it as it is")

    def _check_type(self, event: dict[str, Any], raw: bytes, at_ns: int | None) -> None:
        kind, data = event.get("type"), event.get("data")
        if self._lines == 1 and kind != kinds.RUN_START:
            self._add("no-run-start", f"type of the first line is {_given(kind)}, not run_start")
        if not isinstance(kind, str) or kind not in _TYPES:
            self._add("type-unknown", f"type is {_given(kind)}, none of {', '.join(kinds.TYPES)}")
            return
        if kind == kinds.RUN_START and self._lines > 1:
            self._add("run-start-not-first", "is a run_start, which only the first line can be")
        if kind == kinds.RUN_END:
            self._end_line, self._end_ns = self._lines, at_ns
        if isinstance(data, dict):
            self._data.check(self._lines, kind, data, raw)
        else:
            self._add("data-not-object", f"data is {_given(data)}, and must be an object")


def _line_problem(raw: bytes, problem: JsonProblem) -> tuple[str, str]:
    """The code and message for a line that is no JSON."""
    if not raw.strip():
        return "blank-line", "is blank"
    if problem.code == "cut":
        if raw.endswith(b"\n"):
            return "not-json", problem.message
        return "partial-last-line", "ends in the middle of an object: the log was cut off"
    if problem.code == "not-json" and b"\r{" in raw:
        return "cr-line-ends", "has CR alone (0x0d) between objects; lines end in LF or CRLF"
    return problem.code, problem.message


def _given(value: Any) -> str:
    return "missing" if value is None else quote(value)
