"""Calls with many attempts, made in the local backend."""

from __future__ import annotations

import itertools
import json
import subprocess
import threading

import pytest

from fakes.suites import Notes, Troubled, engine_gone, make_suite
from quickstarted.errors import StorageFault
from quickstarted.figures import SequentialPlan
from quickstarted.suite import Floors, Room, SuiteOptions
from quickstarted.verdict import HARNESS_ERROR, INFRA_ERROR, PASSED, SKIPPED

SLOW = "replay: ['sleep 0.3']\nsuccess: {script: 'true'}\n"


def test_every_attempt_is_made_and_on_disk(plans, tmp_path):
    made = make_suite(plans(12), tmp_path, SuiteOptions(workers=4))

    assert [PASSED] * 12 == [run.classification for run in made.suite.runs]
    assert list(range(1, 13)) == [run.attempt for run in made.suite.runs]
    assert 12 == made.suite.attempts_planned
    assert made.suite.stopped is None
    for run in made.suite.runs:
        folder = (made.folder / run.trace).parent
        assert {"trace.jsonl", "run.json", "report.md", "result.json"} <= {
            path.name for path in folder.iterdir()
        }
        own = json.loads((folder / "result.json").read_text())
        assert ("trace.jsonl", run.attempt) == (own["trace"], own["attempt"])
    assert 12 == len(json.loads((made.folder / "results.json").read_text())["runs"])


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_sandboxes_are_worked_in_than_there_are_workers(plans, tmp_path, workers):
    watcher = Notes()
    make_suite(plans(8, SLOW), tmp_path, SuiteOptions(workers=workers), watcher=watcher)

    assert workers == watcher.most_working
    assert watcher.most_open > workers  # the next one is made while one is judged


def test_an_attempt_goes_through_its_phases_and_waiting_is_no_work(plans, tmp_path):
    body = "replay: ['true']\nsuccess: {script: 'sleep 1'}\n"
    made = make_suite(plans(2, body), tmp_path, SuiteOptions(workers=1))

    for phases in made.watcher.phases.values():
        assert ["opening", "waiting", "working", "judging"] == phases
    first, second = made.suite.runs
    assert first.waited_seconds < second.waited_seconds


def test_all_cells_advance_together(plans, tmp_path):
    cells = [plans(3, name=name) for name in ("one", "two")]
    interleaved = list(itertools.chain.from_iterable(zip(*cells, strict=True)))
    made = make_suite(interleaved, tmp_path, SuiteOptions(workers=1))

    assert ["one", "two"] * 3 == [key.task for key in made.watcher.begun_keys]


def test_a_fault_of_this_program_is_one_attempts_and_the_others_go_on(plans, tmp_path):
    agent = Troubled(lambda: RuntimeError("a bug"))
    made = make_suite(plans(5, agent=agent), tmp_path, SuiteOptions(workers=2))

    endings = [run.classification for run in made.suite.runs]
    assert (1, 4) == (endings.count(HARNESS_ERROR), endings.count(PASSED))
    (broken,) = [run for run in made.suite.runs if run.classification is HARNESS_ERROR]
    assert "a bug" in broken.fault.error
    crash = (made.folder / broken.trace).with_name("crash.txt").read_text()
    assert "Traceback" in crash
    assert "RuntimeError: a bug" in crash
    assert any("a fault of quickstarted itself" in line for line in made.watcher.lines)


class Broken(Notes):
    """A screen with a fault of its own."""

    def ended(self, plan, folder, result):
        raise RuntimeError("a bug of the screen")


class BrokenRule:
    """A rule with a fault of its own, met as soon as there is a result."""

    def fewest_more(self, so_far):
        if so_far:
            raise RuntimeError("a bug of the rule")
        return 3


@pytest.mark.parametrize(
    ("options", "watcher", "message"),
    [
        pytest.param(SuiteOptions(), Broken(), "a bug of the screen", id="while it is told of"),
        pytest.param(
            SuiteOptions(stop_rule=BrokenRule()), Notes(), "a bug of the rule", id="once it is made"
        ),
    ],
)
def test_a_fault_of_this_program_outside_of_attempts_ends_the_call_and_is_raised(
    plans, tmp_path, options, watcher, message
):
    with pytest.raises(RuntimeError, match=message):
        make_suite(plans(3), tmp_path, options, watcher=watcher)


def test_what_is_lost_to_infrastructure_is_made_again_and_every_try_is_kept(plans, tmp_path):
    agent = Troubled(engine_gone, times=2)
    options = SuiteOptions(workers=1, retries=2, retry_delay_s=0.01)
    made = make_suite(plans(1, agent=agent), tmp_path, options)

    (run,) = made.suite.runs
    assert (PASSED, 3) == (run.classification, run.tries)
    assert [INFRA_ERROR, INFRA_ERROR] == [one.classification for one in run.earlier_tries]
    assert all("engine does not answer" in one.fault.error for one in run.earlier_tries)
    traces = [run.trace, *(one.trace for one in run.earlier_tries)]
    assert 3 == len(set(traces))
    assert all((made.folder / trace).read_text().endswith("\n") for trace in traces)
    assert [1, 1, 1] == [key.attempt for key in made.watcher.begun_keys]
    assert "made again in 0 s (try 2 of 3)" in made.watcher.lines[0]


