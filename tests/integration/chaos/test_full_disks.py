"""A disk that becomes full at the worst moments; with room again, a call is gone on with."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress

import pytest

from fakes.program import write_task
from fakes.suites import RUN_ID, Notes, make_suite
from quickstarted.agents.replay import ReplayAgent
from quickstarted.errors import StorageFault
from quickstarted.plan import AttemptPlan
from quickstarted.suite import Floors, Room, SuiteOptions
from quickstarted.task import load_task
from quickstarted.verdict import PASSED

pytestmark = pytest.mark.docker

PAGE_BYTES = 4096
"""What a file takes at least on such a disk."""
NO_FLOOR = Room(folders=(), floors=Floors(disk_bytes=0, memory_bytes=0))
ATTEMPTS = 4


class Filling(Notes):
    """Fills the disk at the moment that is called so, in the attempt of that number."""

    def __init__(self, disk, moment, attempt, pages_left):
        super().__init__()
        self.filler = disk / "other"
        self._at = (moment, attempt)
        self._pages_left = pages_left

    def heard(self, plan, event):
        super().heard(plan, event)
        self._come_to(event.type, plan)

    def phase(self, plan, phase):
        super().phase(plan, phase)
        self._come_to(phase, plan)

    def ended(self, plan, folder, result):
        super().ended(plan, folder, result)
        self._come_to("ended", plan)

    def _come_to(self, moment, plan):
        if self._at != (moment, plan.attempt):
            return
        with self.filler.open("wb", buffering=0) as stream:
            with suppress(OSError):
                while stream.write(bytes(PAGE_BYTES)):
                    pass
            stream.truncate(stream.tell() - self._pages_left * PAGE_BYTES)


@pytest.fixture(name="plans")
def _plans(tmp_path):
    body = "replay: [echo hello]\nsuccess: {expect_output: {contains: hello}}\n"
    task = load_task(write_task(tmp_path, body))
    return [
        AttemptPlan(task=task, agent=ReplayAgent(), attempt=number, run_id=RUN_ID)
        for number in range(1, ATTEMPTS + 1)
    ]


@pytest.fixture(name="disk")
def _disk(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize(
    ("where", "counted"),
    [
        # The second one begins while the first is judged.
        pytest.param(("opening", 2, 0), {0, 1}, id="the trace, at its beginning"),
        pytest.param(("tool_call", 2, 0), {1}, id="the trace, in the middle"),
        pytest.param(("success_check", 2, 0), {1}, id="the trace, at its end"),
        pytest.param(("run_end", 2, 0), {1}, id="run.json"),
        pytest.param(("run_end", 2, 1), {1}, id="report.md"),
        pytest.param(("ended", 2, 0), {1}, id="result.json"),
        pytest.param(("ended", ATTEMPTS, 1), {ATTEMPTS}, id="results.json"),
        pytest.param(("ended", ATTEMPTS, 3), {ATTEMPTS}, id="suite.md"),
    ],
)
def test_what_counts_is_whole_and_the_rest_is_made_once_there_is_room(
    plans, tmp_path, disk, where, counted
):
    watcher = Filling(disk, *where)
    with pytest.raises(StorageFault, match="No space left on device"):
        make_suite(plans, tmp_path, SuiteOptions(), watcher=watcher, room=NO_FLOOR)
    whole = {path: path.read_text() for path in disk.rglob("result.json")}
    half = [path.name for path in disk.rglob("*.tmp")]
    watcher.filler.unlink()
    made = make_suite(plans, tmp_path, SuiteOptions(), room=NO_FLOOR, resume=True)

    counting = [json.loads(one) for one in whole.values()]
    assert len(counting) in counted
    assert {"passed"} >= {one["classification"] for one in counting}
    assert [] == half
    assert whole == {path: path.read_text() for path in whole}
    assert [PASSED] * ATTEMPTS == [run.classification for run in made.suite.runs]
    assert ATTEMPTS == len(json.loads((disk / "results.json").read_text())["runs"])
    again = {key.attempt for key in made.watcher.begun_keys}
    assert not again & {one["attempt"] for one in counting}
