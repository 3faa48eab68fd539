"""The README works by pasting."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quickstarted.resources import tasks_dir

pytestmark = pytest.mark.docker

README = tasks_dir().parent / "README.md"


def pasted(heading: str) -> str:
    """The first shell block below *heading*."""
    section = README.read_text().split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert block
    return block[1]


def paste(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-ec", script],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_task_passes_as_pasted_and_fails_as_shown(tmp_path):
    first = paste(pasted("Your first task"), tmp_path)

    assert 0 == first.returncode, first.stdout + first.stderr
    assert "[PASS] hello" in first.stdout

    task = tmp_path / "tasks" / "hello.yaml"
    task.write_text(task.read_text().replace("pip install cowsay", "pip install cowsays"))
    second = paste("quickstarted run tasks/hello.yaml", tmp_path)

    assert 1 == second.returncode
    shown = README.read_text().split("\n[FAIL docs_gap] hello", 1)[1].split("```", 1)[0]
    assert shown.splitlines()[1:] == second.stdout.splitlines()[1:]