def test_only_infrastructure_is_tried_again_and_not_for_ever(plans, tmp_path):
    options = SuiteOptions(workers=2, retries=1, retry_delay_s=0.01)
    for agent in (
        Troubled(engine_gone, name="gone", times=2),
        Troubled(lambda: RuntimeError("a bug"), name="broken"),
    ):
        made = make_suite(plans(1, agent=agent), tmp_path, options)
        (run,) = made.suite.runs
        lost = run.classification is INFRA_ERROR
        assert (2 if lost else 1) == run.tries
        assert run.classification in {INFRA_ERROR, HARNESS_ERROR}


def test_without_retries_nothing_is_tried_again(plans, tmp_path):
    made = make_suite(plans(2, agent=Troubled(engine_gone)), tmp_path, SuiteOptions())

    assert [INFRA_ERROR, PASSED] == [run.classification for run in made.suite.runs]
    assert [1, 1] == [run.tries for run in made.suite.runs]


def test_a_limit_holds_attempts_back_and_says_so(plans, tmp_path):
    limited = plans(4, SLOW)
    options = SuiteOptions(workers=4, limits={"docs.example": 1})
    made = make_suite(limited, tmp_path, options)

    assert 1 == made.watcher.most_open
    assert 4 == len(made.suite.runs)
    said = [(hold.attempts, hold.reason) for holds in made.watcher.holds for hold in holds]
    assert (3, "docs.example: 1 at once") in said
    assert [] == made.watcher.holds[-1]


def test_what_a_limit_does_not_concern_overtakes(plans, tmp_path):
    free = Troubled(engine_gone, name="free", times=0)
    mixed = [*plans(2, SLOW), *plans(1, SLOW, agent=free)]
    options = SuiteOptions(workers=2, limits={"replay": 1})
    made = make_suite(mixed, tmp_path, options)

    assert ["replay", "free", "replay"] == [key.agent for key in made.watcher.begun_keys]


def test_without_room_nothing_begins_and_the_call_ends_after_a_while(plans, tmp_path):
    floors = Floors(disk_bytes=1 << 60)
    room = Room(folders=(tmp_path / "not" / "there",), floors=floors, patience_s=0.2)
    made = make_suite(plans(3), tmp_path, SuiteOptions(), room=room)

    assert ([], "no_room") == (made.suite.runs, made.suite.stopped)
    (hold,) = made.watcher.holds[0]
    assert 3 == hold.attempts
    assert "free on the disk of" in hold.reason
    assert "1073741824.0 GiB are kept free" in hold.reason


def test_attempts_that_were_held_back_begin_once_there_is_room_again(plans, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=True)
    try:
        (disk / "full").write_bytes(bytes(6_000_000))
        room = Room(folders=(disk,), floors=Floors(disk_bytes=4_000_000, memory_bytes=0))
        began_when_free = []
        watcher = Notes(on_phase=lambda *_: began_when_free.append(not (disk / "full").exists()))
        freed = threading.Timer(0.8, (disk / "full").unlink)
        freed.start()
        made = make_suite(plans(3), tmp_path, SuiteOptions(), room=room, watcher=watcher)
        freed.join()
    finally:
        subprocess.run(["umount", disk], check=True)

    assert [PASSED] * 3 == [run.classification for run in made.suite.runs]
    assert "free on the disk of" in watcher.holds[0][0].reason
    assert began_when_free
    assert all(began_when_free)


def test_memory_is_kept_free_too(tmp_path):
    room = Room(folders=(tmp_path,), floors=Floors(disk_bytes=0, memory_bytes=1 << 60))
    assert "of memory free, 1073741824.0 GiB are kept free" in room.lack()
    assert Room(folders=(tmp_path,), floors=Floors(disk_bytes=0, memory_bytes=0)).lack() is None


def test_asking_to_stop_ends_what_is_under_way_and_begins_nothing_more(plans, tmp_path):
    stop = threading.Event()
    watcher = Notes()
    watcher.on_phase = lambda _plan, phase: stop.set() if phase == "working" else None
    body = "replay: ['sleep 30']\nsuccess: {script: 'true'}\n"
    made = make_suite(
        plans(6, body),
        tmp_path,
        SuiteOptions(workers=2, retries=3),
        watcher=watcher,
        cancelled=stop.is_set,
    )

    assert "interrupted" == made.suite.stopped
    assert {SKIPPED} == {run.classification for run in made.suite.runs}
    assert len(made.suite.runs) < 6 == made.suite.attempts_planned


