"""Results folders on a disk that becomes full; a small file system of its own stands for it."""

import errno
import json
import os
import subprocess
from contextlib import suppress

import pytest

from fakes.results_folders import key_of, made_of, write_shards
from quickstarted.console.tables import suite_markdown
from quickstarted.errors import StorageFault
from quickstarted.records.merge import Merge, merge
from quickstarted.results import ResultsDir, suite_result

pytestmark = pytest.mark.docker

PLANS = made_of(
    [key_of(number, task=task) for number in (1, 2, 3) for task in ("flask", "django")],
    commands=30,
)


@pytest.fixture(name="disk")
def _disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_merge_leaves_no_half_attempt_and_the_next_one_goes_on(tmp_path, disk):
    wanted = Merge(folders=write_shards(tmp_path, PLANS, 2), out=disk / "out", run_id="m")
    with pytest.raises(StorageFault) as caught:
        merge(wanted, suite_markdown)

    assert os.strerror(errno.ENOSPC) in caught.value.message
    there = sorted(path.parent for path in disk.rglob("trace.jsonl"))
    assert 0 < len(there) < len(PLANS)
    assert all((path / "result.json").exists() for path in there)
    assert not (disk / "out/.merging").exists()
    assert not (disk / "out/results.json").exists()

    inodes = {path: path.stat().st_ino for path in there}
    subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
    assert len(merge(wanted, suite_markdown).suite.runs) == len(PLANS)
    assert inodes == {path: path.stat().st_ino for path in there}


def test_tables_that_cannot_be_written_leave_the_older_ones_and_results_of_attempts(disk):
    results = ResultsDir(disk, nested=True)
    attempt = PLANS[0].write(disk)
    results.write_suite(suite_result([PLANS[0].result("x")], created=1.0), "older")
    _fill(disk / "other")
    suite = suite_result([one.result("x") for one in PLANS], created=2.0)
    with pytest.raises(StorageFault, match="Free some disk space"):
        results.write_suite(suite, "newer")
    with pytest.raises(StorageFault, match="Free some disk space"):
        attempt.write_result(
            PLANS[0].result("x").model_copy(update={"metadata": {"a": "b" * 9999}})
        )

    assert 1.0 == json.loads((disk / "results.json").read_bytes())["created"]
    assert PLANS[0].result() == type(PLANS[0].result()).model_validate_json(
        attempt.result.read_bytes()
    )
    assert ["flask", "other", "results.json", "suite.md"] == sorted(
        path.name for path in disk.iterdir()
    )


def _fill(path):
    """Take all there is."""
    with path.open("wb", buffering=0) as stream, suppress(OSError):
        while True:
            stream.write(bytes(4096))
