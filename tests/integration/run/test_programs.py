"""
Attempts by programs inside the sandbox: the real ones, and commands, against scripted services.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, replace

import docker.errors
import pytest

from examples.cases import case_of, task_of
from examples.fetching import docs_flags
from fakes import messages_api_replies as claude
from fakes import responses_api_replies as openai
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import Break, Error, Text, Turn, call, say
from fakes.program import run_task
from fakes.program_attempts import (
    ANTHROPIC,
    CLAUDE_CODE,
    CODEX,
    KEY,
    OPENAI,
    agent_of,
    program_stage,
)
from fakes.scripted_http_steps import Repeat
from quickstarted.agents.programs.claude_code import ClaudeCodeLog
from quickstarted.agents.programs.exec_command import ExecCommand
from quickstarted.agents.programs.program import Launch
from quickstarted.resources import tasks_dir
from quickstarted.sandbox.labels import RUN
from quickstarted_proxy.secrets_table import Secret, scrubbing
from quickstarted_proxy.substitution import Replacer, StreamFinder

pytestmark = pytest.mark.docker

DONE = "success: {script: 'test -f done'}\n"
LOOKED_FOR = Replacer(
    scrubbing([Secret(name="K", placeholder="x" * 40, value=KEY, hosts=("api.anthropic.com",))])
)
ASK = """python3 - <<'PROGRAM'
import json, os, sys, urllib.error, urllib.request
body = json.loads(os.environ.get("BODY") or '{}')
usual = {"model": "claude-x", "max_tokens": 50}
body = usual | {"messages": [{"role": "user", "content": "Hi"}]} | body
url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
fields = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
request = urllib.request.Request(url, json.dumps(body).encode(), fields)
try:
    print(urllib.request.urlopen(request, timeout=20).read().decode())
except urllib.error.HTTPError as error:
    sys.exit(f"{error.code} {error.read().decode()}")
