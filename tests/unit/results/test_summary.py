from pathlib import Path

import pytest

from fakes.attempts import (
    T0,
    agent_turn,
    docs_fetch,
    egress_allowed,
    egress_blocked,
    egress_error,
    run_end,
    run_start,
    success_check,
    tool_call,
    tool_result,
)
from quickstarted.errors import TraceInvalid
from quickstarted.events import (
    Affordances,
    AffordanceWithheld,
    ApiRetry,
    Fault,
    SandboxReady,
    Setup,
    UnknownEvent,
    Usage,
)
from quickstarted.results import FaultResult, LocalDocResult, RunResult, summarise
from quickstarted.results.summary import CHECK_OUTPUT_CHARS
from quickstarted.trace import read_trace
from quickstarted.verdict import Classification, StopReason

GOLDEN = Path(__file__).parents[2] / "golden" / "traces"


def _of(*events) -> RunResult:
    return summarise([run_start(), *events, run_end()])


def test_the_verdict_is_what_run_end_says():
    made = summarise(
        [run_start(), run_end(classification="docs_gap", passed=False, stop_reason="max_turns")]
    )

    assert (
        made.classification,
        made.passed,
        made.stop_reason,
    ) == (Classification.DOCS_GAP, False, StopReason.MAX_TURNS)


def test_pages_count_once_and_keep_the_order_of_the_first_reading():
    made = _of(
        docs_fetch("https://a.example/"),
        docs_fetch("https://b.example/", resolved_to="https://b.example/index"),
        docs_fetch("https://a.example/"),
    )

    assert (
        made.docs_pages_read,
        made.docs_pages,
    ) == (2, ["https://a.example/", "https://b.example/index"])


def test_local_documentation_is_told_from_commands_and_what_they_printed():
    made = summarise(
        [
            run_start(agent="claude"),
            tool_call("cd app && cat README.md"),
            tool_result(output="# App", cwd="/workspace/app"),
            tool_call("flask --help"),
            tool_result(2, output="Usage: flask", cwd="/workspace/app"),
            tool_call("cat docs/start.md"),
            tool_result(output="# Start", cwd="/workspace/app"),
            tool_call("man flask"),
            tool_result(16, output=""),
            run_end(),
        ]
    )

    assert [
        LocalDocResult(kind="readme", what="app/README.md", command="cd app && cat README.md"),
        LocalDocResult(kind="help", what="flask --help", command="flask --help"),
        LocalDocResult(
            kind="readme", what="/workspace/app/docs/start.md", command="cat docs/start.md"
        ),
    ] == made.local_docs_read


def test_a_replay_reads_nothing_and_setup_is_nobodys_reading():
    commands = [tool_call("flask --help"), tool_result(output="Usage")]
    setup = Setup(ts=T0, command="flask --help", exit_code=0, output="Usage")

    assert [] == _of(*commands).local_docs_read
    assert [] == summarise([run_start(agent="claude"), setup, run_end()]).local_docs_read


def test_what_was_withheld_is_counted_and_is_no_page():
    made = _of(
        AffordanceWithheld(ts=T0 + 1, url="https://a.example/llms.txt"),
        AffordanceWithheld(ts=T0 + 2, url="https://a.example/start.md"),
    )

    assert (2, 0) == (made.affordances_withheld, made.docs_pages_read)


def test_what_a_site_has_for_agents_is_known_only_where_it_was_looked_for():
    found = {
        "llms.txt": {"url": "https://a.example/llms.txt", "present": True},
        "page.md": {"url": "https://a.example/start.md", "present": False},
    }
    probed = Affordances(ts=T0 + 1, entrypoint="https://a.example/start", found=found)

    assert ["llms.txt"] == _of(probed).affordances_found
    assert _of().affordances_found is None


def test_a_refused_name_lookup_is_no_attempt_to_read_docs():
    made = _of(
        egress_blocked("docs.example", reason="docs_host_requires_read_docs", method="DNS"),
        egress_blocked("docs.example", reason="docs_host_requires_read_docs", method="CONNECT"),
        egress_blocked("docs.example", reason="docs_host_requires_read_docs", method="GET"),
        egress_blocked("b.example"),
        egress_blocked("a.example", method="DNS"),
        egress_blocked("b.example"),
    )

    assert (
        made.docs_bypass_attempts,
        made.egress_blocked,
        made.refused_hosts,
    ) == (2, 6, ["a.example", "b.example"])


