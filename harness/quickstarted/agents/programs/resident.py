"""
A program at work in the sandbox of one attempt.

What it prints is read in the attempt's own thread, its calls of models are told by the sidecar's,
and what it wants to read is read in a third: `Account` and `Door` are safe for that, and the rest
stays in the attempt's.
"""

from __future__ import annotations

import math
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quickstarted.agents.assignment import Assignment
from quickstarted.agents.model.toolset import carry_out
from quickstarted.agents.programs.account import Account
from quickstarted.agents.programs.door import HOST, READ_URL, Door, shell_command
from quickstarted.agents.programs.endings import End, stop_reason_of
from quickstarted.agents.programs.needs import Records, SandboxNeeds
from quickstarted.agents.programs.program import Launch, Place, Program
from quickstarted.agents.programs.raw_log import MAX_ERRORS_BYTES, RawLog, keep_errors
from quickstarted.agents.programs.services import Access
from quickstarted.agents.programs.told import Telling
from quickstarted.agents.prompt import prompt_for
from quickstarted.budget import BudgetExceeded
from quickstarted.errors import Interrupted
from quickstarted.events import CommandResult, SandboxRestarted
from quickstarted.sandbox.protocol import (
    DoorAnswer,
    DoorRequest,
    Limits,
    ModelCall,
    Sandbox,
)
from quickstarted.verdict import StopReason
from quickstarted_proxy.model_apis import Vendor

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt

NOBODY = DoorAnswer(status=503, body=b"The agent is not at work.\n")
FOLDER = "agent"
"""Below the sandbox's state folder, the agent's user's; outside of the workspace."""
COMMANDS = "bin"
"""Below the sandbox's state folder; `read_docs` is in it."""
STDIN, STDERR = "stdin.txt", "stderr.txt"
WORDS_CHARS = 2000
"""Of what the program prints; all of it goes into its log."""


@dataclass(kw_only=True)
class _Work:
    """What is there while the program is at work, and why it is to end before it does."""

    tools: Toolbelt
    account: Account
    door: Door
    interrupted: bool = False
    out_of_time: bool = False

    def is_to_end(self) -> bool:
        """Asked all the time."""
        self.interrupted = self.interrupted or self.tools.cancelled()
        self.out_of_time = self.out_of_time or self.tools.budget.remaining_s <= 0
        account = self.account
        is_over = account.fault is not None or account.is_hopeless or self.used_up is not None
        return self.interrupted or is_over

    @property
    def used_up(self) -> StopReason | None:
        """The budget that is."""
        if self.account.used_up is not None:
            return self.account.used_up
        return StopReason.MAX_SECONDS if self.out_of_time else None

    def raise_why(self) -> None:
        """
        Say why the program was ended, where it was.

        Raises:
            AttemptFault: A record could not be written, or what it costs is not known.
            Interrupted: Somebody asked to stop.
            BudgetExceeded: A limit of the task was reached.

        """
        if self.account.fault is not None:
            raise self.account.fault
        if self.interrupted:
            raise Interrupted("interrupted while the agent was at work")
        if self.used_up is not None:
            raise BudgetExceeded(self.used_up)


