"""One digest for all that a folder holds, read again only where something may have changed."""

import hashlib
import os
import time

import pytest

from quickstarted import contents
from quickstarted.contents import FolderDigests, content_hash, is_empty


@pytest.fixture(name="folder")
def _folder(tmp_path):
    """A site as it was built an hour ago."""
    folder = tmp_path / "site"
    (folder / "guide").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Start</h1>")
    (folder / "guide" / "install.html").write_text("<h1>Install</h1>")
    return folder


@pytest.fixture(name="digests")
def _digests():
    """Takes every change for long past."""
    return FolderDigests(settled_s=-60)


def reads(digests, folder):
    """Whether the folder is read for its digest, three times over."""
    counts = []
    for _ in range(3):
        digests.of(folder)
        counts.append(digests.reads)
    return counts


def test_a_folder_that_has_not_changed_is_not_read_again(folder, digests):
    assert [1, 1, 1] == reads(digests, folder)


def test_a_folder_that_changed_a_moment_ago_is_read_again(folder):
    assert [1, 2, 3] == reads(FolderDigests(), folder)


def test_a_change_is_seen_though_size_and_time_are_as_before(folder, digests):
    file = folder / "index.html"
    before, times = digests.of(folder), file.stat()
    file.write_text("<h1>Stop!</h1>")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert times.st_size == file.stat().st_size
    assert before != digests.of(folder)


def test_a_file_that_was_touched_is_read_again_and_is_the_same(folder, digests):
    before = digests.of(folder)
    os.utime(folder / "index.html", (1, 1))

    assert (before, 2) == (digests.of(folder), digests.reads)


def test_a_large_file_counts_to_its_end(folder):
    large = folder / "large"
    large.write_bytes(bytes(3 * contents.PIECE_BYTES))
    before = content_hash(folder)
    with large.open("r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        stream.write(b"x")

    assert before != content_hash(folder)


def test_the_digest_is_that_of_names_kinds_and_contents_with_their_lengths(tmp_path):
    (tmp_path / "a").write_bytes(b"xy")
    parts = (b"a", b"file", b"xy")
    digest = hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts))

    assert f"sha256:{digest.hexdigest()}" == content_hash(tmp_path)


def test_results_that_are_written_into_a_site_are_no_part_of_it(folder):
    before = content_hash(folder)
    (folder / "results" / "flask").mkdir(parents=True)
    (folder / "results" / "call.json").write_text("{}")
    (folder / "results" / "flask" / "trace.jsonl").write_text("{}")

    assert before == content_hash(folder)


def test_pipes_and_sockets_are_left_out(folder):
    before = content_hash(folder)
    os.mkfifo(folder / "pipe")

    assert before == content_hash(folder)


def test_names_may_be_any_bytes(folder):
    name = os.fsdecode(b"caf\xe9")
    (folder / name).write_text("a")

    assert content_hash(folder) == content_hash(folder)


def test_a_folder_that_is_gone_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        content_hash(tmp_path / "gone")


def test_a_folder_with_nothing_that_could_be_copied_is_empty(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert is_empty(tmp_path)
    (tmp_path / "file").touch()
    assert not is_empty(tmp_path)


def test_a_clock_that_was_set_back_means_reading_again(folder, digests):
    later = time.time() + 3600
    os.utime(folder / "index.html", (later, later))

    assert [1, 2, 3] == reads(digests, folder)
