"""A place to run checks in without an engine: this machine's shells, a folder as the workspace."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from quickstarted.events import CommandResult
from quickstarted.sandbox.protocol import CHECK_OUTPUT_PATH, Limits

SHELLS = {
    "bash": ["bash"],
    "dash": ["dash"] if shutil.which("dash") else ["sh"],
    **({"busybox": ["busybox", "sh"]} if shutil.which("busybox") else {}),
}
"""Every shell of this machine that checks are meant to run in."""

PYTHON_FOLDER = Path(sys.executable).resolve().parent


@dataclass
class ShellSandbox:
    """`run_clean`, `put_file` and what they need of `Sandbox`; paths below `/` are in `folder`."""

    folder: Path
    shell: list[str] = field(default_factory=lambda: SHELLS["bash"])
    env: dict[str, str] = field(default_factory=dict)
    scripts: list[str] = field(default_factory=list)
    """What was run, in order."""
    files: dict[str, bytes] = field(default_factory=dict)
    """What was put, by the path that was asked for."""

    @property
    def workspace(self):
        path = self.folder / "workspace"
        path.mkdir(exist_ok=True)
        return path

    def put_file(self, path, content, *, mode=0o644):
        self.files[path] = content
        place = self.folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(mode)

    def run_clean(self, script, limits: Limits, *, env=None, root=False):
        self.scripts.append(script)
        here = script.replace(CHECK_OUTPUT_PATH, str(self.folder) + CHECK_OUTPUT_PATH)
        command = [*self.shell, "-c", 'eval "$SCRIPT_TEXT"']
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=self.workspace,
            env={**self._environ(), **(env or {}), "SCRIPT_TEXT": here},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=limits.timeout_s)
            code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            printed, _ = process.communicate()
            code = 124
        return CommandResult(
            exit_code=code,
            output=printed.decode("utf-8", "replace"),
            output_bytes=len(printed),
            timed_out=code == 124,
            duration=time.monotonic() - started,
        )

    def _environ(self):
        return {
            "PATH": f"{PYTHON_FOLDER}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder),
            # The sandbox has a proxy; what listens inside is never asked through it.
            "HTTP_PROXY": "http://127.0.0.1:9",
            "http_proxy": "http://127.0.0.1:9",
            **self.env,
        }
