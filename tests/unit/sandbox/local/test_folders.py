"""The folders of attempts: whose they are, and that all of one goes."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from quickstarted.errors import UsageError
from quickstarted.sandbox.local.folders import (
    BASE_VARIABLE,
    AttemptFolder,
    base_folder,
    copy_tree,
    make_folder,
    read_labels,
    remove_folder,
)


def test_the_base_is_the_callers_own_and_nobody_elses(tmp_path):
    base = base_folder({BASE_VARIABLE: str(tmp_path / "deep" / "er")})

    assert tmp_path / "deep" / "er" == base
    assert 0o700 == stat.S_IMODE(base.stat().st_mode)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_base_that_others_may_write_to_is_refused(tmp_path, mode):
    tmp_path.chmod(mode)

    with pytest.raises(UsageError, match="is not a folder that only you") as caught:
        base_folder({BASE_VARIABLE: str(tmp_path)})

    assert BASE_VARIABLE in caught.value.hint


def test_a_base_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match="cannot be made"):
        base_folder({BASE_VARIABLE: str(tmp_path / "file" / "base")})


def test_a_folder_has_its_labels_and_a_name_of_its_own(tmp_path):
    first, second = (make_folder(tmp_path, {"a": "b"}) for _ in range(2))

    assert first != second
    assert {"a": "b"} == read_labels(first) == AttemptFolder(first).labels
    assert sorted([first, second]) == sorted(tmp_path.iterdir())


def test_of_many_who_want_the_same_place_one_gets_it(tmp_path):
    def make(_):
        try:
            return make_folder(tmp_path, {"a": "b"}, root=tmp_path / "wanted")
        except OSError:
            return None

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, range(8)))

    assert [tmp_path / "wanted"] == [one for one in made if one]
    assert [tmp_path / "wanted"] == list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "{", "[]", "[1]", "5", "null", "\xff"])
def test_labels_that_cannot_be_read_are_none(tmp_path, text):
    (tmp_path / "labels.json").write_text(text, encoding="latin-1")

    assert {} == read_labels(tmp_path)
    assert {} == read_labels(tmp_path / "nowhere")


def test_what_programs_made_read_only_is_removed_and_what_links_mean_stays(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    root = tmp_path / "root"
    (root / "cache" / "deep").mkdir(parents=True)
    (root / "cache" / "deep" / "file").touch(mode=0o400)
    (root / "link").symlink_to(outside)
    for path in (root / "cache" / "deep", root / "cache"):
        path.chmod(0o500)

    remove_folder(root)
    remove_folder(root)

    assert not root.exists()
    assert 0o500 == stat.S_IMODE(outside.stat().st_mode)


def test_what_cannot_be_removed_still_says_whose_it_is(tmp_path):
    root = make_folder(tmp_path, {"a": "b"})
    for name in ("busy", "other", "zoo"):
        (root / name).mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", root / "busy"], check=True)
    try:
        with pytest.raises(OSError, match="busy"):
            remove_folder(root)
        assert {"a": "b"} == read_labels(root)
    finally:
        subprocess.run(["umount", root / "busy"], check=True)
    remove_folder(root)
    assert not root.exists()


def test_a_copy_has_files_modes_and_links_and_no_pipes_or_sockets(tmp_path):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "run").write_text("x")
    (source / "sub" / "run").chmod(0o751)
    (source / "gone").symlink_to("/nowhere/at/all")
    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(source / "sub" / "socket"))
        copy_tree(source, tmp_path / "target")
    copied = tmp_path / "target"

    assert ["gone", "sub", "sub/run"] == sorted(
        str(path.relative_to(copied)) for path in copied.rglob("*")
    )
    assert 0o751 == stat.S_IMODE((copied / "sub" / "run").stat().st_mode)
    assert "/nowhere/at/all" == str((copied / "gone").readlink())
