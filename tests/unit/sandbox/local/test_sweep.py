"""Which folders go, and that what runs in them goes first."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from quickstarted.sandbox.labels import EXPIRES, OWNER, ROLE, RUN, this_process
from quickstarted.sandbox.local.folders import make_folder
from quickstarted.sandbox.local.processes import MARK
from quickstarted.sandbox.local.sweep import sweep_folders

NOW = 1_800_000_000.0
EARLIER, LATER = str(int(NOW - 10)), str(int(NOW + 10))
ALIVE = str(this_process())
AWAY = "elsewhere/1/1"


def dead():
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    return f"{this_process().host}/{ended.pid}/1"


def marks(owner, expires, role="sandbox"):
    return {RUN: "run-1", OWNER: owner, EXPIRES: expires, ROLE: role}


@pytest.mark.parametrize(
    ("labels", "kept", "goes"),
    [
        (marks(dead(), LATER), False, True),
        (marks(ALIVE, EARLIER), False, False),
        (marks(AWAY, LATER), False, False),
        (marks(AWAY, EARLIER), False, True),
        (marks("", LATER, "kept"), False, False),
        (marks("", LATER, "kept"), True, True),
        (marks("", EARLIER, "kept"), False, True),
    ],
    ids=["dead", "alive", "away", "away too long", "kept", "kept, asked for", "kept too long"],
)
def test_a_folder_goes_when_nobody_can_need_it(tmp_path, labels, kept, goes):
    root = make_folder(tmp_path, labels)

    (dry,) = sweep_folders(tmp_path, now=NOW, dry_run=True, kept=kept)
    stayed = root.exists()
    (swept,) = sweep_folders(tmp_path, now=NOW, kept=kept)

    assert (goes, goes) == (dry.removed, swept.removed)
    assert stayed
    assert goes is not root.exists()
    assert ("folder", root.name, "run-1") == (swept.kind, swept.name, swept.run_id)
    assert dry.why == swept.why != ""


@pytest.mark.parametrize(("age_s", "goes"), [(60, False), (7200, True)])
def test_a_folder_without_labels_may_be_one_that_is_being_made(tmp_path, age_s, goes):
    root = tmp_path / "attempt-1"
    root.mkdir()
    os.utime(root, (NOW - age_s, NOW - age_s))

    (swept,) = sweep_folders(tmp_path, now=NOW)

    assert goes is swept.removed is not root.exists()


KILLED_MAKER = """
import os, sys
from pathlib import Path
from collections import UserDict
from quickstarted.sandbox.local.folders import make_folder
class Labels(UserDict):
    def __iter__(self):
        os.kill(os.getpid(), 9)
make_folder(Path(sys.argv[1]), Labels())
"""


def test_a_folder_whose_maker_was_killed_before_it_had_labels_goes_at_once(tmp_path):
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run([sys.executable, "-c", KILLED_MAKER, tmp_path], env=path, check=False)
    (half,) = tmp_path.iterdir()
    (swept,) = sweep_folders(tmp_path, now=NOW)

    assert -9 == killed.returncode
    assert (True, False) == (swept.removed, half.exists())
    assert "is gone" in swept.why


def test_what_runs_in_a_dead_owners_folder_is_ended(tmp_path):
    root = make_folder(tmp_path, marks(dead(), LATER))
    env = {**os.environ, MARK: str(root)}
    with subprocess.Popen(["sleep", "300"], env=env) as left:
        (swept,) = sweep_folders(tmp_path, now=NOW)
        code = left.wait(10)

    assert (True, -9) == (swept.removed, code)


def test_files_links_and_a_base_that_is_not_there_are_nobodys(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)

    assert [] == sweep_folders(tmp_path, now=NOW) + sweep_folders(tmp_path / "nowhere", now=NOW)
