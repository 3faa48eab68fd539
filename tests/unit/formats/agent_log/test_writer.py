"""What a scaffold writes passes the checker, and what would not pass is refused."""

import json
import subprocess
import sys

import pytest

from fakes.agent_logs import codes
from quickstarted.formats.agent_log import (
    AgentLogRefused,
    AgentLogWriter,
    RequestedAction,
    Scaffold,
    check_log,
)

RUN = {"game": "tetris-gb", "category": "any-percent", "model": "provider/model-id"}


def writer(path, **options):
    return AgentLogWriter(path, **{**RUN, "scaffold": Scaffold("my-agent"), **options})


def test_a_log_that_was_written_is_accepted(tmp_path):
    path = tmp_path / "agent-log.jsonl"
    with writer(path) as log:
        log.model_request({"messages": [{"role": "user", "content": "what next?\u2028"}]})
        asked = [RequestedAction("press", {"button": "A"}), RequestedAction("wait", None)]
        log.model_response("c1", usage={"input": 8}, text="Drop.", reasoning="hm", actions=asked)
        log.action("c1", "press", {"button": "A"})
        log.action("c1", "wait", None)
        log.observation({"summary": "locked"})
        log.error("rate limited")
        log.run_end("goal reached")
    report = check_log(path)

    assert ("accept", [], 8) == (report.verdict, codes(report), report.lines)


def test_times_follow_the_clock_that_never_goes_back(tmp_path):
    path = tmp_path / "log"
    ticks = iter([100.0, 100.25, 101.5])
    with writer(path, now_s=lambda: 1_793_610_000.1, monotonic_s=lambda: next(ticks)) as log:
        log.observation({})
        log.observation({})
    told = [json.loads(line) for line in path.read_bytes().splitlines()]

    assert [
        ("2026-11-02T09:00:00.100Z", 0),
        ("2026-11-02T09:00:00.350Z", 250),
        ("2026-11-02T09:00:01.600Z", 1500),
    ] == [(one["at"], one["elapsedMs"]) for one in told]


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (lambda log: log.action("c9", "press", {}), "no response has the id c9"),
        (lambda log: log.action("c1", "hold", {}), "response c1 did not ask for hold"),
        (lambda log: log.action("c1", "", {}), "name of the action is empty"),
        (lambda log: log.model_response("c1"), "c1 was used before"),
        (lambda log: log.model_response(""), "id of the response is empty"),
        (lambda log: log.model_request({"withheld": 1}), "withheld"),
        (lambda log: log.model_request([]), "data is no object"),
        (lambda log: log.observation({"x": float("nan")}), "as JSON"),
        (lambda log: log.observation({"x": "\ud800"}), "as JSON"),
        (lambda log: log.observation({"x": object()}), "as JSON"),
        (lambda log: log.observation({1: "a", "1": "b"}), "as JSON"),
        (lambda log: log.error(None), "message of the error is missing"),
        (lambda log: log.run_end(""), "reason of run_end is empty"),
    ],
)
def test_what_would_make_the_log_invalid_is_refused_and_the_log_goes_on(tmp_path, write, why):
    path = tmp_path / "log"
    with writer(path) as log:
        log.model_request({})
        log.model_response("c1", actions=[RequestedAction("press", {})])
        with pytest.raises(AgentLogRefused, match=why):
            write(log)
        log.action("c1", "press", {})
        log.run_end("stopped")

    assert ("accept", 5) == (check_log(path).verdict, check_log(path).lines)


def test_a_run_that_has_sent_nothing_has_no_end(tmp_path):
    with writer(tmp_path / "log") as log:
        log.model_response("c1", actions=[RequestedAction("press", {})])
        with pytest.raises(AgentLogRefused, match="nothing was sent to the game"):
            log.run_end("stopped")
        log.action("c1", "press", {})
        log.run_end("stopped")

    assert 0 == check_log(tmp_path / "log").errors


def test_nothing_is_written_after_the_end(tmp_path):
    with writer(tmp_path / "log") as log:
        log.model_response("c1", actions=[RequestedAction("press", {})])
        log.action("c1", "press", {})
        log.run_end("stopped")
        with pytest.raises(AgentLogRefused, match="takes nothing more"):
            log.observation({})


@pytest.mark.parametrize("field", RUN)
def test_a_run_without_its_names_is_not_started(tmp_path, field):
    with pytest.raises(AgentLogRefused, match=f"{field} of run_start is empty"):
        writer(tmp_path / "log", **{field: ""})

    assert not (tmp_path / "log").exists()


def test_a_log_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "log").write_text("mine")
    with pytest.raises(FileExistsError):
        writer(tmp_path / "log")

    assert "mine" == (tmp_path / "log").read_text()


def test_a_scaffold_that_dies_leaves_every_line_that_it_wrote_and_no_end(tmp_path):
    path = tmp_path / "log"
    program = (
        "import os, sys; from pathlib import Path\n"
        "from quickstarted.formats.agent_log import *\n"
        "log = AgentLogWriter(Path(sys.argv[1]), game='g', category='c', model='p/m',"
        " scaffold=Scaffold('s'))\n"
        "log.model_request({}); log.model_response('c1'); log.action('c1', 'a', 1)\n"
        "os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=False)

    assert 9 == done.returncode
    assert ["action-not-listed", "no-run-end"] == codes(check_log(path))
