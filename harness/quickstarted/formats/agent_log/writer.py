"""
Writes an agent log while a run goes on, for scaffolds.

    with AgentLogWriter(path, game="tetris-gb", category="any-percent", model="provider/model-id",
                        scaffold=Scaffold("my-agent", "1.2.0")) as log:
        log.model_request({"messages": messages})
        log.model_response("c1", text=text, actions=[RequestedAction("press", {"button": "A"})])
        log.action("c1", "press", {"button": "A"})
        log.observation({"summary": "piece locked"})
        log.run_end("goal reached")

Each line is with the operating system before the call returns, so that a crash loses nothing. What
would make the log invalid is refused at once, by the checker's own rules, and not written.
`run_end` is never written on its own: a log without one says that the run did not end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self

from quickstarted.errors import UsageError
from quickstarted.formats.agent_log import model as kinds
from quickstarted.formats.agent_log.calls import Match, Responses
from quickstarted.formats.agent_log.data import DataRules
from quickstarted.formats.agent_log.model import RequestedAction, Scaffold
from quickstarted.formats.agent_log.rules import MAX_LINE_BYTES, RULES
from quickstarted.formats.agent_log.spelling import spelled
from quickstarted.formats.problems import Problems
from quickstarted.formats.strict_json import JsonProblem

_REFUSED_MATCHES = {
    Match.UNKNOWN_CALL: "no response has the id {call}",
    Match.NOT_REQUESTED: "response {call} did not ask for {name}",
    Match.REPEATED: "response {call} asked for {name} fewer times",
}
"""Other `args` than were asked for are written: they are what was sent."""


class AgentLogRefused(UsageError):
    """An event would make the log invalid; it was not written."""


class AgentLogWriter:
    """
    One log; the file must not be there yet.

    Times come from a clock that never goes back, set by the machine's time once at the start.

    Args:
        path: The file; or a stream, which stays its caller's, for logs that are not being lived.
        game: Its slug on the site, and so is *category*.
        model: Provider and model id: `provider/model-id`.
        now_s: Seconds since 1970, asked once.
        monotonic_s: Seconds that never go back.

    Raises:
        AgentLogRefused: `run_start` would be invalid.
        OSError: The file is there, or cannot be written.

    """

    def __init__(  # noqa: PLR0913 (what run_start has, by name)
        self,
        path: Path | IO[bytes],
        *,
        game: str,
        category: str,
        model: str,
        scaffold: Scaffold,
        now_s: Callable[[], float] = time.time,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._responses = Responses()
        self._monotonic_s = monotonic_s
        self._start_ms = round(now_s() * 1_000)
        self._zero_s = monotonic_s()
        self._seq = 0
        self._second = 0, "1970-01-01T00:00:00"
        self._is_ended = False
        self._has_action = False
        told = {"name": scaffold.name, "version": scaffold.version, "url": scaffold.url}
        data = {
            "game": game,
            "category": category,
            "model": model,
            "scaffold": {key: value for key, value in told.items() if value is not None},
        }
        line = self._line(kinds.RUN_START, data)
        self._is_own = isinstance(path, Path)
        self._stream = path.open("xb", buffering=0) if isinstance(path, Path) else path
        self._append(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; it ends where it ends."""
        if self._is_own:
            self._stream.close()

    def model_request(self, data: dict[str, Any]) -> None:
        """What is sent to the model."""
        self._write(kinds.MODEL_REQUEST, data)

    def model_response(
        self,
        response_id: str,
        *,
        model: str | None = None,
        usage: dict[str, Any] | None = None,
        text: str | None = None,
        reasoning: str | None = None,
        actions: Iterable[RequestedAction] | None = None,
    ) -> None:
        """What came back: *response_id* is not used twice; *model* is `run_start`'s by itself."""
        asked = None if actions is None else list(actions)
        told = {
            "id": response_id,
            "model": model or self._model,
            "usage": usage,
            "text": text,
            "reasoning": reasoning,
            "actions": None if asked is None else _listed(asked),
        }
        data = {key: value for key, value in told.items() if value is not None}
        line = self._line(kinds.MODEL_RESPONSE, data)
        if not self._responses.add(response_id, asked, len(line)):
            raise AgentLogRefused(
                f"model_response cannot be written: {response_id} was used before"
            )
        self._append(line)

    def action(self, call: str, name: str, args: Any) -> None:
        """What is sent to the game, by wish of the response *call*; *args* as they are sent."""
        line = self._line(kinds.ACTION, {"call": call, "name": name, "args": args})
        match, _ = self._responses.match(call, RequestedAction(name, args))
        if match in _REFUSED_MATCHES:
            why = _REFUSED_MATCHES[match].format(call=call, name=name)
            raise AgentLogRefused(f"action cannot be written: {why}")
        self._append(line)
        self._has_action = True

    def observation(self, data: dict[str, Any]) -> None:
        """What the agent saw; it always stays public."""
        self._write(kinds.OBSERVATION, data)

    def error(self, message: str) -> None:
        """What went wrong; it always stays public."""
        self._write(kinds.ERROR, {"message": message})

    def run_end(self, reason: str) -> None:
        """Why the run is over; nothing can be written after it. It had an action at least."""
        line = self._line(kinds.RUN_END, {"reason": reason})
        if not self._has_action:
            raise AgentLogRefused(
                "run_end cannot be written: nothing was sent to the game, and a log without an"
                " action is not accepted"
            )
        self._append(line)
        self._is_ended = True

    def _write(self, kind: str, data: dict[str, Any]) -> None:
        self._append(self._line(kind, data))

    def _append(self, line: bytes) -> None:
        self._stream.write(line)
        self._seq += 1

    def _line(self, kind: str, data: dict[str, Any]) -> bytes:
        """The next line, which the rules for a single line have nothing against."""
        if self._is_ended:
            raise AgentLogRefused("the agent log has its run_end, and takes nothing more")
        is_first = kind == kinds.RUN_START
        elapsed_ms = 0 if is_first else round((self._monotonic_s() - self._zero_s) * 1_000)
        at = self._at(self._start_ms + elapsed_ms)
        head = (
            f'{{"seq":{self._seq},"at":"{at}","elapsedMs":{elapsed_ms},"type":"{kind}","data":'
        ).encode("ascii")
        try:
            line, read = spelled(head, data)
        except (TypeError, ValueError, RecursionError, JsonProblem) as exc:
            raise AgentLogRefused(f"{kind} cannot be written as JSON: {exc}") from exc
        _refuse_invalid(kind, read, line)
        return line

    def _at(self, at_ms: int) -> str:
        """The time as it is written; its second is most often that of the line before."""
        second, rest_ms = divmod(at_ms, 1_000)
        if second != self._second[0]:
            words = datetime.fromtimestamp(second, UTC).isoformat().removesuffix("+00:00")
            self._second = second, words
        return f"{self._second[1]}.{rest_ms:03}Z"


