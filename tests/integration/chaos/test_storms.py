"""Vendors that answer 429 to all: who has begun waits, nobody else begins, and all of them end."""

from __future__ import annotations

import textwrap
import threading
from collections import Counter

import pytest

from fakes.followed import Followed
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import Error, bash, say
from fakes.model_attempts import CLAUDE, HASTY, KEY
from fakes.program import write_task
from fakes.scripted_http_steps import Repeat
from fakes.suites import make_suite
from quickstarted.agents.model import ModelAgent
from quickstarted.plan import AttemptPlan
from quickstarted.sandbox.local.folders import BASE_VARIABLE
from quickstarted.suite import SuiteOptions
from quickstarted.task import load_task
from quickstarted.verdict import INFRA_ERROR

pytestmark = pytest.mark.docker

RETRY_AFTER_S = 2.0
REFUSALS = 2
"""Of each attempt's first call; together longer than the budget of its task."""
MAX_SECONDS = 3
TASKS = ("red", "green", "blue", "grey")


class Storm:
    """Answers each attempt's first call with 429 so many times, then does the work."""

    def __init__(self):
        self._lock = threading.Lock()
        self._refused = Counter()

    def __call__(self, request):
        said = str(request.body["messages"])
        if "tool_result" in said:
            return say("Done.")
        (task,) = [name for name in TASKS if f"the {name} page" in said]
        with self._lock:
            self._refused[task] += 1
            if self._refused[task] <= REFUSALS:
                return Error(429, retry_after_s=RETRY_AFTER_S)
        return bash("touch done")


def test_a_storm_of_429_is_waited_out_and_nobody_else_begins_in_it(tmp_path):
    for name in TASKS:
        text = f"""\
            success: {{script: test -f done}}
            budgets: {{max_seconds: {MAX_SECONDS}}}
            """
        path = write_task(tmp_path, textwrap.dedent(text), name=name)
        path.write_text(path.read_text().replace("as the page says", f"as the {name} page says"))
    with ScriptedMessagesApi([Repeat(Storm())], api_key=KEY) as api:
        env = {
            BASE_VARIABLE: str(tmp_path / "attempts"),
            CLAUDE.address_variable: api.base_url,
            CLAUDE.key_variable: KEY,
            "QUICKSTARTED_ANTHROPIC_API_KEY": "",
        }
        flags = ["--agent", "claude", "--workers", "2", "--backend", "local", "--allow-unenforced"]
        paths = [tmp_path / f"{name}.yaml" for name in TASKS]
        call = Followed([*paths, *flags], tmp_path / "out", env)
        done = call.finish()

    runs = done.document["runs"]
    assert [("passed", "completed")] * 4 == [
        (run["classification"], run["stop_reason"]) for run in runs
    ], done.err
    assert all(run["waited_seconds"] > MAX_SECONDS for run in runs)
    waits = [line["event"] for line in call.lines if line["type"] == "event"]
    waits = [event for event in waits if event["type"] == "api_retry"]
    assert [429] * REFUSALS * len(TASKS) == [event["status"] for event in waits]
    begun = [line["ts"] for line in call.lines if line["type"] == "begun"]
    pauses = [(event["ts"], event["ts"] + event["sleep"]) for event in waits]
    assert 2 == sum(ts < pauses[0][0] for ts in begun)
    assert [] == [ts for ts in begun for start, end in pauses if start + 0.5 < ts < end - 0.5]
    holds = [hold["reason"] for line in call.lines for hold in line.get("holds", [])]
    assert "anthropic: it asked for patience (429)" in holds


def test_a_storm_without_end_loses_every_attempt_and_the_call_ends(tmp_path):
    task = load_task(write_task(tmp_path, "success: {script: test -f done}\n"))
    with ScriptedMessagesApi([Repeat(Error(429, retry_after_s=0.1))], api_key=KEY) as api:
        environ = {CLAUDE.address_variable: api.base_url, CLAUDE.key_variable: KEY}
        vendor = CLAUDE.vendor(model=CLAUDE.model, environ=environ, silence_s=10.0)
        agent = ModelAgent(name="claude", vendor=vendor, patience=HASTY)
        plans = [
            AttemptPlan(task=task, agent=agent, attempt=number, run_id="storm")
            for number in range(1, 5)
        ]
        made = make_suite(plans, tmp_path, SuiteOptions(workers=2))

    assert [(INFRA_ERROR, "model_unavailable")] * 4 == [
        (run.classification, run.stop_reason) for run in made.suite.runs
    ]
    assert made.suite.stopped is None