PROGRAM"""
"""One call of a model, and exit code 1 where it fails."""


@pytest.fixture(scope="module", name="stage")
def _stage(engine, tmp_path_factory):
    with program_stage(engine, tmp_path_factory.mktemp("stage")) as made:
        yield made


@pytest.fixture(name="by_claude")
def _by_claude(stage, tmp_path):
    """One attempt by Claude Code, with the replies of its service."""

    def attempt(*script, body=DONE):
        return stage.by_program(CLAUDE_CODE, ANTHROPIC, list(script), tmp_path, body)

    return attempt


@pytest.fixture(name="by_command")
def _by_command(stage, tmp_path):
    """One attempt by a command, which may call a model that answers from a script."""

    def attempt(command, *script, body=DONE, program=None):
        with ScriptedMessagesApi(list(script), api_key=KEY) as api:
            stage.front.servers[ANTHROPIC.host] = api
            made = program or ExecCommand(command=command)
            agent = agent_of(made, {ANTHROPIC.key_variable: KEY} if script else {}, command)
            return stage.run(agent, tmp_path, body, api)

    return attempt


def bash(command):
    return call("Bash", {"command": command, "description": "x"})


def fault(attempted):
    (event,) = attempted.of_type("fault")
    return event.error


# Of whole runs.


def flask_turns():
    """
    Claude Code reads the route and does what the pages say; in one command, since each of its own
    has the variables that it began with.
    """
    task = task_of("flask")
    reads = [call("mcp__docs__read_docs", {"url": url}) for url in task.route]
    return [*reads, bash("\n".join(task.replay)), say("Flask serves the page.")]


def test_the_flask_quickstart_passes_by_claude_code(stage, tmp_path):
    path = tmp_path / "flask.yaml"
    path.write_bytes((tasks_dir() / "flask.yaml").read_bytes())
    with ScriptedMessagesApi(flask_turns(), api_key=KEY) as api:
        stage.front.servers[ANTHROPIC.host] = api
        done = run_task(
            path,
            *("--agent", "claude-code:claude-sonnet-5-5"),
            *("--upstream-ca", stage.front.authority),
            *docs_flags(case_of("flask")),
            env={
                **stage.front.environ,
                "ANTHROPIC_API_KEY": KEY,
                "QUICKSTARTED_ANTHROPIC_API_KEY": "",
                "ANTHROPIC_BASE_URL": "",
            },
        )

    assert 0 == done.code, done.out + done.err
    api.assert_done()
    assert ("completed", "passed") == done.ending("flask")
    pages = [event.url for event in done.of_type("docs_fetch", "flask")]
    assert list(task_of("flask").route) == pages
    commands = [event.command for event in done.of_type("tool_call", "flask") if event.command]
    assert ["\n".join(task_of("flask").replay)] == commands
    (final,) = done.of_type("agent_final", "flask")
    assert "Flask serves the page." == final.text
    (ready,) = done.of_type("sandbox_ready", "flask")
    assert ("claude-code", CLAUDE_CODE.release.version) == (
        ready.program["name"],
        ready.program["version"],
    )
    (run,) = done.document["runs"]
    assert len(flask_turns()) == run["turns"]
    assert (100 * run["turns"], 20 * run["turns"]) == (
        run["tokens"]["input_tokens"],
        run["tokens"]["output_tokens"],
    )
    assert ["claude-sonnet-5-5"] == run["models_reported"]


def test_codex_does_a_small_task_and_its_patches_are_on_record(stage, tmp_path):
    script = [
        openai.call("read_docs", {"url": "https://docs.example/"}),
        openai.call("exec_command", {"cmd": "echo one; exit 3"}),
        openai.call("exec_command", {"cmd": "read_docs https://docs.example/ && touch done"}),
        openai.say("Done."),
    ]
    script[0] = replace(script[0], content=(replace(script[0].content[0], namespace="mcp__docs"),))
    attempted = stage.by_program(CODEX, OPENAI, script, tmp_path, DONE)

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    assert ["mcp-", "shel"] == [event.call_id[:4] for event in attempted.of_type("docs_fetch")]
    assert [(3, "one\n"), (0, "# Start\n\nDo as you are told.\n")] == [
        (event.exit_code, event.output) for event in attempted.of_type("tool_result")
    ]
    told = attempted.requests[0].body
    assert "Reach the goal by following" in json.dumps(told["input"])
    assert "web_search" not in json.dumps(told["tools"])
    assert [] == [event.host for event in attempted.of_type("egress_blocked")]


def test_a_command_reads_documentation_calls_a_model_and_gets_the_prompt(by_command, tmp_path):
    command = f"""read_docs https://docs.example/ >/dev/null || exit 9
{ASK}
test $? = 0 || exit 8
test "$(cat)" = "$(cat "$QS_PROMPT_FILE")" || exit 7
touch done; echo last words"""
    attempted = by_command(command, say("Hello."))

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    (turn,) = attempted.of_type("agent_turn")
    assert ("end_turn", 100, 20) == (turn.stop_reason, turn.input_tokens, turn.output_tokens)
    (final,) = attempted.of_type("agent_final")
    assert final.text.endswith("last words")
    assert "last words" in (tmp_path / "result" / "agent.stdout.txt").read_text()


def test_a_program_works_as_the_images_user(stage, non_root, by_claude):
    look = "id -un; touch done; ls -ld /.quickstarted/agent | cut -d' ' -f3"
    attempted = by_claude(bash(look), say("Done."), body=f"image: {non_root}\n{DONE}")

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    (ready,) = attempted.of_type("sandbox_ready")
    stage.own_images.add(ready.program["image_id"])
    assert ["reader\nreader\n"] == [event.output for event in attempted.of_type("tool_result")]


# Of keys and traces.


def holds_canary(pieces):
    finder = StreamFinder(LOOKED_FOR)
    return any(finder.feed(piece) for piece in pieces)


def test_the_key_is_nowhere_but_in_what_the_vendor_gets(engine, stage, by_claude, tmp_path):
    views = []

    def look(event):
        if event.type == "tool_call" and event.command:
            wanted = {"label": f"{RUN}={stage.run_id}"}
            for one in engine.api.containers(all=True, filters=wanted):
                views.append(json.dumps(engine.api.inspect_container(one["Id"])).encode())
                with suppress(docker.errors.APIError):
                    top = engine.api.top(one["Id"], ps_args="axeww")
                    views.append(json.dumps(top).encode())

    search = (
        "cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n';"
        " grep -rl CANARY7d1f / --include='*' --exclude-dir=proc --exclude-dir=sys 2>/dev/null"
        " | grep -v /projects/; touch done"
    )
    stage.observer, stage.plan = look, {"keep_sandbox": True}
    try:
        attempted = by_claude(bash(search), say(f"Is it {KEY[:12]}?"))
    finally:
        stage.observer, stage.plan = (lambda _: None), {}
    (saved,) = attempted.of_type("sandbox_saved")
    in_image = holds_canary(engine.api.get_image(saved.image))
    engine.api.remove_image(saved.image, force=True)

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    (seen,) = attempted.of_type("tool_result")
    assert "ANTHROPIC_API_KEY=sk-ant-" in seen.output
    assert KEY not in seen.output
    assert KEY == attempted.requests[-1].headers["x-api-key"]
    assert views
    assert not holds_canary(views)
    assert not in_image
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"agent.jsonl", "trace.jsonl", "run.json"} <= {path.name for path in files}
    assert [] == [path for path in files if holds_canary([path.read_bytes()])]


def test_what_the_program_needs_is_not_in_the_workspace(by_claude):
    body = "success: {script: 'test -z \"$(ls -A)\"'}\n"

    assert ("completed", "passed") == by_claude(bash("true"), say("Done."), body=body).ending


def test_what_its_commands_print_counts_as_the_agents_output(by_claude):
    body = "success: {expect_output: {contains: the answer is 42}}\n"
    attempted = by_claude(bash("echo the answer is $((6 * 7))"), say("Done."), body=body)

    assert ("completed", "passed") == attempted.ending, attempted.result.fault


def test_a_file_that_it_writes_is_on_record_by_its_name(by_claude):
    write = call("Write", {"file_path": "/workspace/done", "content": "x\n"})
    attempted = by_claude(write, say("Done."))

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    (called,) = attempted.of_type("tool_call")
    assert ("Write", "/workspace/done") == (called.tool, called.path)


def test_a_host_that_was_refused_in_its_last_command_is_the_tasks_fault(by_claude):
    ask = "python3 -c \"import urllib.request as r; r.urlopen('https://unlisted.example/')\""
    attempted = by_claude(bash(ask), say("I cannot."))

    assert ("completed", "harness_error") == attempted.ending
    (refused,) = [one for one in attempted.of_type("egress_blocked") if one.scope]
    (called,) = [one for one in attempted.of_type("tool_call") if one.command]
    assert ("unlisted.example", called.scope) == (refused.host, refused.scope)


# Of its service.


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, "model_rejected", "Look at the key in ANTHROPIC_API_KEY"),
        (404, "model_rejected", "Is there a model 'claude-sonnet-5-5'?"),
        (402, "model_rejected", "has no means left"),
    ],
)
def test_what_the_service_refuses_is_said_as_for_all_agents(by_claude, status, kind, words):
    attempted = by_claude(Repeat(Error(status)))

    assert (kind, "harness_error") == attempted.ending
    (event,) = attempted.of_type("fault")
    assert words in event.hint
    assert 0 == attempted.result.turns


@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        (Error(529), ("model_unavailable", "infra_error")),
        (Error(429), ("model_unavailable", "infra_error")),
        (Turn(broken=Break("nothing", "rst")), ("model_unavailable", "infra_error")),
        (
            Turn((Text("a"),), broken=Break("message_start", "fin")),
            ("model_unavailable", "infra_error"),
        ),
        (claude.Page("<h1>Hello</h1>"), ("model_unavailable", "infra_error")),
        (Error(413), ("context_full", "budget_exhausted")),
        (Turn((), stop_reason="refusal"), ("declined", "agent_refusal")),
        (
            Turn((Text("a"),), stop_reason="model_context_window_exceeded"),
            ("context_full", "budget_exhausted"),
        ),
    ],
)
def test_a_command_that_gives_up_with_its_service_ends_as_the_service_did(
    by_command, reply, ending
):
    stream = '{"stream": true}' if isinstance(reply, Turn) else "{}"
    attempted = by_command(f"export BODY='{stream}'; {ASK}", Repeat(reply))

    assert ending == attempted.ending


def test_calls_that_are_made_again_are_on_record_and_their_waits_are_nobodys(by_claude):
    attempted = by_claude(Error(529), bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    (retried,) = attempted.of_type("api_retry")
    assert (529, 1, 1) == (retried.status, retried.turn, retried.attempt)
    assert 0 < retried.sleep <= attempted.result.waited_seconds + 0.001
    assert 2 == attempted.result.turns


def test_a_tool_that_the_vendor_hosts_is_refused_and_said(by_command):
    body = json.dumps({"tools": [{"type": "web_search_20250305", "name": "web_search"}]})
    attempted = by_command(f"export BODY='{body}'; {ASK}", say("never"))

    assert ("model_rejected", "harness_error") == attempted.ending
    assert "web_search_20250305" in fault(attempted)
    assert [] == attempted.requests
    (refused,) = [one for one in attempted.of_type("egress_blocked") if one.path]
    assert "hosted_tool:web_search_20250305" == refused.detail


# Of limits.


def test_the_end_of_the_time_ends_a_call_and_what_it_used_is_counted(by_claude, tmp_path):
    begun = Turn((Text("I begin"),), broken=Break("message_start", "hang"))
    attempted = by_claude(begun, body=DONE + "budgets: {max_seconds: 4}\n")

    assert ("max_seconds", "budget_exhausted") == attempted.ending
    (turn,) = attempted.of_type("agent_turn")
    assert ("unfinished", 100) == (turn.stop_reason, turn.input_tokens)
    assert b'"subtype":"init"' in (tmp_path / "result" / "agent.jsonl").read_bytes()


def test_an_interrupt_ends_the_program_at_once(stage, by_command):
    over = time.monotonic() + 4
    stage.cancelled = lambda: time.monotonic() > over
    try:
        attempted = by_command("echo begun; sleep 100")
    finally:
        stage.cancelled = lambda: False

    assert ("interrupted", "skipped") == attempted.ending


def test_a_program_that_goes_on_after_its_last_turn_is_ended(by_command):
    again = f"while :; do {ASK}\nsleep 0.2; done"
    attempted = by_command(
        again, Repeat(say("Go on.")), body=DONE + "budgets: {max_turns: 2, max_seconds: 60}\n"
    )

    assert ("max_turns", "budget_exhausted") == attempted.ending
    assert 2 == attempted.result.turns == len(attempted.requests)


# Of programs that break.


@dataclass(frozen=True, kw_only=True)
class Pretender(ExecCommand):
    """A command that writes what Claude Code writes."""

    log_name: str = "agent.jsonl"

    def launch(self, prompt, place):
        made = super().launch(prompt, place)
        return Launch(shell=made.shell, env=made.env, stdin=made.stdin, files=made.files)

    def reader(self):
        return ClaudeCodeLog()


RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}'
USE = (
    '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash",'
    '"input":{"command":"make"}}]}}'
)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("exit 3", "the agent's command ended with exit code 3"),
        ("echo no memory >&2; kill -SEGV $$", "was ended by SIGSEGV: no memory"),
        ("(sleep 0.1; echo late) & exit 0", "ended with exit code 0, and did not say that it was"),
        (f"printf %s '{RESULT[:30]}'", "its log breaks off within a line"),
        (f"echo '{RESULT}'; exit 1", "ended with exit code 1: Done."),
        ("head -c 100000 /dev/urandom", "did not say that it was done"),
    ],
)
def test_a_program_that_breaks_is_no_evidence_and_says_how_it_broke(by_command, command, words):
    attempted = by_command(command, program=Pretender(command=command))

    assert ("fault", "infra_error") == attempted.ending
    assert words in fault(attempted)


def test_a_program_that_is_done_counts_though_its_log_is_long_and_odd(by_command, tmp_path):
    noise = "head -c 50000000 /dev/zero | tr '\\0' x; echo; head -c 3000 /dev/urandom; echo"
    command = f"{noise}; echo '{USE}'; touch done; echo '{RESULT}'; sleep 30 &"
    attempted = by_command(command, program=Pretender(command=command))

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    assert ["make"] == [event.command for event in attempted.of_type("tool_call")]
    assert 50_000_000 < (tmp_path / "result" / "agent.jsonl").stat().st_size < 51_000_000
    assert [] == list((tmp_path / "result" / "output").glob("*.out"))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-agent --go", "is not there: its shell ended with exit code 127"),
        ("/etc/passwd", "cannot be started: its shell ended with exit code 126"),
    ],
)
def test_a_command_that_is_not_there_is_the_callers_to_mend(by_command, command, words):
    attempted = by_command(command)

    assert ("fault", "harness_error") == attempted.ending
    assert words in fault(attempted)


def test_a_command_that_ends_itself_with_another_code_than_0_is_no_evidence(by_command, tmp_path):
    attempted = by_command("touch done; echo it does not work >&2; exit 5")

    assert ("fault", "infra_error") == attempted.ending
    assert "ended with exit code 5: it does not work" in fault(attempted)
    assert "it does not work\n" == (tmp_path / "result" / "agent.stderr.txt").read_text()