class ProgramResident:
    """See `needs.Resident`."""

    def __init__(self, program: Program, access: Mapping[Vendor, Access]) -> None:
        self._program = program
        self._access = access
        self._reading = threading.Lock()
        self._door: Door | None = None
        self._account: Account | None = None
        self.needs = SandboxNeeds(
            program=program.release,
            secrets=tuple(one.secret for one in access.values()),
            services=tuple(one.service for one in access.values()),
            door_host=HOST,
            doorkeeper=self._answer,
            on_model_call=self._hear,
        )

    def run(self, assignment: Assignment, tools: Toolbelt, records: Records) -> StopReason:
        """See `needs.Resident`."""
        work = _Work(
            tools=tools,
            account=Account(tools, self._program.model or ""),
            door=Door(lambda use: carry_out(use, tools)),
        )
        telling = Telling(self._program.reader(), tools)
        place, launch = self._furnish(assignment, tools.sandbox)
        self._account, self._door = work.account, work.door
        try:
            with RawLog(records.folder / self._program.log_name) as log:
                result = self._execute(place, launch, work, lambda data: _take(data, log, telling))
        finally:
            # Whoever reads a page now is let read it: what it is read with is closed next.
            with self._reading:
                self._door = None
        tools.sandbox.drain_egress()
        work.account.close(was_ended=work.is_to_end())
        last_error = self._keep_errors(tools.sandbox, place, records)
        telling.finish()
        if result.restarted:
            tools.write(SandboxRestarted(ts=tools.now(), reason=result.restarted))
        work.raise_why()
        return stop_reason_of(
            End(
                agent=self._program.name,
                program=self._called(tools.sandbox),
                model=self._program.model or "",
                result=result,
                ended=telling.ended,
                broke_off=telling.broke_off,
                failed=work.account.failed,
                stop_reason=work.account.stop_reason,
                access=self._access,
                last_error=last_error,
            )
        )

    def _called(self, sandbox: Sandbox) -> str:
        program = sandbox.image.program
        return f"{program.name} {program.version}" if program else "the agent's command"

    def _furnish(self, assignment: Assignment, sandbox: Sandbox) -> tuple[Place, Launch]:
        """Put the program's files, and the command `read_docs`, into the sandbox."""
        program = sandbox.image.program
        place = Place(
            command=program.command if program else "",
            home=f"{sandbox.state_dir}/{FOLDER}",
            access=self._access,
        )
        launch = self._program.launch(prompt_for(assignment), place)
        with tempfile.TemporaryDirectory(prefix="quickstarted-") as made:
            folder = Path(made) / FOLDER
            folder.mkdir()
            for name, text in {**launch.files, STDIN: launch.stdin}.items():
                (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
            sandbox.put_tree(Path(made), sandbox.state_dir)
        path = f"{sandbox.state_dir}/{COMMANDS}/read_docs"
        sandbox.put_file(path, shell_command(), mode=0o755)
        return place, launch

    def _execute(
        self, place: Place, launch: Launch, work: _Work, take: Callable[[bytes], None]
    ) -> CommandResult:
        """Run the program to its end, or until there is a reason to end it."""
        sandbox = work.tools.sandbox
        script = (
            f"PATH={sandbox.state_dir}/{COMMANDS}:$PATH; export PATH\n"
            f"exec {launch.shell} <{place.file(STDIN)} 2>{place.file(STDERR)}\n"
        )
        limits = Limits(
            timeout_s=math.inf,
            max_output_chars=WORDS_CHARS,
            cancelled=work.is_to_end,
            on_output=take,
        )
        result = sandbox.run_clean(script, limits, env={**launch.env, "_QS_DOOR": READ_URL})
        if result.full_output_path is not None:
            # It is in the program's log.
            Path(result.full_output_path).unlink(missing_ok=True)
        return result

    def _keep_errors(self, sandbox: Sandbox, place: Place, records: Records) -> str:
        """Keep what the program wrote to standard error; its last line."""
        content = sandbox.get_file(place.file(STDERR), MAX_ERRORS_BYTES)
        clean = records.scrubber.replaced(content)
        keep_errors(records.folder, clean)
        return clean.decode("utf-8", "replace").strip().rpartition("\n")[2]

    def _answer(self, request: DoorRequest) -> DoorAnswer:
        """Called by the thread that reads documentation."""
        with self._reading:
            return self._door.answer(request) if self._door is not None else NOBODY

    def _hear(self, call: ModelCall) -> None:
        """Called by the thread that reads the sidecar's reports."""
        if self._account is not None:
            self._account.hear(call)


def _take(data: bytes, log: RawLog, telling: Telling) -> None:
    log.write(data)
    telling.feed(data)
