"""What holds for every call, however many attempts, workers, limits and losses it has."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.scripted_maker import ScriptedMaker
from fakes.suites import Notes, Troubled, engine_gone
from quickstarted.agents.replay import ReplayAgent
from quickstarted.records import Opening, open_folder
from quickstarted.suite import Attempts, Call, Floors, Room, Scheduler, SuiteOptions
from quickstarted.suite.turns import AHEAD
from quickstarted.verdict import INFRA_ERROR, PASSED

CASES = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PATIENCE_S = 60.0
NOWHERE = Room(folders=(), floors=Floors(disk_bytes=0, memory_bytes=0))
AGENTS = (ReplayAgent(), Troubled(engine_gone, name="other", times=0))


@st.composite
def cases(draw):
    """Numbers of a call: attempts of each cell, losses, limits, retries, workers."""
    return {
        "repeats": draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)),
        "losses": draw(st.lists(st.integers(0, 3), min_size=1, max_size=7)),
        "limits": draw(
            st.dictionaries(
                st.sampled_from(["docs.example", "replay", "other"]), st.integers(1, 3), max_size=2
            )
        ),
        "retries": draw(st.integers(0, 2)),
        "retry_delay_s": draw(st.sampled_from([0.0, 0.01])),
        "workers": draw(st.integers(1, 9)),
        "seed": draw(st.integers(0, 2**16)),
    }


class Cells(list):
    """Four cells of three attempts: two tasks by two agents."""

    def __repr__(self):
        return "cells"


@pytest.fixture(name="cells")
def _cells(plans):
    return Cells(plans(3, name=task, agent=agent) for task in ("one", "two") for agent in AGENTS)


def interleaved(cells, repeats):
    rows = itertools.zip_longest(
        *(cell[:number] for cell, number in zip(cells, repeats, strict=False))
    )
    return [plan for row in rows for plan in row if plan is not None]


def run(planned, case, *, stop_rule=None, stop_after=None):
    """Make *planned*; what is on record of it, or a failure where it does not end."""
    with tempfile.TemporaryDirectory() as folder:
        return run_in(Path(folder), planned, case, stop_rule=stop_rule, stop_after=stop_after)


def run_in(folder, planned, case, *, stop_rule=None, stop_after=None, resume=False):
    """The same in *folder*, or what an earlier call has left of it."""
    random, stop = Random(case["seed"]), threading.Event()
    losses = dict(zip((plan.key for plan in planned), itertools.cycle(case["losses"])))
    working = itertools.count(1)

    def on_working(plan):
        del plan
        if next(working) == stop_after:
            stop.set()

    maker = ScriptedMaker(losses, lambda: random.random() / 800, on_working)
    options = SuiteOptions(
        workers=case["workers"],
        retries=case["retries"],
        retry_delay_s=case["retry_delay_s"],
        limits=case["limits"],
        stop_rule=stop_rule,
    )
    watcher = Notes()
    opening = Opening(
        out=folder,
        plans=planned,
        run_id="r",
        backend=maker.name,
        nested=True,
        resume=resume,
        retries=case["retries"],
        may_stop_early=stop_rule is not None,
    )
    with open_folder(opening) as opened:
        attempts = Attempts(planned, opened, report=lambda _: None, tables=lambda _: "")
        call = Call(maker=maker, watcher=watcher, cancelled=stop.is_set, room=NOWHERE)
        scheduler = Scheduler(opened.missing, attempts, call, options)
        faults = []

        def work():
            try:
                scheduler.run()
            except BaseException as fault:  # noqa: BLE001 - raised below
                faults.append(fault)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(PATIENCE_S)
        has_ended = not thread.is_alive()
        # Else the folder would be taken from under what does not end.
        stop.set()
        thread.join()
        assert has_ended, "the call does not end"
        assert [] == faults
        return maker, attempts.suite(scheduler.stopped), watcher, losses


def within_bounds(maker, case):
    assert maker.most["working"] <= case["workers"]
    assert maker.most["open"] <= case["workers"] + AHEAD
    assert {name: maker.most[name] for name in case["limits"]} == {
        name: min(maker.most[name], most) for name, most in case["limits"].items()
    }


@CASES
@given(case=cases())
def test_every_attempt_is_made_once_and_again_only_where_it_was_lost(cells, case):
    planned = interleaved(cells, case["repeats"])
    maker, suite, watcher, losses = run(planned, case)

    tries = {key: min(lost, case["retries"]) + 1 for key, lost in losses.items()}
    assert tries == maker.made
    assert Counter(tries) == Counter(watcher.begun_keys)
    assert [plan.key for plan in planned] == [one.key for one in suite.runs]
    assert [
        (tries[key], INFRA_ERROR if lost > case["retries"] else PASSED)
        for key, lost in losses.items()
    ] == [(one.tries, one.classification) for one in suite.runs]
    assert suite.stopped is None
    assert [] == [hold for holds in watcher.holds[-1:] for hold in holds]
    within_bounds(maker, case)


@CASES
@given(case=cases(), stop_after=st.integers(1, 12))
def test_a_call_that_is_stopped_ends_and_has_made_nothing_twice(cells, case, stop_after):
    planned = interleaved(cells, case["repeats"])
    maker, suite, _, losses = run(planned, case, stop_after=stop_after)

    assert all(made <= min(losses[key], case["retries"]) + 1 for key, made in maker.made.items())
    counted = {one.key for one in suite.runs}
    assert counted <= set(maker.made)
    assert all(0 < losses[key] for key in set(maker.made) - counted)
    assert len(suite.runs) == len(planned) or suite.stopped == "interrupted"
    within_bounds(maker, case)


class Enough:
    """Cells are decided by as many attempts."""

    def __init__(self, attempts):
        self.attempts = attempts

    def fewest_more(self, so_far):
        return max(0, self.attempts - len(so_far))


@CASES
@given(case=cases(), enough=st.integers(1, 3))
def test_a_cell_gets_as_many_attempts_as_decide_it_and_no_more(cells, case, enough):
    planned = interleaved(cells, case["repeats"])
    maker, suite, watcher, _ = run(planned, case, stop_rule=Enough(enough))

    wanted = [plan.key for plan in planned if plan.attempt <= enough]
    assert wanted == [one.key for one in suite.runs]
    assert set(wanted) == set(maker.made)
    assert {plan.key for plan in planned} - set(wanted) == set(watcher.dropped_keys)
    within_bounds(maker, case)


@CASES
@given(case=cases(), enough=st.integers(1, 3))
def test_a_cell_whose_attempts_were_lost_is_gone_on_with_until_others_decide_it(
    cells, case, enough
):
    planned, rule = interleaved(cells, case["repeats"]), Enough(enough)
    with tempfile.TemporaryDirectory() as name:
        run_in(Path(name), planned, case | {"retries": 0}, stop_rule=rule)
        _, suite, _, _ = run_in(
            Path(name), planned, case | {"retries": 4}, stop_rule=rule, resume=True
        )

    assert [plan.key for plan in planned if plan.attempt <= enough] == [
        one.key for one in suite.runs
    ]
    assert {PASSED} == {one.classification for one in suite.runs}
