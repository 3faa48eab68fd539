from pathlib import Path

import pytest

from quickstarted.errors import UsageError
from quickstarted.task import find_tasks


@pytest.fixture(autouse=True)
def _tree(tmp_path, monkeypatch):
    for name in ("tasks/b.yaml", "tasks/a.yml", "tasks/deep/c.yaml", "tasks/README.md", "d.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], ["tasks/a.yml", "tasks/b.yaml"]),
        (["tasks"], ["tasks/a.yml", "tasks/b.yaml"]),
        (["d.yaml", "tasks/"], ["d.yaml", "tasks/a.yml", "tasks/b.yaml"]),
        (["tasks/*.yaml"], ["tasks/b.yaml"]),
        (["tasks/**/*.yaml"], ["tasks/b.yaml", "tasks/deep/c.yaml"]),
        (["tasks/b.yaml", "tasks/b.yaml", "tasks"], ["tasks/b.yaml", "tasks/a.yml"]),
        (["tasks/README.md"], ["tasks/README.md"]),
        (["tasks/*"], ["tasks/a.yml", "tasks/b.yaml"]),
    ],
)
def test_files_folders_and_globs_mean_task_files(args, expected):
    assert [Path(name) for name in expected] == find_tasks(args)


@pytest.mark.parametrize("arg", ["missing.yaml", "empty", "*.toml", "tasks/[", "a\0b"])
def test_an_argument_that_means_no_file_is_named(arg):
    with pytest.raises(UsageError, match="there is no task file at"):
        find_tasks([arg])


def test_a_name_that_no_file_can_have_is_an_error_of_the_call():
    with pytest.raises(UsageError, match="cannot be read: File name too long"):
        find_tasks(["a" * 5000])


def test_without_a_folder_tasks_there_is_a_way_to_start(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path / "empty")

    with pytest.raises(UsageError, match=r"there is no task file in tasks/"):
        find_tasks([])