def test_commands_that_failed_are_counted_among_all():
    made = _of(tool_result(0), tool_result(1), tool_result(124, timed_out=True))

    assert (made.commands, made.failed_commands) == (3, 2)


def test_requests_are_counted_by_how_they_ended():
    made = _of(egress_allowed(), egress_allowed(), egress_error())

    assert (made.egress_allowed, made.egress_errors, made.egress_blocked) == (2, 1, 0)


def test_tokens_are_added_up_and_no_kind_is_counted_twice():
    made = _of(
        agent_turn(1, cache_write_tokens=100),
        agent_turn(2, cache_read_tokens=100, model="model-b"),
    )

    assert made.turns == 2
    assert made.models_reported == ["model-a", "model-b"]
    assert made.tokens == Usage(
        input_tokens=20, output_tokens=10, cache_write_tokens=100, cache_read_tokens=100
    )


@pytest.mark.parametrize(
    ("waited", "expected"), [(None, 3.5), (7.0, 7.0), (0.0, 0.0)], ids=["slept", "said", "none"]
)
def test_waiting_is_what_run_end_says_else_the_pauses_between_tries(waited, expected):
    retries = [
        ApiRetry(ts=T0, turn=1, attempt=1, sleep=1.5, error=""),
        ApiRetry(ts=T0, turn=1, attempt=2, sleep=2.0, error=""),
    ]
    made = summarise([run_start(), *retries, run_end(waited=waited)])

    assert expected == made.waited_seconds


@pytest.mark.parametrize(("duration", "expected"), [(None, 10.0), (9.25, 9.25)])
def test_duration_is_what_run_end_says_else_the_time_between_the_ends(duration, expected):
    made = summarise([run_start(), run_end(duration=duration)])

    assert expected == made.duration_seconds


def test_the_first_fault_is_the_one_that_counts():
    made = _of(
        Fault(ts=T0, component="sandbox", error="died", hint="look"),
        Fault(ts=T0, component="engine", error="also"),
    )

    assert made.fault == FaultResult(component="sandbox", error="died", hint="look")


def test_no_check_no_fault_and_no_sandbox_are_none():
    made = _of()

    assert (
        made.success_check,
        made.fault,
        made.image_id,
        made.architecture,
        made.prices,
    ) == (None,) * 5


def test_only_the_end_of_the_check_s_output_is_repeated():
    made = _of(success_check(1, output="a" * CHECK_OUTPUT_CHARS + "end"))

    assert made.success_check is not None
    assert made.success_check.output == ("a" * (CHECK_OUTPUT_CHARS - 3)) + "end"


def test_the_image_is_identified_by_what_was_ready():
    ready = SandboxReady(
        ts=T0,
        image="python:3.13-slim",
        image_id="sha256:1",
        image_digest=None,
        stand_in="our/python:local",
        architecture="arm64",
        duration=1,
    )
    made = _of(ready)

    assert (
        made.image,
        made.image_id,
        made.image_digest,
        made.stand_in,
        made.architecture,
    ) == ("python:3.13-slim", "sha256:1", None, "our/python:local", "arm64")


def test_tags_and_metadata_of_the_task_travel_untouched():
    made = summarise([run_start(tags=["a"], metadata={"owner": {"team": [1]}}), run_end()])

    assert (made.tags, made.metadata) == (["a"], {"owner": {"team": [1]}})


@pytest.mark.parametrize(
    ("events", "missing"),
    [([run_start()], "run_end"), ([run_end()], "run_start"), ([], "run_start")],
)
def test_an_attempt_that_is_not_over_has_no_result(events, missing):
    with pytest.raises(TraceInvalid, match=f"no {missing}"):
        summarise(events)


def test_events_of_a_newer_version_change_nothing():
    assert _of() == _of(UnknownEvent(ts=T0, type="dream"))


def test_results_survive_json():
    made = summarise(read_trace(GOLDEN / "docs_gap.jsonl"))

    assert made == RunResult.model_validate_json(made.model_dump_json())


def test_a_recorded_attempt_gives_its_figures():
    made = summarise(read_trace(GOLDEN / "docs_gap.jsonl"))

    assert {
        "classification": "docs_gap",
        "turns": 6,
        "commands": 3,
        "failed_commands": 2,
        "docs_pages_read": 1,
        "docs_bypass_attempts": 1,
        "egress_allowed": 2,
        "duration_seconds": 27.9,
        "architecture": "amd64",
        "enforced": True,
        "models_reported": ["claude-opus-4-5-20251101"],
    }.items() <= made.model_dump(mode="json").items()
