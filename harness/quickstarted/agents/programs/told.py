"""What a program's log tells, put on record as the doings of any agent are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quickstarted.agents.programs.json_lines import LineSplitter
from quickstarted.agents.programs.program import Called, Ended, Entry, LogReader, Returned
from quickstarted.events import AgentFinal, CommandResult, plain

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


class Telling:
    """Takes the standard output of one run, in the thread that the attempt is in."""

    def __init__(self, reader: LogReader, tools: Toolbelt) -> None:
        self._reader = reader
        self._tools = tools
        self._lines = LineSplitter()
        self._running: dict[str, tuple[int, float]] = {}
        """Call to its scope and when it began."""
        self.ended: Ended | None = None
        """The program's last words, once there are any."""
        self.broke_off = False
        """Whether the log ends within a line that says nothing."""

    def feed(self, data: bytes) -> None:
        """
        Take what has been printed.

        Raises:
            AttemptFault: Sidecar or storage failed.

        """
        for line in self._lines.feed(data):
            for entry in self._reader.read(line):
                self._take(entry)

    def finish(self) -> None:
        """
        The program has ended.

        Raises:
            AttemptFault: Sidecar or storage failed.

        """
        for entry in self._reader.read(self._lines.rest()):
            self._take(entry)
        for entry in self._reader.rest():
            self._take(entry)
        self.broke_off = self._lines.is_within_line
        if self.ended is not None and self.ended.text and not self.ended.failed:
            self._tools.write(AgentFinal(ts=self._tools.now(), text=plain(self.ended.text)))

    def _take(self, entry: Entry) -> None:
        match entry:
            case Called():
                self._call(entry)
            case Returned():
                self._return(entry)
            case Ended():
                self.ended = entry

    def _call(self, called: Called) -> None:
        scope = self._tools.note_call(
            called.tool, command=called.command, path=called.path, call_id=called.call_id
        )
        if scope is not None:
            self._running[called.call_id] = scope, self._tools.now()

    def _return(self, returned: Returned) -> None:
        scope, began = self._running.pop(returned.call_id, (None, 0.0))
        if scope is None:
            return
        output = plain(returned.output)
        self._tools.note_result(
            CommandResult(
                exit_code=returned.exit_code,
                output=output,
                output_bytes=len(output.encode("utf-8", "replace")),
                duration=max(self._tools.now() - began, 0.0),
                note=returned.note,
            ),
            call_id=returned.call_id,
            scope=scope,
            is_last=not self._running,
        )
