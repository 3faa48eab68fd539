"""
Copies of the example tasks with a fault in their `replay`, to see that their checks fail.

Waiting for an answer that will not come is cut short in them, so that many faults can be tried.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from examples.cases import Fault, task_of, task_path

WAIT_S = 10


def copy_with_replay(name: str, replay: list[str] | str, folder: Path) -> Path:
    """
    The example *name* in *folder* with *replay* in place of its own.

    Checks, sites and starting projects of the examples come along, so that its paths hold; sites
    outside of the examples are named where they are. Wheels that `make dist` has left stay behind.
    """
    original = task_path(name)
    wheels = shutil.ignore_patterns("*.whl")
    shutil.copytree(original.parent, folder, ignore=wheels, dirs_exist_ok=True)
    path = folder / original.name
    task = yaml.safe_load(path.read_text("utf-8"))
    task["replay"] = replay
    for prefix, site in task_of(name).docs.sites.items():
        task["docs"]["sites"][prefix] = str(site.folder or site.url)
    if "wait_http" in task["success"]:
        task["success"]["wait_http"]["timeout"] = WAIT_S
    path.write_text(yaml.safe_dump(task, sort_keys=False), "utf-8")
    return path


def with_fault(replay: tuple[str, ...], fault: Fault) -> list[str]:
    """
    The commands *replay* with *fault* in them.

    Raises:
        AssertionError: Not exactly one command has the text that the fault names.

    """
    text = fault.leave_out or fault.change or ""
    found = [command for command in replay if text in command]
    assert len(found) == 1, f"{len(found)} commands of replay have this text: {text}"
    if fault.leave_out is not None:
        return [command for command in replay if command != found[0]]
    return [
        command.replace(text, fault.into) if command == found[0] else command for command in replay
    ]
