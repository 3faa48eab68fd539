"""
A recording in a real terminal: the person's own, joined to that of a shell in the sandbox.

Every key goes to the program inside, Ctrl-C too; the window's size follows; and the person's
terminal is as it was before whatever happens.
"""

from __future__ import annotations

import collections
import os
import secrets
import select
import signal
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType

from quickstarted.authoring.recording.marks import Began, Left, MarkFilter, Printed, Prompted
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.selection import waits_for_person
from quickstarted.authoring.recording.shell_rc import shell_rc
from quickstarted.errors import Interrupted
from quickstarted.sandbox.protocol import Sandbox
from quickstarted.sandbox.terminal import HasTerminal, Terminal

CTRL_C = b"\x03"
TICK_S = 0.2
SEND_TIMEOUT_S = 10.0
READ_BYTES = 1 << 14
MOST_OUTPUT_BYTES = 1 << 18
"""Of what one command printed; its end is kept."""
RC_NAME = "recording.bashrc"
_LEAVE_MODES = b"\x1b[?25h\x1b[?2004l\x1b[0m"
"""Cursor shown, no bracketed paste, no colour: a program that was cut off may have left those."""
TALKED = b"[What was typed into that program is not recorded; do it again here.]\r\n"
REPLACED = (
    b"\r\n[The recorded shell was replaced (exec) or killed: what was typed after that is not"
    b" recorded.]\r\n"
)
_ALTERNATE_ON, _ALTERNATE_OFF = b"\x1b[?1049h", b"\x1b[?1049l"


@dataclass(frozen=True, slots=True)
class Screen:
    """The person's terminal."""

    input_fd: int
    output_fd: int

    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        try:
            found = os.get_terminal_size(self.output_fd)
        except OSError:
            return 24, 80
        return found.lines or 24, found.columns or 80

    def write(self, data: bytes) -> None:
        """Show *data*; a terminal that is gone shows nothing."""
        view = memoryview(data)
        with suppress(OSError):
            while view:
                view = view[os.write(self.output_fd, view) :]

    @contextmanager
    def raw(self) -> Iterator[None]:
        """Hand over every key as it is; put everything back at the end."""
        before = termios.tcgetattr(self.input_fd)
        try:
            tty.setraw(self.input_fd, termios.TCSADRAIN)
            yield
        finally:
            self.write(_LEAVE_MODES)
            with suppress(termios.error):
                termios.tcsetattr(self.input_fd, termios.TCSADRAIN, before)


@dataclass(kw_only=True)
class TerminalSession:
    """One shell, from its first prompt to its end."""

    sandbox: Sandbox
    screen: Screen
    cancelled: Callable[[], bool]
    after: Callable[[Done], None]
    """Told of each command once it has returned, while its processes are still there."""
    done: list[Done] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._notices: collections.deque[str] = collections.deque()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._printed = bytearray()
        self._began = False
        self._interrupted = False
        self._in_alternate = False
        self._hung_up = False

    def tell(self, line: str) -> None:
        """Show a line of our own between what the programs print; from any thread."""
        self._notices.append(line)
        self._wake()

    def run(self) -> list[Done]:
        """
        Let the person work until the shell ends.

        Raises:
            Interrupted: Somebody asked the whole program to stop.
            SandboxFault: The sandbox died.

        """
        nonce = secrets.token_hex(8)
        terminal = self._open(nonce)
        try:
            with self.screen.raw(), self._handling_signals(terminal):
                self._join(terminal, MarkFilter(nonce))
        finally:
            terminal.close()
            if self._in_alternate:
                self.screen.write(_ALTERNATE_OFF)
            os.close(self._wake_read)
            os.close(self._wake_write)
        return self.done

    def _open(self, nonce: str) -> Terminal:
        sandbox = self.sandbox
        assert isinstance(sandbox, HasTerminal)
        path = f"{sandbox.state_dir}/{RC_NAME}"
        sandbox.put_file(path, shell_rc(nonce, sandbox.workspace).encode())
        shell = str(sandbox.facts["shell"])
        argv = [shell, "--noprofile", "--rcfile", path, "-i"]
        return sandbox.open_terminal(argv, {"TERM": os.environ.get("TERM") or "xterm"})

    def _join(self, terminal: Terminal, marks: MarkFilter) -> None:
        while True:
            if self.cancelled():
                raise Interrupted("interrupted while the quickstart was recorded")
            if self._hung_up:
                return
            self._show_notices()
            ready, _, _ = select.select(
                [self.screen.input_fd, terminal.fileno(), self._wake_read], [], [], TICK_S
            )
            if self._wake_read in ready:
                os.read(self._wake_read, READ_BYTES)
            if self.screen.input_fd in ready and not self._type(terminal):
                return
            # Also when the connection itself has nothing: TLS may hold back what it has read.
            data = terminal.read(0)
            if data == b"":
                self.screen.write(marks.rest())
                if self._began:
                    self.screen.write(REPLACED)
                return
            if data:
                self._take(marks, data)

    def _type(self, terminal: Terminal) -> bool:
        """Pass keys on; False when the person's terminal is gone."""
        try:
            keys = os.read(self.screen.input_fd, READ_BYTES)
        except OSError:
            return False
        self._interrupted |= CTRL_C in keys
        return bool(keys) and terminal.send(keys, SEND_TIMEOUT_S)

    def _take(self, marks: MarkFilter, data: bytes) -> None:
        for part in marks.feed(data):
            match part:
                case Printed():
                    self._show(part.data)
                case Began():
                    self._printed.clear()
                    self._began = True
                    self._interrupted = False
                case Prompted():
                    self._ended(part)
                case Left():
                    self._began = False

    def _show(self, data: bytes) -> None:
        self.screen.write(data)
        if self._began:
            self._printed += data
            del self._printed[:-MOST_OUTPUT_BYTES]
        on, off = data.rfind(_ALTERNATE_ON), data.rfind(_ALTERNATE_OFF)
        if on != off:
            self._in_alternate = on > off

    def _ended(self, prompted: Prompted) -> None:
        output = bytes(self._printed).decode("utf-8", "replace")
        self._began = False
        self._printed.clear()
        if not prompted.command.strip():
            return
        done = Done(
            command=prompted.command,
            exit_code=prompted.exit_code,
            output=output,
            interrupted=self._interrupted,
            ports=prompted.ports,
        )
        self.done.append(done)
        if waits_for_person(done.command):
            self.screen.write(TALKED)
        self.after(done)

    def _show_notices(self) -> None:
        while self._notices:
            self.screen.write(f"\r\n[{self._notices.popleft()}]\r\n".encode())

    def _wake(self) -> None:
        # A full pipe wakes as well; one that is closed has nobody left to wake.
        with suppress(OSError):
            os.write(self._wake_write, b"\0")

    @contextmanager
    def _handling_signals(self, terminal: Terminal) -> Iterator[None]:
        """Follow the window's size; and a terminal that is hung up ends the session in order."""
        terminal.resize(*self.screen.size())

        def on_resize(number: int, frame: FrameType | None) -> None:
            del number, frame
            terminal.resize(*self.screen.size())

        def on_hangup(number: int, frame: FrameType | None) -> None:
            del number, frame
            self._hung_up = True

        handlers = {signal.SIGWINCH: on_resize, signal.SIGHUP: on_hangup}
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        # Until the process ends, what is told to a terminal that is gone must not end it.
        before[signal.SIGHUP] = signal.SIG_IGN
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