def test_what_breaks_when_all_are_asked_to_stop_is_no_fault_of_infrastructure(plans, tmp_path):
    stop = threading.Event()

    def hit():
        threading.Timer(0.05, stop.set).start()
        return engine_gone()

    made = make_suite(
        plans(2, agent=Troubled(hit)), tmp_path, SuiteOptions(), cancelled=stop.is_set
    )

    assert "interrupted" == made.suite.stopped
    assert {SKIPPED} == {run.classification for run in made.suite.runs}


def test_a_full_disk_stops_the_call_and_says_so(plans, tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", results], check=True)
    try:
        room = Room(folders=(), floors=Floors(disk_bytes=0, memory_bytes=0))
        with pytest.raises(StorageFault, match="No space left on device"):
            make_suite(plans(40), tmp_path, SuiteOptions(workers=2), room=room)
        counted = list(results.glob("probe/replay/*/result.json"))
        assert 0 < len(counted) < 40
        assert all("passed" == json.loads(one.read_text())["classification"] for one in counted)
    finally:
        subprocess.run(["umount", results], check=True)


class TwoPasses:
    """Two attempts decide a cell."""

    def fewest_more(self, so_far):
        return max(0, 2 - len(so_far))


def test_a_cell_that_is_decided_gets_no_more_attempts(plans, tmp_path):
    cells = [plans(9, name=name) for name in ("one", "two")]
    interleaved = list(itertools.chain.from_iterable(zip(*cells, strict=True)))
    made = make_suite(interleaved, tmp_path, SuiteOptions(workers=8, stop_rule=TwoPasses()))

    assert [("one", 1), ("two", 1), ("one", 2), ("two", 2)] == [
        (run.task, run.attempt) for run in made.suite.runs
    ]
    assert 4 == made.suite.attempts_planned
    assert 14 == len(made.watcher.dropped_keys)


@pytest.mark.parametrize("workers", [1, 8])
def test_an_attempt_that_waits_for_its_next_try_is_held_back_by_none_after_it(
    plans, tmp_path, workers
):
    rule = SequentialPlan(0.9)
    agent = Troubled(engine_gone, times=1)
    options = SuiteOptions(workers=workers, retries=1, retry_delay_s=0.2, stop_rule=rule)
    made = make_suite(plans(rule.most, agent=agent), tmp_path, options)

    assert rule.fewest_more([]) < len(made.suite.runs) < rule.most
    assert {PASSED} == {run.classification for run in made.suite.runs}
    assert 1 == sum(run.tries == 2 for run in made.suite.runs)
    assert len(made.watcher.begun_keys) == len(made.suite.runs) + 1


def test_lost_attempts_wait_longer_each_time_and_never_for_hours():
    options = SuiteOptions(retries=10_000)

    assert [5, 10, 20, 40, 80, 160, 300, 300] == [options.delay_s(n) for n in range(1, 9)]
    assert 300 == options.delay_s(9_999)


def test_a_cell_that_an_earlier_call_has_decided_gets_no_attempts(plans, tmp_path):
    options = SuiteOptions(workers=2, stop_rule=TwoPasses())
    make_suite(plans(5), tmp_path, options)
    both = [*plans(5), *plans(3, name="other")]
    made = make_suite(both, tmp_path, options, resume=True)

    assert {"other"} == {key.task for key in made.watcher.begun_keys}
    assert [("probe", 1), ("probe", 2), ("other", 1), ("other", 2)] == [
        (run.task, run.attempt) for run in made.suite.runs
    ]
    assert 4 == made.suite.attempts_planned


def test_a_call_that_was_stopped_is_gone_on_with_until_its_table_is_whole(plans, tmp_path):
    stop = threading.Event()
    watcher = Notes()

    def stop_at_the_third(plan, phase):
        if (plan.attempt, phase) == (3, "working"):
            stop.set()

    watcher.on_phase = stop_at_the_third
    body = "replay: ['sleep 0.5']\nsuccess: {script: 'true'}\n"
    first = make_suite(
        plans(5, body), tmp_path, SuiteOptions(), watcher=watcher, cancelled=stop.is_set
    )
    made = make_suite(plans(5, body), tmp_path, SuiteOptions(workers=2), resume=True)

    assert "interrupted" == first.suite.stopped
    assert [PASSED] * 5 == [run.classification for run in made.suite.runs]
    assert [1, 2, 3, 4, 5] == [run.attempt for run in made.suite.runs]
    assert {3, 4, 5} == {key.attempt for key in made.watcher.begun_keys}
    assert (made.folder / "probe" / "replay" / "3.1" / "trace.jsonl").exists()
    assert 5 == made.suite.attempts_planned
    assert made.suite.stopped is None
