"""What comes out of an archive is in its folder, bounded, and nothing but files and folders."""

from __future__ import annotations

import io
import os
import tarfile

import pytest

from quickstarted.cluster.archives import ArchiveRefused, pack, unpack
from quickstarted.contents import content_hash


def archive(*members):
    """A compressed tar of (name, type, content or target)."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if kind == tarfile.REGTYPE:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
            else:
                member.linkname = content
                tar.addfile(member)
    made.seek(0)
    return made


FILE, LINK = tarfile.REGTYPE, tarfile.SYMTYPE
BAD = {
    "upwards": [("../escaped", FILE, b"x")],
    "upwards inside": [("a/../../escaped", FILE, b"x")],
    "absolute": [("/tmp/qr-escaped", FILE, b"x")],
    "nowhere": [(".", FILE, b"x")],
    "link": [("a", LINK, "/etc/passwd")],
    "hard link": [("a", FILE, b"x"), ("b", tarfile.LNKTYPE, "a")],
    "device": [("a", tarfile.CHRTYPE, "")],
    "pipe": [("a", tarfile.FIFOTYPE, "")],
    "twice": [("a", FILE, b"x"), ("a", FILE, b"y")],
    "file as folder": [("a", tarfile.DIRTYPE, ""), ("a", FILE, b"y")],
    "too large": [("a", FILE, b"x" * 600), ("b", FILE, b"x" * 600)],
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_plain_folder_is_refused_and_writes_nothing_elsewhere(name, tmp_path):
    into = tmp_path / "into"
    into.mkdir()

    with pytest.raises(ArchiveRefused):
        unpack(archive(*BAD[name]), into, max_bytes=1000)

    assert [into] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "members",
    [
        [("out", LINK, ".."), ("out/escaped", FILE, b"x")],
        [("out", LINK, "/tmp"), ("out", tarfile.DIRTYPE, "")],
        [("a", FILE, b"x"), ("a", LINK, "..")],
    ],
)
def test_nothing_is_written_through_a_link(members, tmp_path):
    into = tmp_path / "into"
    into.mkdir()

    with pytest.raises(ArchiveRefused):
        unpack(archive(*members), into, links=True)

    assert [into] == list(tmp_path.iterdir())


@pytest.mark.parametrize("cut", [0, 1, 20, 2500])
def test_a_damaged_archive_is_refused(cut, tmp_path):
    whole = archive(("a", FILE, os.urandom(5000))).getvalue()

    with pytest.raises(ArchiveRefused):
        unpack(io.BytesIO(whole[:cut]), tmp_path)


def test_a_folder_comes_back_as_it_was(tmp_path):
    folder, into = tmp_path / "folder", tmp_path / "into"
    (folder / "deep" / "empty").mkdir(parents=True)
    into.mkdir()
    (folder / "deep" / "data ü\udcff").write_bytes(os.urandom(3000))
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("deep/nowhere")
    packed = io.BytesIO()

    pack(folder, packed)
    packed.seek(0)
    unpack(packed, into, links=True)

    assert content_hash(folder) == content_hash(into)
    assert (folder / "run.sh").stat().st_mode == (into / "run.sh").stat().st_mode


def test_a_folder_that_is_too_large_is_not_packed(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 1001)

    with pytest.raises(ArchiveRefused):
        pack(tmp_path, io.BytesIO(), max_bytes=1000)
