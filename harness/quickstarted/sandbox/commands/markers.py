"""
The two marks that a command's outer shell puts into the command's output.

`RS nonce:begin:PID:START_TICKS:OOM_KILLS RS nonce RS`, and at the end
`RS nonce:end:EXIT_CODE:OOM_KILLS:FLAGS:CWD RS nonce RS`. The nonce is new for every command.
"""

from __future__ import annotations

from dataclasses import dataclass

RS = b"\x1e"
LONGEST_MARK_BYTES = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Begin:
    """The outer shell runs."""

    pid: int
    """In the container."""
    start_ticks: int
    """Field 22 of proc(5)'s stat: clock ticks since boot."""
    oom_kills: int


@dataclass(frozen=True, kw_only=True)
class End:
    """The inner shell has ended."""

    exit_code: int
    oom_kills: int
    flags: str
    """
    `made`: the workspace was gone and was made again; `fallback`: the old working directory was
    gone; `bare`: the harness's own folder is gone.
    """
    cwd: str


class MarkScanner:
    """Takes a command's stream apart into output and marks."""

    def __init__(self, nonce: str) -> None:
        self._open = RS + nonce.encode() + b":"
        self._close = RS + nonce.encode() + RS
        self._held = b""
        self.begin: Begin | None = None
        self.end: End | None = None

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes and return those that are output."""
        data = self._held + data
        output = []
        while True:
            at = data.find(self._open)
            if at < 0:
                keep = _possible_mark(data, self._open)
                self._held = data[len(data) - keep :]
                output.append(data[: len(data) - keep])
                return b"".join(output)
            output.append(data[:at])
            done = data.find(self._close, at)
            if done < 0:
                self._held = data[at:]
                if len(self._held) > LONGEST_MARK_BYTES:
                    output.append(self._held)
                    self._held = b""
                return b"".join(output)
            if not self._note(data[at + len(self._open) : done]):
                output.append(data[at : done + len(self._close)])
            data = data[done + len(self._close) :]

    def rest(self) -> bytes:
        """What was held back because a mark could have begun there; at the end of the stream."""
        held, self._held = self._held, b""
        return held

    def _note(self, mark: bytes) -> bool:
        """Take what a mark says; False where it is none of the two."""
        kind, _, rest = mark.decode("utf-8", "replace").partition(":")
        try:
            if kind == "begin":
                pid, ticks, kills = map(int, rest.split(":"))
                self.begin = Begin(pid=pid, start_ticks=ticks, oom_kills=kills)
            elif kind == "end":
                code, kills_then, flags, cwd = rest.split(":", 3)
                self.end = End(exit_code=int(code), oom_kills=int(kills_then), flags=flags, cwd=cwd)
        except ValueError:
            return False
        return kind in {"begin", "end"}


def _possible_mark(data: bytes, opening: bytes) -> int:
    """How many of the last bytes are the beginning of *opening*."""
    at = data.rfind(RS, max(len(data) - len(opening) + 1, 0))
    return len(data) - at if at >= 0 and opening.startswith(data[at:]) else 0
