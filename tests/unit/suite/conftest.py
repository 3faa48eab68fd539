"""Attempts of a trivial task, for calls with many of them."""

from __future__ import annotations

import pytest

from fakes.program import write_task
from fakes.suites import RUN_ID
from quickstarted.agents.replay import ReplayAgent
from quickstarted.plan import AttemptPlan
from quickstarted.task import load_task

BODY = "replay: ['echo hello']\nsuccess: {expect_output: {contains: hello}}\n"


@pytest.fixture(name="plans")
def _plans(tmp_path):
    """`plans(number, body)`: that many attempts of one cell."""

    def make(number, body=BODY, *, agent=None, name="probe"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        task = load_task(write_task(folder, body, name=name))
        agent = agent or ReplayAgent()
        return [
            AttemptPlan(task=task, agent=agent, attempt=n, run_id=RUN_ID)
            for n in range(1, number + 1)
        ]

    return make
