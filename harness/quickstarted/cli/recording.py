"""`quickstarted init --record`: a person in a sandbox's shell, and what becomes of it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import click

from quickstarted.agents.idle import IdleAgent
from quickstarted.authoring.draft import Draft
from quickstarted.authoring.recorded import WITH_KEY, with_recording
from quickstarted.authoring.recording.lines import LineSession
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.refusals import Refusals
from quickstarted.authoring.recording.remains import Remains
from quickstarted.authoring.recording.shell_rc import PROMPT
from quickstarted.authoring.recording.terminal import Screen, TerminalSession
from quickstarted.authoring.scaffold import task_text
from quickstarted.cli.backends import backend_for
from quickstarted.cli.interrupts import interruptible
from quickstarted.console.text import visible
from quickstarted.errors import AttemptFault, UsageError
from quickstarted.plan import AttemptPlan
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE
from quickstarted.sandbox.protocol import Sandbox, SandboxSpec
from quickstarted.sandbox.terminal import HasTerminal
from quickstarted.task import Task, parse_task
from quickstarted.task.hosts import host_and_port


@dataclass(frozen=True, kw_only=True)
class RecordFlags:
    """Flags that go with `--record`."""

    allow: tuple[str, ...]
    yes: bool
    image: str | None
    upstream_ca: Path | None


def record(draft: Draft, path: Path, flags: RecordFlags) -> Draft:
    """
    Let the person do the quickstart once, and add what came of it to *draft*.

    Raises:
        UsageError: `--allow` names no host.
        Interrupted: Somebody asked to stop; nothing is written.
        AttemptFault: No sandbox could be had, or it died.

    """
    draft = replace(draft, network_allow=tuple(_host(host) for host in flags.allow))
    task = parse_task(task_text(draft, path).encode(), path)
    with ExitStack() as stack:
        cancelled = stack.enter_context(interruptible())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quickstarted-")))
        spec = _spec(task, flags, folder)
        backend = stack.enter_context(
            backend_for(
                spec.run_id, upstream_ca=flags.upstream_ca, note=_say, cancelled=cancelled.is_set
            )
        )
        backend.prepare([spec.image])
        teller = _Teller()
        refusals = Refusals(teller.tell)
        sandbox = stack.enter_context(backend.open(spec, refusals.take))
        commands, remains = _in_sandbox(sandbox, draft, teller, cancelled.is_set)
        sandbox.drain_egress()
    refused = [host for host in refusals.hosts if host not in draft.network_allow]
    if refused and _agrees(refused, yes=flags.yes):
        draft = replace(draft, network_allow=(*draft.network_allow, *refused))
    draft = with_recording(draft, commands, remains, refused)
    if WITH_KEY in draft.replay_comments:
        _say("note: what looks like a key or a password was typed, and is in the file")
    return draft


def _in_sandbox(
    sandbox: Sandbox, draft: Draft, teller: _Teller, cancelled: Callable[[], bool]
) -> tuple[list[Done], Remains]:
    remains = Remains(sandbox=sandbox)
    has_bash = str(sandbox.facts.get("shell", "")).endswith("bash")
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    _say(f"This is the sandbox that an agent will get. Go through {draft.url} as a reader would.")
    if at_terminal:
        _say("What you type is recorded; `exit` or Ctrl-D ends it.")
    session: TerminalSession | LineSession
    if at_terminal and has_bash and isinstance(sandbox, HasTerminal):
        screen = Screen(sys.stdin.fileno(), sys.stdout.fileno())
        session = TerminalSession(
            sandbox=sandbox, screen=screen, cancelled=cancelled, after=remains.after
        )
        teller.to = session.tell
    else:
        session = LineSession(
            sandbox=sandbox,
            next_line=_typed_line if at_terminal else _piped_line,
            say=_say,
            cancelled=cancelled,
            after=remains.after,
            echo=not at_terminal,
        )
    try:
        session.run()
        _say("The shell has ended; looking at what was left.")
        remains.look()
    except AttemptFault as fault:
        # What the person has done so far is worth more than a tidy ending.
        if not session.done:
            raise
        _say(f"the recording ends here: {fault}")
    finally:
        teller.to = _say_notice
    return session.done, remains


class _Teller:
    """Where notices go: to the session while it has the terminal, else to standard error."""

    def __init__(self) -> None:
        self.to: Callable[[str], None] = _say_notice

    def tell(self, line: str) -> None:
        """Show one line; from any thread."""
        self.to(line)


def _spec(task: Task, flags: RecordFlags, folder: Path) -> SandboxSpec:
    run_id = f"init-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    plan = AttemptPlan(
        task=task,
        agent=IdleAgent(),
        attempt=1,
        run_id=run_id,
        default_image=flags.image or DEFAULT_IMAGE,
    )
    return plan.sandbox_spec(folder)


def _host(text: str) -> str:
    try:
        allowed = host_and_port(text)
    except ValueError as exc:
        raise UsageError(f"--allow: {exc}") from exc
    return allowed.host if allowed.port is None else f"{allowed.host}:{allowed.port}"


def _agrees(refused: Sequence[str], *, yes: bool) -> bool:
    """Whether the hosts become part of the task; without a person and --yes they do not."""
    shown = ", ".join(refused)
    if yes:
        _say(f"written down as network.allow: {shown}")
        return True
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _say(f"refused: {shown}; --yes writes them down as network.allow")
        return False
    return click.confirm(f"Refused: {shown}. Write them down as network.allow?", default=False)


def _typed_line(goes_on: bool) -> str | None:
    try:
        return input("> " if goes_on else f"{PROMPT}$ ")
    except EOFError:
        _say("")
        return None


def _piped_line(goes_on: bool) -> str | None:
    del goes_on
    line = sys.stdin.buffer.readline()
    if not line:
        return None
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as exc:
        raise UsageError(f"standard input is not UTF-8: {exc}") from exc


def _say(line: str) -> None:
    # A terminal that was hung up must not cost what was recorded at it.
    with suppress(OSError):
        click.echo(visible(line), err=True)


def _say_notice(line: str) -> None:
    _say(f"[{line}]")
