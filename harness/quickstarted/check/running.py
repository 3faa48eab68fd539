"""
Runs a check in a sandbox and says how it ended.

An exit code alone does not tell the author's `exit 127` from a shell that could not start, nor a
`0` that was reached from one that was not. So the script prints a line when it starts and one when
it ends, each with a word that only this run knows, and these lines are taken out again.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quickstarted.check.plan import CheckPlan
from quickstarted.check.script import build_script
from quickstarted.events import CommandResult
from quickstarted.sandbox.protocol import Limits, Sandbox, check_output_path
from quickstarted.verdict import CheckEnding

MAX_OUTPUT_CHARS = 20_000
_TAIL_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    """How a check ended."""

    ending: CheckEnding
    exit_code: int
    output: str
    """Of the check, both streams; then, where it could not judge, why in one line."""
    duration: float
    """Seconds."""
    timed_out: bool = False
    why: str = ""
    """Why it is broken, as a sentence; empty when it is not."""

    @property
    def passed(self) -> bool:
        """Whether all that it asserts holds."""
        return self.ending is CheckEnding.PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marks:
    """What the script's own lines say."""

    started: bool
    state: str
    """`end`, `broken`, or empty where the script did not come to its end."""
    exit_code: int


def run_check(
    sandbox: Sandbox,
    plan: CheckPlan,
    outputs: bytes = b"",
    *,
    cancelled: Callable[[], bool] | None = None,
    max_output_chars: int = MAX_OUTPUT_CHARS,
) -> CheckOutcome:
    """
    Run the check as the image's user; call it after the agent has stopped.

    Args:
        sandbox: Where; what the check asks for by `qs_expect_output` is there for its time only.
        plan: What is asserted.
        outputs: What the agent's commands printed, from `collect_output`.
        cancelled: Asked while it runs; true ends it early, and the outcome then means nothing.
        max_output_chars: How much of the check's output is kept.

    Raises:
        AttemptFault: The sandbox, the engine or the proxy failed, as `Sandbox` says.

    """
    nonce = f"qs-check-{secrets.token_hex(8)}"
    limits = Limits(
        timeout_s=plan.timeout_s, max_output_chars=max_output_chars, cancelled=cancelled
    )
    path = check_output_path(sandbox.state_dir)
    script = build_script(plan, output_path=path)
    with _outputs_in(sandbox, path, outputs if plan.reads_output else None):
        result = sandbox.run_clean(script, limits, env={"QS_CHECK_NONCE": nonce})
    return judge(result, nonce, plan.timeout_s)


def judge(result: CommandResult, nonce: str, timeout_s: float) -> CheckOutcome:
    """What the run of a check script amounts to; *nonce* is what it was given."""
    marks = _read_marks(result, nonce)
    why = _why_broken(result, marks, timeout_s)
    ending = CheckEnding.BROKEN
    if not why:
        holds = marks.exit_code == 0 and result.exit_code == 0
        ending = CheckEnding.PASSED if holds else CheckEnding.FAILED
    output = _without_marks(result.output, nonce)
    notes = [note for note in (result.note, why and f"the check gives no verdict: {why}") if note]
    return CheckOutcome(
        ending=ending,
        exit_code=result.exit_code,
        output="\n".join([output.rstrip("\n"), *notes]).lstrip("\n") if notes else output,
        duration=result.duration,
        timed_out=result.timed_out,
        why=why,
    )


@contextmanager
def _outputs_in(sandbox: Sandbox, path: str, outputs: bytes | None) -> Iterator[None]:
    """Have the outputs in the sandbox inside the block, and emptied after it; None: no file."""
    if outputs is None:
        yield
        return
    sandbox.put_file(path, outputs)
    yield
    # Not where the sandbox failed: its own fault is the one to hear of.
    sandbox.empty_file(path)


def _why_broken(result: CommandResult, marks: _Marks, timeout_s: float) -> str:
    if result.timed_out:
        return f"it did not end within {timeout_s:g} s"
    if not marks.started:
        return f"it could not start (exit code {result.exit_code})"
    if marks.state == "broken":
        return "its script or the image is at fault"
    if result.restarted:
        return f"the sandbox was restarted while it ran: {result.restarted}"
    if not marks.state:
        return f"its shell was ended from outside the script (exit code {result.exit_code})"
    return ""


def _read_marks(result: CommandResult, nonce: str) -> _Marks:
    """From what is kept of the output, or from its record where the cut took a line away."""
    started = f"{nonce} start\n" in result.output
    ended = _end_line(nonce).search(result.output)
    if result.full_output_path is not None and not (started and ended):
        head, tail = _ends(Path(result.full_output_path))
        started = started or f"{nonce} start\n" in head
        ended = ended or _end_line(nonce).search(tail)
    if ended is None:
        return _Marks(started=started, state="", exit_code=result.exit_code)
    return _Marks(started=started, state=ended[1], exit_code=int(ended[2]))


def _ends(path: Path) -> tuple[str, str]:
    """The first and the last mebibyte of a file; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(_TAIL_BYTES)
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            tail = file.read()
    except OSError:
        return "", ""
    return head.decode("utf-8", "replace"), tail.decode("utf-8", "replace")


def _end_line(nonce: str) -> re.Pattern[str]:
    return re.compile(rf"\n?{nonce} (end|broken) (\d+)(?:\n|$)")


def _without_marks(output: str, nonce: str) -> str:
    return _end_line(nonce).sub("", output.replace(f"{nonce} start\n", "", 1))
