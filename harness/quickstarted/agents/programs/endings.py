"""What it means that a program has ended: done, stuck for a reason of the service's, or broken."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass

from quickstarted.agents.model.access import Access as ModelAccess
from quickstarted.agents.model.answers import TOO_LARGE, may_pass, one_line, rejected
from quickstarted.agents.openai.codes import NO_MEANS, TOO_LONG
from quickstarted.agents.programs.account import code_of, words_of
from quickstarted.agents.programs.program import Ended
from quickstarted.agents.programs.raw_log import ERRORS_NAME
from quickstarted.agents.programs.services import Access
from quickstarted.errors import AttemptFault, CommandUnusable, ModelUnavailable, ProgramFailed
from quickstarted.events import CommandResult
from quickstarted.sandbox.protocol import ModelCall
from quickstarted.verdict import StopReason
from quickstarted_proxy.model_apis import Vendor

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit codes of a shell that could not start a command (POSIX, "Exit Status for Commands")."""
DECLINED = frozenset(
    {"refusal", "content_filter", "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"}
)
CONTEXT_FULL = frozenset({"model_context_window_exceeded"})
"""Reasons for which a reply has ended, as the vendors call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """All that is known of how a program ended by itself."""

    agent: str
    """As on the command line, without what follows the colon."""
    program: str
    """What is said to have ended: `claude-code 2.1.197`."""
    model: str
    result: CommandResult
    ended: Ended | None
    broke_off: bool
    failed: ModelCall | None
    stop_reason: str
    access: Mapping[Vendor, Access]
    last_error: str
    """The last line of standard error."""


def stop_reason_of(end: End) -> StopReason:
    """
    Say why the agent stopped.

    Raises:
        ModelRejected: The service does not take key, model or request.
        ModelUnavailable: The service failed, and the program gave up.
        CommandUnusable: There is no such command in the sandbox.
        ProgramFailed: The program broke.

    """
    if end.stop_reason in DECLINED:
        return StopReason.DECLINED
    came_to_its_end = end.result.exit_code == 0 and end.ended is not None and not end.ended.failed
    if came_to_its_end and end.ended is not None and end.ended.is_said:
        return StopReason.COMPLETED
    if end.failed is not None:
        return _after_failure(end, end.failed)
    if end.stop_reason in CONTEXT_FULL:
        return StopReason.CONTEXT_FULL
    if came_to_its_end:
        return StopReason.COMPLETED
    raise _broken(end)


def _after_failure(end: End, call: ModelCall) -> StopReason:
    """What the last call's failure means; told by status and code, never by words."""
    words, code, status = words_of(call), code_of(call), call.status
    if call.refused:
        raise rejected(
            f"{call.error or call.refused}",
            "The sandbox's way out lets no vendor read pages or run code for a program:"
            " turn that off in the program.",
        )
    if status == TOO_LARGE or code in TOO_LONG:
        return StopReason.CONTEXT_FULL
    if code not in NO_MEANS and (status is None or status < 300 or may_pass(status)):
        raise ModelUnavailable(
            f"the model's service failed, and {end.program} gave up: {words}",
            hint="Run it again later: an attempt that ends like this is not counted.",
        )
    raise _refusal(end, call, code, words)


def _refusal(end: End, call: ModelCall, code: str, words: str) -> AttemptFault:
    used = end.access[call.vendor]
    access = ModelAccess(
        agent=end.agent,
        model=call.model or end.model,
        credentials=f"the key in {used.key.variable}",
        address_variable=used.address.variable,
        key=used.key,
    )
    words = access.clean(words)
    if code in NO_MEANS or call.status == 402:
        return access.no_means(words)
    if call.status in {401, 403}:
        return access.no_credentials(words)
    if call.status == 404 or code == "model_not_found":
        return access.no_model(words)
    return access.refused(words)


def _broken(end: End) -> AttemptFault:
    code = end.result.exit_code
    if code in {NOT_FOUND, NOT_EXECUTABLE} and end.ended is not None and not end.ended.is_said:
        what = "is not there" if code == NOT_FOUND else "cannot be started"
        return CommandUnusable(
            f"{end.program} {what}: its shell ended with exit code {code}{_last_words(end)}",
            hint="The command runs in the task's image: it has to be in it, or in its workspace.",
        )
    said = f"{end.program} {_how(code)}"
    if end.result.note:
        said += f" ({end.result.note})"
    if code == 0:
        said += ", and did not say that it was done"
    if end.broke_off:
        said += "; its log breaks off within a line"
    return ProgramFailed(
        f"{said}{_last_words(end)}",
        hint=f"What it printed is kept beside the trace (agent.*, {ERRORS_NAME}).",
    )


def _how(code: int) -> str:
    if code <= 128:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(code - 128).name}"
    except ValueError:
        return f"ended with exit code {code}"


def _last_words(end: End) -> str:
    said = (end.ended.text if end.ended is not None else "") or end.last_error
    last = said.strip().rpartition("\n")[2]
    return f": {one_line(last)}" if last else ""