def _listed(asked: list[RequestedAction]) -> list[dict[str, Any]]:
    return [{"name": one.name, "args": one.args} for one in asked]


def _refuse_invalid(kind: str, data: Any, line: bytes) -> None:
    if len(line) > MAX_LINE_BYTES:
        raise AgentLogRefused(f"{kind} cannot be written: its line has {len(line):,} bytes")
    if not isinstance(data, dict):
        raise AgentLogRefused(f"{kind} cannot be written: data is no object")
    if _is_plainly_valid(kind, data):
        return
    problems = Problems(RULES)
    DataRules(problems, allow_changed_args=True).check(1, kind, data, line)
    wrong = [one.message for one in problems.kept if one.severity == "error"]
    if wrong:
        raise AgentLogRefused(f"{kind} cannot be written: {'; '.join(wrong)}")


def _is_plainly_valid(kind: str, data: dict[str, Any]) -> bool:
    """Whether no rule can have anything against *data*; most events are of these kinds."""
    if kind == kinds.OBSERVATION:
        return True
    if kind == kinds.ACTION:
        return _are_texts(data["call"], data["name"])
    if kind == kinds.MODEL_RESPONSE:
        usage, actions = data.get("usage"), data.get("actions", ())
        return (
            _are_texts(data["id"], data["model"])
            and (usage is None or isinstance(usage, dict))
            and all(isinstance(one["name"], str) for one in actions)
        )
    return False


def _are_texts(one: Any, other: Any) -> bool:
    return isinstance(one, str) and isinstance(other, str) and bool(one and other)
