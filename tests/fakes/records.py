"""Results folders opened, refused and joined, as tests ask for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes.results_folders import Made, key_of, made_of
from quickstarted.console.tables import suite_markdown
from quickstarted.errors import UsageError
from quickstarted.records import Folder, Opening, open_folder
from quickstarted.records.lock import LOCK_NAME
from quickstarted.records.merge import Merge, Merged, merge

TWO_TASKS = made_of(
    [key_of(number, task=task) for number in (1, 2) for task in ("flask", "django")]
)
"""Four attempts, in the order in which a call begins them."""
THREE_EACH = made_of(
    [key_of(number, task=task) for number in (1, 2, 3) for task in ("flask", "django")]
)
"""Six attempts."""


def opened(out: Path, plans: Sequence[Made] = TWO_TASKS, **fields: Any) -> Folder[Made]:
    """What the folder says once it is open."""
    usual = {"run_id": "r2", "backend": "docker", "nested": True, "resume": True}
    with open_folder(Opening(out=out, plans=plans, **(usual | fields))) as folder:
        return folder


def below(out: Path) -> list[str]:
    """Folders with traces."""
    return sorted(path.parent.relative_to(out).as_posix() for path in out.rglob("trace.jsonl"))


def contents(out: Path) -> dict[str, bytes]:
    """All files but the lock, which every call takes and leaves."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != LOCK_NAME
    }


def refused(out: Path, plans: Sequence[Made], **fields: Any) -> str:
    """What a call is told that may not go on with what is there; it has touched nothing."""
    before = contents(out)
    with pytest.raises(UsageError) as caught:
        opened(out, plans, **fields)
    assert before == contents(out)
    assert caught.value.exit_code == 3
    return caught.value.message


def joined(folders: Sequence[Path], out: Path, **fields: Any) -> Merged:
    """The folders, joined."""
    return merge(Merge(folders=folders, out=out, run_id="m", **fields), suite_markdown)


def not_joined(folders: Sequence[Path], out: Path, **fields: Any) -> str:
    """What is said of folders that cannot be joined."""
    with pytest.raises(UsageError) as caught:
        joined(folders, out, **fields)
    assert not (out / "results.json").exists()
    return caught.value.message


VOLATILE = frozenset(
    {"created", "started", "run_id", "duration_seconds", "waited_seconds", "seconds"}
)
"""What two runs of the same never have in common."""


def steady(out: Path) -> Any:
    """`results.json` without that."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(one) for name, one in value.items() if name not in VOLATILE}
        return [without(one) for one in value] if isinstance(value, list) else value

    return without(json.loads((out / "results.json").read_bytes()))
