from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quickstarted.errors import TaskInvalid
from quickstarted.task import Task, load_task

HEAD = "name: x\ngoal: do it\n"
DOCS = "docs:\n  entrypoint: https://docs.example/\n"
SUCCESS = "success:\n  script: python app.py\n"


@pytest.fixture(name="write")
def _write(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "x.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.fixture(name="load")
def _load(write: Callable[[str], Path]) -> Callable[..., Task]:
    """A task out of its unusual parts; docs and success are filled in where they are not given."""

    def load(extra: str = "", *, docs: str = DOCS, success: str = SUCCESS) -> Task:
        return load_task(write(HEAD + docs + success + extra))

    return load


@pytest.fixture(name="problems")
def _problems(write: Callable[[str | bytes], Path]) -> Callable[[str | bytes], list[str]]:
    """What is wrong with a file, without its path in front."""

    def problems(text: str | bytes) -> list[str]:
        path = write(text)
        with pytest.raises(TaskInvalid) as caught:
            load_task(path)
        prefix = f"{path}:"
        assert all(problem.startswith(prefix) for problem in caught.value.problems)
        return [problem.removeprefix(prefix).strip() for problem in caught.value.problems]

    return problems


@pytest.fixture(name="document")
def _document() -> Callable[..., dict[str, Any]]:
    """A small valid document; `a__b=1` sets `a.b`, `...` removes a key."""

    def document(**changes: Any) -> dict[str, Any]:
        result: dict[str, Any] = {
            "name": "x",
            "goal": "do it",
            "docs": {"entrypoint": "https://docs.example/"},
            "success": {"script": "python app.py"},
        }
        for dotted, value in changes.items():
            *parents, last = dotted.split("__")
            part = result
            for parent in parents:
                part = part.setdefault(parent, {})
            if value is ...:
                del part[last]
            else:
                part[last] = value
        return result

    return document
