"""
Runs by the agent `claude` from outside: the real program, SDK, engine and proxy, and a scripted
Messages API in the place of the service.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

from examples.cases import case_of, task_of
from examples.fetching import docs_flags
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, call, hang, say
from fakes.program import finish, has_event, run_task, start, wait_until
from quickstarted.resources import tasks_dir

pytestmark = pytest.mark.docker

KEY = "sk-canary-5d41402abc4b2a76b9719d911017c592"
TASK = """\
    success: {script: 'test -f done || qs_fail "there is no file done"'}
    """


def environment(api, **more):
    """The caller's environment; a key of the machine's own must not be in the way."""
    return {
        "ANTHROPIC_BASE_URL": api.base_url,
        "ANTHROPIC_API_KEY": KEY,
        "QUICKSTARTED_ANTHROPIC_API_KEY": "",
        **more,
    }


@pytest.fixture(name="flask")
def _flask(tmp_path):
    """A copy of the example, so that its results are not beside the original."""
    path = tmp_path / "flask.yaml"
    path.write_bytes((tasks_dir() / "flask.yaml").read_bytes())
    return path


def flask_turns():
    """A model that reads the route and does what the pages say."""
    task = task_of("flask")
    reads = [call("read_docs", {"url": url}) for url in task.route]
    return [*reads, *(bash(command) for command in task.replay), say("Flask serves the page.")]


def test_the_flask_quickstart_passes_by_claude(flask):
    with ScriptedMessagesApi(flask_turns(), api_key=KEY) as api:
        done = run_task(
            flask, "--agent", "claude", *docs_flags(case_of("flask")), env=environment(api)
        )

    assert 0 == done.code, done.out + done.err
    api.assert_done()
    assert ("completed", "passed") == done.ending("flask")
    pages = [event.url for event in done.of_type("docs_fetch", "flask")]
    assert list(task_of("flask").route) == pages
    (final,) = done.of_type("agent_final", "flask")
    assert "Flask serves the page." == final.text
    (run,) = done.document["runs"]
    assert len(flask_turns()) == run["turns"]
    assert 100 * run["turns"] == run["tokens"]["input_tokens"]
    assert 20 * run["turns"] == run["tokens"]["output_tokens"]
    assert ["claude-sonnet-5-5"] == run["models_reported"]


def test_a_step_that_the_agent_skips_makes_a_docs_gap(flask):
    turns = [turn for turn in flask_turns() if "cat > hello.py" not in str(turn)]
    assert len(flask_turns()) - 1 == len(turns)
    with ScriptedMessagesApi(turns, api_key=KEY) as api:
        done = run_task(
            flask, "--agent", "claude", *docs_flags(case_of("flask")), env=environment(api)
        )

    assert 1 == done.code, done.out + done.err
    api.assert_done()
    assert ("completed", "docs_gap") == done.ending("flask")


def test_the_model_gets_the_goal_and_the_route_and_never_the_check(task):
    with ScriptedMessagesApi([say("I do not know how.")], api_key=KEY) as api:
        done = run_task(task(TASK), "--agent", "claude", env=environment(api))

    assert ("completed", "docs_gap") == done.ending()
    (request,) = api.requests
    told = request.body["messages"][0]["content"][0]["text"]
    assert "Do as the page says." in told
    assert "https://docs.example/" in told
    assert "there is no file done" not in str(request.body)
    assert {"type": "bash_20250124", "name": "bash"} == request.body["tools"][0]
    hashes = {done.events()[0].prompt_hash, done.document["runs"][0]["prompt_hash"]}
    (only,) = hashes
    assert re.fullmatch("sha256:[0-9a-f]{64}", only)


def test_what_the_shell_remembers_carries_over_until_the_model_restarts_it(task):
    turns = [
        bash("mkdir -p deep && cd deep && WORD=kept"),
        bash('echo "$PWD $WORD"'),
        call("bash", {"restart": True}),
        bash('echo "$PWD $WORD."; touch done'),
        say("Done."),
    ]
    with ScriptedMessagesApi(turns, api_key=KEY) as api:
        done = run_task(task(TASK), "--agent", "claude", env=environment(api))

    assert ("completed", "passed") == done.ending()
    outputs = [event.output for event in done.of_type("tool_result")]
    assert ["", "/workspace/deep kept\n", "/workspace .\n"] == outputs
    results = [
        block["content"]
        for message in api.requests[-1].body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    assert "/workspace/deep kept\n[exit code 0]" == results[1]
    assert "[A new shell was started.]" == results[2]


def test_two_calls_of_one_turn_run_one_after_the_other_and_both_are_answered(task):
    from fakes.messages_api_replies import ToolUse, Turn

    both = Turn(
        content=(
            ToolUse("bash", {"command": "sleep 0.3; touch done"}),
            ToolUse("bash", {"command": "test -f done && echo second"}),
        )
    )
    with ScriptedMessagesApi([both, say("Done.")], api_key=KEY) as api:
        done = run_task(task(TASK), "--agent", "claude", env=environment(api))

    assert ("completed", "passed") == done.ending()
    assert ["", "second\n"] == [event.output for event in done.of_type("tool_result")]
    answers = api.requests[1].body["messages"][2]["content"]
    assert ["[exit code 0]", "second\n[exit code 0]"] == [answer["content"] for answer in answers]


def test_a_command_of_5_mb_is_answered_and_the_run_goes_on(task):
    turns = [bash("echo " + "x" * 5_000_000), bash("touch done"), say("Done.")]
    with ScriptedMessagesApi(turns, api_key=KEY) as api:
        done = run_task(task(TASK), "--agent", "claude", env=environment(api))

    assert ("completed", "passed") == done.ending()
    first = done.of_type("tool_result")[0]
    assert 0 != first.exit_code
    assert "the command was not run: it has 5,000,005 bytes" in first.note


def test_a_request_that_the_task_refuses_explains_itself_to_the_model(task):
    turns = [bash("touch done; curl -sS https://docs.example/"), say("Done.")]
    body = "image: node:20-slim\n    " + TASK.strip()
    with ScriptedMessagesApi(turns, api_key=KEY) as api:
        done = run_task(task("    " + body), "--agent", "claude", env=environment(api))

    assert "passed" == done.ending()[1]
    (refused,) = done.of_type("egress_blocked")
    assert ("docs.example", "docs_host_requires_read_docs", 1) == (
        refused.host,
        refused.reason,
        refused.scope,
    )


def test_the_key_is_in_no_sandbox_and_in_no_record(task):
    look = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; touch done"
    with ScriptedMessagesApi([bash(look), say(f"Is it {KEY[:9]}?")], api_key=KEY) as api:
        done = run_task(task(TASK), "--agent", "claude", env=environment(api))

    assert ("completed", "passed") == done.ending()
    (seen,) = done.of_type("tool_result")
    assert "HTTPS_PROXY=" in seen.output
    assert KEY not in seen.output
    written = [path for path in done.results.rglob("*") if path.is_file()]
    assert [] == [path for path in written if KEY.encode() in path.read_bytes()]
    assert KEY not in done.out + done.err


def test_the_key_of_quickstarted_comes_before_the_vendors(task):
    with ScriptedMessagesApi([bash("touch done"), say("Done.")], api_key="sk-own") as api:
        env = environment(api, QUICKSTARTED_ANTHROPIC_API_KEY="sk-own\n")
        done = run_task(task(TASK), "--agent", "claude", env=env)

    assert ("completed", "passed") == done.ending()


def test_without_a_key_nothing_is_started_and_the_message_names_the_variables(task):
    with ScriptedMessagesApi([]) as api:
        env = environment(api, ANTHROPIC_API_KEY="")
        done = run_task(task(TASK), "--agent", "claude", env=env)

    assert 2 == done.code
    assert ("model_rejected", "harness_error") == done.ending()
    assert ["run_start", "fault", "run_end"] == [event.type for event in done.events()]
    assert "neither QUICKSTARTED_ANTHROPIC_API_KEY nor ANTHROPIC_API_KEY is set" in done.out


def test_without_the_vendors_package_the_message_says_what_to_install(task):
    program = (
        "import sys; sys.modules['anthropic'] = None\nfrom quickstarted.cli import main; main()"
    )
    path = task(TASK)
    ran = subprocess.run(
        [sys.executable, "-c", program, "run", path, "--agent", "claude", "--out", "results"],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 2 == ran.returncode
    assert "ERROR harness_error" in ran.stdout
    assert "pip install --upgrade anthropic" in ran.stdout


def test_a_wrong_key_ends_the_run_at_the_first_call_and_names_its_variable(task):
    with ScriptedMessagesApi([], api_key="sk-another") as api:
        done = run_task(task(TASK), "--agent", "claude", env=environment(api))

    assert 2 == done.code
    assert ("model_rejected", "harness_error") == done.ending()
    assert 1 == len(api.requests)
    assert "Look at the key in ANTHROPIC_API_KEY" in done.out


def test_an_interrupt_ends_a_call_of_the_model_at_once(task):
    with ScriptedMessagesApi([hang()], api_key=KEY) as api:
        path = task(TASK)
        results = path.parent / "results"
        process = start(["run", path, "--out", results, "--agent", "claude"], env=environment(api))
        wait_until(lambda: len(api.requests) == 1, "the call of the model", program=process)
        process.send_signal(signal.SIGINT)
        done = finish(process, results)

    assert 130 == done.code
    assert ("interrupted", "skipped") == done.ending()
    (turn,) = done.of_type("agent_turn")
    assert "unfinished" == turn.stop_reason
    assert not has_event(results, "success_check")


def test_two_agents_have_a_folder_each(task):
    replay = TASK + "replay: [touch done]\n"
    with ScriptedMessagesApi([bash("touch done"), say("Done.")], api_key=KEY) as api:
        done = run_task(
            task(replay),
            *("--agent", "replay", "--agent", "claude", "--model", "claude-haiku-5-5"),
            env=environment(api),
        )

    assert 0 == done.code, done.out + done.err
    runs = {run["agent"]: run for run in done.document["runs"]}
    assert {"replay", "claude:claude-haiku-5-5"} == set(runs)
    assert "claude-haiku-5-5" == runs["claude:claude-haiku-5-5"]["model"]
    traces = sorted(path.relative_to(done.results) for path in done.results.rglob("trace.jsonl"))
    assert 2 == len({path.parts[1] for path in traces})
    assert {"1"} == {path.parts[2] for path in traces}
