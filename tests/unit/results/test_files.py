import errno
import os
from pathlib import Path

import pytest

from quickstarted.errors import StorageFault
from quickstarted.results.files import replacing, storage_fault, write_text


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
