"""This machine, seen from one attempt's folder: a `commands.host.CommandHost`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands.host import Exec, Inside
from quickstarted.sandbox.commands.markers import Begin
from quickstarted.sandbox.commands.scripts import script_in
from quickstarted.sandbox.local.environment import find_program
from quickstarted.sandbox.local.folders import AttemptFolder, remove_folder
from quickstarted.sandbox.local.line import KeeperLine, KeeperSilent, LocalExec
from quickstarted.sandbox.local.processes import (
    MARK,
    Seen,
    all_processes,
    descends,
    end,
    of_attempt,
)
from quickstarted.sandbox.protocol import Process
from quickstarted_proxy.substitution import Replacer


class Unwatched:
    """A `commands.host.DiskGuard` without a limit."""

    limit_bytes: int | None = None
    used_bytes: int = 0

    def __enter__(self) -> Self:
        """Nothing begins."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing ends."""

    def is_over(self) -> bool:
        """Never."""
        return False


class LocalMachine:
    """
    One attempt's view of this machine.

    Args:
        folder: The attempt's.
        env: Variables of every command; `HOME`, `TMPDIR` and the mark are added.

    """

    agent_user: str = ""
    memory_bytes: int | None = None
    scrubber = Replacer(())
    """Secrets are refused here."""

    def __init__(self, folder: AttemptFolder, env: Mapping[str, str]) -> None:
        self.folder = folder
        own = {"HOME": str(folder.home), "TMPDIR": str(folder.tmp), MARK: str(folder.root)}
        self.env = {**env, **own}
        self.inside = Inside(
            uid=os.geteuid(),
            gid=os.getegid(),
            sh=find_program("sh", self.env["PATH"]),
            bash=find_program("bash", self.env["PATH"]),
            home=str(folder.home),
            tmp=str(folder.tmp),
            workspace_entries=0,
            workspace=str(folder.workspace),
            state_dir=str(folder.state),
        )
        self._line = KeeperLine(folder.root)

    def start(self) -> None:
        """
        Make the folders and start the keeper.

        Raises:
            SandboxFault: The folder is gone, or the keeper does not start.

        """
        self._line.open()
        self.prepare()

    def close(self) -> None:
        """End the attempt's processes and remove its folder."""
        self._line.close()
        # The keeper has done both, if it was there.
        end(lambda: of_attempt(str(self.folder.root), None, by_mark=True))
        try:
            remove_folder(self.folder.root)
        except OSError as exc:
            raise SandboxFault(
                f"the sandbox's folder {self.folder.root} cannot be removed: {exc}",
                hint="Remove it by hand.",
            ) from exc

    def check(self) -> None:
        """
        Return when the folder is there.

        Raises:
            SandboxFault: It is not.

        """
        if not self.folder.root.is_dir():
            raise SandboxFault(f"the sandbox's folder {self.folder.root} is gone")

    def start_exec(self, argv: Sequence[str], env: Mapping[str, str], user: str) -> LocalExec:
        """See `CommandHost`."""
        del user
        self.check()
        return self._line.start(argv, env)

    def end_tree(self, begin: Begin) -> str:
        """See `CommandHost`."""
        self.check()
        try:
            left = self._line.end_tree(begin.pid)
        except KeeperSilent as silent:
            self.restart()
            return f"the command's processes could not be ended: {silent.message}"
        _raise_for(left)
        return ""

    def foreign_to(self, execs: Sequence[Exec]) -> list[Process]:
        """See `CommandHost`."""
        self.check()
        ours = {each.pid for each in execs if isinstance(each, LocalExec)}
        seen = all_processes()
        return [
            Process(pid=one.pid, command=one.command)
            for one in self._processes()
            if one.pid not in ours and not descends(one, ours, seen)
        ]

    def is_alive(self) -> bool:
        """See `CommandHost`."""
        self.check()
        try:
            self._line.order({"order": "ping"})
        except KeeperSilent:
            return False
        return True

    def is_full(self) -> bool:
        """See `CommandHost`; there is no limit of ours."""
        return False

    def oom_kills(self) -> int:
        """See `CommandHost`; nobody counts them for the attempt alone."""
        return 0

    def died_of_memory(self) -> bool:
        """See `CommandHost`; nobody says."""
        return False

    def disk_guard(self) -> Unwatched:
        """See `CommandHost`."""
        return Unwatched()

    def prepare(self) -> None:
        """See `CommandHost`."""
        self.check()
        folder = self.folder
        for place in (folder.workspace, folder.home, folder.tmp, folder.state):
            place.mkdir(exist_ok=True)
        leave = script_in(f"leave.{self.inside.dialect}", self.inside)
        (folder.state / "leave").write_text(leave, encoding="utf-8")
        self.forget_shell()

    def forget_shell(self) -> None:
        """See `CommandHost`."""
        self.check()
        shell = self.folder.state / "shell"
        remove_folder(shell)
        (shell / "new").mkdir(parents=True)

    def restart(self) -> None:
        """See `CommandHost`."""
        self.check()
        _raise_for([f"{one.command} ({one.pid})" for one in end(self._processes)])
        if not self.is_alive():
            self._line.abandon()
            self._line.open()

    def _processes(self) -> list[Seen]:
        pid = self._line.pid
        by_mark = pid is None or not self._line.is_subreaper
        return of_attempt(str(self.folder.root), pid, by_mark=by_mark)


def _raise_for(left: Sequence[str]) -> None:
    if left:
        shown = ", ".join(left[:5])
        raise SandboxFault(
            f"processes of the sandbox cannot be ended: {shown}",
            hint="They may be another user's (`sudo`); end them by hand.",
        )
