"""What a recorded quickstart left behind: files in the workspace, servers that answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from quickstarted.authoring.plain import is_plain
from quickstarted.authoring.recording.model import Done
from quickstarted.check import CheckPlan, WaitHttp, run_check
from quickstarted.sandbox.protocol import Limits, Sandbox

LOOK_S = 30.0
ANSWER_S = 4.0
STATUSES = (200, 404)
"""Of a server's front page, in the order in which they are tried: not every server has one."""

_NOISE = ("__pycache__", "build", "dist", "env", "node_modules", "target", "venv", "vendor")
_LOOK_FOR_PORTS = r"""
for file in /proc/net/tcp /proc/net/tcp6; do
  [ -r "$file" ] || continue
  while read -r _ address _ state _; do
    case $state$address in 0A0B00007F:*) ;; 0A*) echo "${address##*:}" ;; esac
  done <"$file"
done
"""


@dataclass(frozen=True, slots=True)
class Server:
    """Something that answers HTTP on loopback."""

    port: int
    status: int
    """Of `/`; 0 where it does not answer as HTTP does."""


@dataclass(kw_only=True)
class Remains:
    """Looks into the sandbox while and after the quickstart is recorded."""

    sandbox: Sandbox
    servers: list[Server] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Files in the workspace, relative to it, those that matter most first."""
    entries: list[str] = field(default_factory=list)
    """What stands in the workspace itself, folders too."""

    def __post_init__(self) -> None:
        self._known: set[int] = set(self._ports())

    def after(self, done: Done) -> None:
        """A command has returned: ask ports that are new whether they answer."""
        for port in done.ports:
            if port not in self._known:
                self._known.add(port)
                self.servers.append(Server(port, self._status_of(port)))

    def look(self) -> None:
        """After the last command: what is there now."""
        self.after(Done(command="", exit_code=0, ports=self._ports()))
        prune = " -o ".join(f"-name {name}" for name in ("'.?*'", *_NOISE))
        found = self._lines(f"find . -xdev -maxdepth 3 \\( {prune} \\) -prune -o -type f -print")
        self.files = sorted(
            (path.removeprefix("./") for path in found), key=lambda path: (path.count("/"), path)
        )
        self.entries = self._lines(
            'for entry in * .[!.]*; do [ -e "$entry" ] && echo "$entry"; done'
        )

    def _ports(self) -> tuple[int, ...]:
        lines = self._lines(_LOOK_FOR_PORTS)
        return tuple(dict.fromkeys(int(line, 16) for line in lines if line))

    def _lines(self, script: str) -> list[str]:
        asked = self.sandbox.run_clean(f"{script}\n", Limits(timeout_s=LOOK_S))
        return [line for line in asked.output.splitlines() if line and is_plain(line)]

    def _status_of(self, port: int) -> int:
        for status in STATUSES:
            wait = WaitHttp(target=f"http://127.0.0.1:{port}/", status=status, timeout_s=ANSWER_S)
            plan = CheckPlan(wait_http=wait, timeout_s=ANSWER_S + LOOK_S)
            if run_check(self.sandbox, plan, b"").passed:
                return status
        return 0
