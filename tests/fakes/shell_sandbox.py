"""
A place to run checks in without an engine: this machine's shells, a folder as the workspace.

What it does not do as a real sandbox does is in `LACKS` and `BREAKS`, and `tests/contract` holds it
to all the rest, and to both tables.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from quickstarted.events import CommandResult
from quickstarted.sandbox.commands import notes
from quickstarted.sandbox.commands.dialects import clean_call
from quickstarted.sandbox.commands.execs import pieces
from quickstarted.sandbox.commands.host import Inside
from quickstarted.sandbox.commands.output import OutputKeeper, Printed
from quickstarted.sandbox.protocol import Limits

SHELLS = {
    "bash": ["bash"],
    "dash": ["dash"] if shutil.which("dash") else ["sh"],
    **({"busybox": ["busybox", "sh"]} if shutil.which("busybox") else {}),
}
"""Every shell of this machine that checks are meant to run in."""

_ONE_SCRIPT = "a check is one clean script, so there is no shell of an agent's"
_NO_CONTAINER = "there is no container around it"
LACKS = {
    "image": _NO_CONTAINER,
    "facts": _NO_CONTAINER,
    "check": "there is no sidecar",
    "begin_scope": "there is no sidecar",
    "drain_egress": "there is no sidecar",
    "bash": _ONE_SCRIPT,
    "reset_shell": _ONE_SCRIPT,
    "start_service": "a check starts its server itself",
    "service_state": "a check starts its server itself",
    "foreign_processes": _NO_CONTAINER,
    "restart": _NO_CONTAINER,
    "put_tree": "a check brings no files but the outputs",
    "get_file": "tests read from `folder`",
    "save": _NO_CONTAINER,
}
"""Members of `Sandbox` that it does not have, and why."""

BREAKS = {
    **(
        {}
        if os.geteuid() == 0
        else {"test_a_file_is_roots_and_so_are_the_folders_made_for_it": "it has one user only"}
    ),
    "test_a_timeout_ends_what_has_left_its_session": "only the process group is ended",
    **({} if os.geteuid() == 0 else {"test_a_script_is_roots_when_asked": "it has one user only"}),
}
"""Promises (tests of `tests/contract/test_sandbox*.py`) that it does not keep, and why."""

PYTHON_FOLDER = Path(sys.executable).resolve().parent
TICK_S = 0.05
PIPE_BYTES = 1 << 16


@dataclass
class ShellSandbox:
    """`run_clean` and `put_file` of `Sandbox`, with everything in `folder`."""

    folder: Path
    shell: list[str] = field(default_factory=lambda: SHELLS["bash"])
    env: dict[str, str] = field(default_factory=dict)
    scripts: list[str] = field(default_factory=list)
    """What was run, in order."""
    files: dict[str, bytes] = field(default_factory=dict)
    """What was put, by the path that was asked for."""

    @property
    def workspace(self) -> str:
        """Where scripts start."""
        path = self.folder / "workspace"
        path.mkdir(exist_ok=True)
        return str(path)

    @property
    def state_dir(self) -> str:
        """Where the outputs are."""
        return str(self.folder / ".quickstarted")

    def put_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """See `protocol.Sandbox`."""
        self.files[path] = content
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(mode)

    def empty_file(self, path: str) -> None:
        """See `protocol.Sandbox`."""
        self.put_file(path, b"")

    def run_clean(
        self,
        script: str,
        limits: Limits,
        *,
        env: dict[str, str] | None = None,
        root: bool = False,
    ) -> CommandResult:
        """See `protocol.Sandbox`."""
        del root
        self.scripts.append(script)
        began = time.monotonic()
        if refusal := notes.why_not_runnable(script):
            printed = self._keeper(limits)
            printed.write(f"{refusal}\n".encode())
            return self._result(126, printed.finish(), 0.0, note=refusal)
        process, output = self._start(script, {**self._environ(), **(env or {})})
        keeper = self._keeper(limits)
        reason = _follow(process, output, keeper, limits)
        duration = time.monotonic() - began
        if reason == "timeout":
            note = notes.timed_out(limits.timeout_s)
            return self._result(124, keeper.finish(), duration, note=note, timed_out=True)
        if reason == "cancelled":
            return self._result(130, keeper.finish(), duration, note=notes.INTERRUPTED)
        code = process.returncode
        return self._result(code if code >= 0 else 128 - code, keeper.finish(), duration)

    def _start(self, script: str, env: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
        """The shell, and the pipe that it and its children print into."""
        is_bash = self.shell[0] == "bash"
        call = clean_call(script, _inside(self.folder, is_bash=is_bash), user="", env=env)
        parts = list(pieces(call.script))
        variables = {f"_QS_{number}": part for number, part in enumerate(parts, 1)}
        variables |= {"_QS_ENTER": call.enter, "_QS_COUNT": str(len(parts))}
        options = ["--noprofile", "--norc"] if is_bash else []
        output, theirs = os.pipe()
        try:
            process = subprocess.Popen(
                [*self.shell, *options, "-c", call.text, "bash" if is_bash else "sh"],
                cwd=self.workspace,
                env={**call.env, **variables},
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        return process, output

    def _result(
        self,
        exit_code: int,
        printed: Printed,
        duration: float,
        *,
        note: str = "",
        timed_out: bool = False,
    ) -> CommandResult:
        return CommandResult(
            exit_code=exit_code,
            output=printed.text,
            output_bytes=printed.total_bytes,
            truncated=printed.truncated,
            timed_out=timed_out,
            duration=duration,
            cwd=self.workspace,
            full_output_path=printed.full_path,
            note=note,
        )

    def _keeper(self, limits: Limits) -> OutputKeeper:
        path = self.folder / "records" / f"command-{len(self.scripts):04d}.out"
        return OutputKeeper(path, limits.max_output_chars, None, limits.on_output)

    def _environ(self) -> dict[str, str]:
        return {
            "PATH": f"{PYTHON_FOLDER}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder),
            # The sandbox has a proxy; what listens inside is never asked through it.
            "HTTP_PROXY": "http://127.0.0.1:9",
            "http_proxy": "http://127.0.0.1:9",
            **self.env,
        }


def _inside(folder: Path, *, is_bash: bool) -> Inside:
    return Inside(
        uid=os.geteuid(),
        gid=os.getegid(),
        sh="sh",
        bash="bash" if is_bash else "",
        home=str(folder),
        tmp=str(folder),
        workspace_entries=0,
    )


def _follow(
    process: subprocess.Popen[bytes], output: int, keeper: OutputKeeper, limits: Limits
) -> str:
    """Read until the shell ends, or is ended: why, then; a child may hold the pipe longer."""
    bell, ear = os.pipe()
    waiting = threading.Thread(target=lambda: (process.wait(), os.close(ear)))
    waiting.start()
    os.set_blocking(output, False)
    deadline = time.monotonic() + limits.timeout_s
    reason = ""
    with selectors.DefaultSelector() as selector:
        selector.register(bell, selectors.EVENT_READ)
        selector.register(output, selectors.EVENT_READ)
        while not _has_ended(selector, bell, output, keeper):
            late = time.monotonic() >= deadline
            if not reason and (late or (limits.cancelled and limits.cancelled())):
                reason = "timeout" if late else "cancelled"
                os.killpg(process.pid, signal.SIGKILL)
    waiting.join()
    os.close(bell)
    threading.Thread(target=_drain, args=(output,), daemon=True).start()
    return reason


def _has_ended(
    selector: selectors.BaseSelector, bell: int, output: int, keeper: OutputKeeper
) -> bool:
    """Take what is there; after the shell's end one read takes all that a pipe holds."""
    ready = {key.fd for key, _ in selector.select(TICK_S)}
    if ready:
        with contextlib.suppress(BlockingIOError):
            data = os.read(output, PIPE_BYTES)
            keeper.write(data)
            if not data and output in ready:
                selector.unregister(output)
    return bell in ready


def _drain(output: int) -> None:
    """Take what children print later, so that none of them is ended by it."""
    os.set_blocking(output, True)
    while os.read(output, PIPE_BYTES):
        pass
    os.close(output)
