"""Files go below the attempt's own places, wherever links lead."""

from __future__ import annotations

import os
import stat

import psutil
import pytest

from quickstarted.errors import SandboxFault, StorageFault
from quickstarted.sandbox.local.files import get_file, put_file, put_tree
from quickstarted.sandbox.local.folders import AttemptFolder


@pytest.fixture(name="folder")
def _folder(tmp_path):
    folder = AttemptFolder(tmp_path / "attempt")
    for place in (folder.workspace, folder.state, folder.home):
        place.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("place", "written"),
    [
        ("workspace/a/b", "workspace/a/b"),
        ("state/a", "state/a"),
        ("workspace/x/../b", "workspace/b"),
    ],
)
def test_a_file_is_written_below_workspace_and_state(folder, place, written):
    put_file(folder, str(folder.root / place), b"x", 0o640)

    assert b"x" == (folder.root / written).read_bytes()
    assert 0o640 == stat.S_IMODE((folder.root / written).stat().st_mode)
    assert [] == list(folder.root.rglob(".*"))


@pytest.mark.parametrize("place", ["home/a", "workspace/../home/a", "../a", "workspacex/a"])
def test_a_file_anywhere_else_is_a_fault(folder, place):
    with pytest.raises(SandboxFault, match="neither in the workspace"):
        put_file(folder, str(folder.root / place), b"x", 0o644)

    assert [] == list(folder.home.iterdir())


def test_a_link_is_replaced_and_a_linked_folder_is_not_entered(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("old")
    (folder.workspace / "file").symlink_to(secret)
    (folder.workspace / "away").symlink_to(tmp_path)

    put_file(folder, str(folder.workspace / "file"), b"new", 0o600)
    with pytest.raises(SandboxFault, match="neither"):
        put_file(folder, str(folder.workspace / "away" / "secret"), b"new", 0o600)

    assert "old" == secret.read_text()
    assert b"new" == (folder.workspace / "file").read_bytes()
    assert 0o600 == stat.S_IMODE((folder.workspace / "file").lstat().st_mode)


def test_what_cannot_be_written_is_a_fault_and_leaves_nothing(folder):
    (folder.workspace / "file").mkdir()

    with pytest.raises(SandboxFault, match="writing"):
        put_file(folder, str(folder.workspace / "file"), b"x", 0o644)

    assert [folder.workspace / "file"] == list(folder.workspace.iterdir())


def test_a_tree_that_is_not_there_is_a_fault_of_the_hosts(folder, tmp_path):
    with pytest.raises(StorageFault, match="copying"):
        put_tree(folder, tmp_path / "nowhere", str(folder.workspace))
    with pytest.raises(SandboxFault, match="neither"):
        put_tree(folder, tmp_path, str(folder.home))


def test_reading_never_waits_for_a_pipe(folder):
    os.mkfifo(folder.workspace / "pipe")

    assert b"" == get_file(str(folder.workspace / "pipe"), 10)


def test_a_folder_that_is_read_as_a_file_is_empty_and_stays_open_nowhere(folder):
    before = psutil.Process().num_fds()

    assert b"" == get_file(str(folder.workspace), 10)
    assert before == psutil.Process().num_fds()
