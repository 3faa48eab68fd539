"""A machine's clock that jumps: no time is negative, no order changes, nothing is made twice."""

from __future__ import annotations

import json

import pytest

from fakes.followed import Followed, odd_machine
from fakes.program import write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE
from quickstarted.trace import read_trace

pytestmark = pytest.mark.docker

HOUR_S = 3600
FLAGS = ("--backend", "local", "--allow-unenforced", "--repeat", "4", "--retries", "1")
BODY = "replay: [echo hello, sleep 0.4, sleep 0.1]\nsuccess: {script: 'sleep 0.2'}\n"


def numbers(value):
    """All numbers of a document whose names say that they are times."""
    if isinstance(value, list):
        return [one for each in value for one in numbers(each)]
    if not isinstance(value, dict):
        return []
    named = [(name, one) for name, one in value.items() if isinstance(one, int | float)]
    times = [one for name, one in named if "second" in name or "duration" in name]
    return times + [one for each in value.values() for one in numbers(each)]


def test_jumps_of_hours_and_days_in_the_middle_change_no_duration_and_no_order(tmp_path):
    task, clock, out = write_task(tmp_path, BODY), tmp_path / "clock", tmp_path / "out"
    env = {**odd_machine(), "QS_CLOCK": str(clock), BASE_VARIABLE: str(tmp_path / "attempts")}
    clock.write_text("0")

    first = Followed([task, *FLAGS], out, env)
    for jump_s in (-2 * HOUR_S, 48 * HOUR_S, -24 * HOUR_S):
        seen = len(first.lines)
        first.wait_for(
            lambda lines, seen=seen: any(
                line["type"] == "event" and line["event"].get("command") == "sleep 0.4"
                for line in lines[seen:]
            )
        )
        clock.write_text(str(jump_s))
    first.kill()
    made = {path: path.stat().st_ino for path in out.rglob("result.json")}
    clock.write_text(str(-100 * HOUR_S))
    done = Followed([task, *FLAGS, "--resume"], out, env).finish()

    assert 0 == done.code, done.err
    assert 2 <= len(made)
    assert made == {path: path.stat().st_ino for path in made}
    assert [1, 2, 3, 4] == [run["attempt"] for run in done.document["runs"]]
    traces = [path for path in out.rglob("trace.jsonl") if (path.parent / "result.json").exists()]
    for path in traces:
        events = list(read_trace(path))
        assert [event.ts for event in events] == sorted(event.ts for event in events)
        assert ("run_start", "run_end") == (events[0].type, events[-1].type)
        assert 0.7 < events[-1].duration < HOUR_S / 2
        assert 0.7 < events[-1].ts - events[0].ts < HOUR_S / 2
    documents = [json.loads(path.read_text()) for path in out.rglob("*.json")]
    assert all(0 <= one < HOUR_S / 2 for document in documents for one in numbers(document))


def test_requests_stand_where_they_were_made_on_a_lane_that_is_older_than_the_jump(tmp_path):
    ask = (
        'python3 -c "import urllib.request as u; u.urlopen(\\"https://blocked.example/\\")" || true'
    )
    body = f"replay: [{json.dumps(ask)}, sleep 1]\nsuccess: {{script: {json.dumps(ask)}}}\n"
    task, clock, out = write_task(tmp_path, body), tmp_path / "clock", tmp_path / "out"
    env = {**odd_machine(), "QS_CLOCK": str(clock)}
    clock.write_text("0")

    call = Followed([task, "--repeat", "3"], out, env)
    for attempt, jump_s in ((1, -2 * HOUR_S), (2, 48 * HOUR_S)):
        call.wait_for(
            lambda lines, attempt=attempt: any(
                line["type"] == "event"
                and line["attempt"]["attempt"] == attempt
                and line["event"].get("command") == "sleep 1"
                for line in lines
            )
        )
        clock.write_text(str(jump_s))
    done = call.finish()

    assert 0 == done.code, done.err
    lanes = set()
    for number in (1, 2, 3):
        events = done.events(f"probe/replay/{number}")
        lanes |= {event.lane for event in events if event.type == "sandbox_ready"}
        kinds = [event.type for event in events if event.type != "docs_fetch"]
        (first, *_, last) = [at for at, kind in enumerate(kinds) if kind == "egress_blocked"]
        assert "tool_result" == kinds[first + 1]
        assert "success_check" == kinds[last + 1]
        assert events[-1].ts - events[0].ts < HOUR_S / 2
    assert "warm" in lanes
