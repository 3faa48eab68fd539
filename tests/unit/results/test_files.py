import errno
import os
from pathlib import Path

import pytest

from quickstarted.errors import StorageFault
from quickstarted.results.files import (
    make_folder,
    replacing,
    storage_fault,
    sync_files,
    write_text,
)


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old and longer than the new one")
    write_text(path, "new é\udcff")

    assert path.read_text(encoding="utf-8") == "new é\\udcff"
    assert [path] == list(tmp_path.iterdir())


def test_while_it_is_written_the_old_file_is_there(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old")
    with replacing(path) as stream:
        stream.write(b"new")
        stream.flush()

        assert path.read_text() == "old"


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("old")

    def write_half() -> None:
        with replacing(path) as stream:
            stream.write(b"half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_half()

    assert path.read_text() == "old"
    assert [path] == list(tmp_path.iterdir())


def test_a_full_disk_is_a_storage_fault_that_says_what_to_do():
    with pytest.raises(StorageFault) as caught:
        write_text(Path("/dev/full") / "results.json", "x")

    assert caught.value.message.startswith("cannot write /dev/full/results.json: ")


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "Free some disk space"),
        (errno.EDQUOT, "Free some disk space"),
        (errno.EIO, "The disk fails"),
        (errno.EEXIST, "Another run writes"),
        (errno.EACCES, "Give another folder"),
    ],
)
def test_every_cause_has_its_hint(number, hint):
    fault = storage_fault(Path("a/trace.jsonl"), OSError(number, os.strerror(number)))

    assert f"cannot write a/trace.jsonl: {os.strerror(number)}" == fault.message
    assert fault.hint.startswith(hint)


def test_a_folder_is_made_with_all_that_is_above_it_and_may_be_there(tmp_path):
    for _ in range(2):
        make_folder(tmp_path / "a/b/c")

    assert (tmp_path / "a/b/c").is_dir()


def test_a_folder_that_cannot_be_made_is_a_storage_fault(tmp_path):
    (tmp_path / "a").touch()
    with pytest.raises(StorageFault, match="cannot write"):
        make_folder(tmp_path / "a/b")


def test_whatever_is_in_a_folder_can_be_put_on_disk(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/file").write_text("a")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("nowhere")
    for folder in (tmp_path, tmp_path / "none"):
        sync_files(folder)

    assert (tmp_path / "deep/file").read_text() == "a"
