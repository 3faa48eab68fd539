"""A kept folder comes back where it was, or beside it."""

from __future__ import annotations

import time

import pytest

from quickstarted.errors import ImageFault, SandboxFault
from quickstarted.sandbox.local.folders import AttemptFolder, make_folder, remove_folder
from quickstarted.sandbox.local.keep import is_kept, restore, save

OWN = {"own": "labels"}


@pytest.fixture(name="folder")
def _folder(tmp_path):
    folder = AttemptFolder(make_folder(tmp_path, OWN))
    for place in (folder.workspace, folder.state, folder.home, folder.tmp):
        place.mkdir()
        (place / "file").write_text(place.name)
    return folder


def test_all_but_the_harness_own_is_kept(tmp_path, folder):
    kept = save(tmp_path, folder, "run 1/x", 60)
    remove_folder(folder.root)
    again = restore(tmp_path, kept.image, OWN)

    assert folder.root == again.root
    assert OWN == again.labels
    assert "workspace" == (again.workspace / "file").read_text()
    assert not again.state.exists()
    assert is_kept(kept.image)
    assert 50 < kept.expires - time.time() < 61


def test_where_the_place_is_taken_the_copy_is_beside_it(tmp_path, folder):
    kept = save(tmp_path, folder, "run", 60)
    again = restore(tmp_path, kept.image, OWN)

    assert folder.root != again.root
    assert "home" == (again.home / "file").read_text()


@pytest.mark.parametrize(
    "image",
    [
        "python:3.13-slim",
        "local:kept-",
        "local:kept-../../etc",
        "local:attempt-1",
        "kept-1",
        "local:kept-a\n",
        "xlocal:kept-a",
    ],
)
def test_other_names_are_images(image):
    assert not is_kept(image)


def test_what_is_not_there_is_said(tmp_path, folder):
    with pytest.raises(ImageFault, match="local:kept-x is not in") as caught:
        restore(tmp_path, "local:kept-x", OWN)
    remove_folder(folder.root)
    with pytest.raises(SandboxFault, match="is gone"):
        save(tmp_path, folder, "run", 60)

    assert "--keep-sandbox" in caught.value.hint
