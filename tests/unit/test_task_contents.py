"""Workspace and local sites of a task are the same for all attempts of a call."""

import shutil

import pytest

from fakes.program import write_task
from quickstarted.errors import SourceFault, UsageError
from quickstarted.task import load_task
from quickstarted.task.access import Site
from quickstarted.task_contents import TaskContents

BODY = "workspace: start\nsuccess: {file: check.sh}\n"
PREFIX = "https://docs.example/"


@pytest.fixture(name="contents")
def _contents(tmp_path):
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "file").write_text("start")
    (tmp_path / "check.sh").write_text("true\n")
    task = load_task(write_task(tmp_path, BODY))
    previews = {**task.docs.sites, "https://b.example/": Site(url="https://preview.example/")}
    docs = task.docs.model_copy(update={"sites": previews})
    return TaskContents(task.model_copy(update={"docs": docs}))


def test_what_has_not_changed_passes_and_nothing_is_told(contents):
    told = []
    contents.check(told.append)
    contents.check_sites()

    assert [] == told
    assert {PREFIX} == set(contents.site_hashes)
    assert contents.workspace_hash.startswith("sha256:")


def test_a_workspace_that_was_edited_ends_the_attempt(contents, tmp_path):
    (tmp_path / "start" / "file").write_text("other")
    with pytest.raises(SourceFault) as caught:
        contents.check(print)

    assert f"the workspace, {tmp_path / 'start'}, has changed since the call began" == (
        caught.value.message
    )
    contents.check_sites()


def test_a_site_that_was_edited_ends_the_attempt(contents, tmp_path):
    (tmp_path / "site" / "new").touch()
    with pytest.raises(SourceFault, match=f"the site for {PREFIX}, .* has changed"):
        contents.check_sites()


@pytest.mark.parametrize("name", ["start", "site"])
def test_a_folder_that_is_gone_ends_the_attempt(contents, tmp_path, name):
    shutil.rmtree(tmp_path / name)
    with pytest.raises(SourceFault, match="cannot be read any more: No such file"):
        contents.check(print)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("task.yaml", "has changed; the call goes on with the text it has read"),
        ("check.sh", "has changed; the call goes on with the check it has read"),
    ],
)
@pytest.mark.parametrize("change", ["edited", "gone", "not UTF-8"])
def test_a_file_that_has_changed_is_told_of_once(contents, tmp_path, name, said, change):
    path = next(iter(tmp_path.glob("*.yaml"))) if name == "task.yaml" else tmp_path / name
    if change == "gone":
        path.unlink()
    else:
        path.write_bytes(b"other" if change == "edited" else b"\xff")
    told = []
    for _ in range(3):
        contents.check(told.append)

    assert [f"{path} {said}"] == told


def test_a_folder_that_cannot_be_read_is_refused_before_any_attempt(tmp_path):
    (tmp_path / "start").mkdir()
    (tmp_path / "check.sh").write_text("true\n")
    task = load_task(write_task(tmp_path, BODY))
    (tmp_path / "start").rmdir()
    with pytest.raises(UsageError, match=r"the workspace cannot be read: .*No such file"):
        TaskContents(task)


def test_a_task_without_workspace_has_no_digest_of_one(tmp_path):
    contents = TaskContents(load_task(write_task(tmp_path, "success: {script: 'true'}\n")))
    contents.check(print)

    assert contents.workspace_hash is None
