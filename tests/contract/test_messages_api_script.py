"""
The script of the Messages API: used in order, told about where it was not, and the same as JSON.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import anthropic
import pytest

from contract.vendor_clients import HELLO, KEY, MODEL, SyncClient
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import (
    Break,
    Error,
    Page,
    RedactedThinking,
    Text,
    Thinking,
    ToolUse,
    Turn,
    Usage,
    bash,
    dump_script,
    load_script,
    say,
)
from fakes.scripted_http_steps import Repeat


def test_a_reply_may_depend_on_the_request():
    def answer(request):
        return say(f"You said {request.body['messages'][0]['content']}")

    with ScriptedMessagesApi([answer]) as api:
        message = SyncClient(api).create()

    assert "You said Hello." == message.content[0].text


@pytest.mark.parametrize("times", [None, 3])
def test_a_reply_is_repeated_for_ever_or_so_often(times):
    with ScriptedMessagesApi([Repeat(bash("ls"), times)]) as api:
        ids = [SyncClient(api).create().content[0].id for _ in range(3)]
    api.assert_done()

    assert 3 == len(set(ids))


def test_each_reply_goes_to_one_of_many_that_ask_at_once():
    said = [f"number {n}" for n in range(8)]
    script = [say(one, event_pause_s=0.01) for one in said]
    with ScriptedMessagesApi(script) as api, ThreadPoolExecutor(len(said)) as pool:
        messages = list(pool.map(lambda _: SyncClient(api).stream(), said))
    api.assert_done()

    assert said == sorted(message.content[0].text for message in messages)
    assert list(range(8)) == [one.n for one in api.requests]


def test_a_script_that_was_not_used_up_is_told():
    with ScriptedMessagesApi([say("One."), Repeat(say("Two."), 3)]) as api:
        SyncClient(api).create()
        SyncClient(api).create()

    with pytest.raises(AssertionError, match="2 replies were not asked for"):
        api.assert_done()


def test_a_request_beyond_the_end_of_the_script_is_told():
    with ScriptedMessagesApi([]) as api, pytest.raises(anthropic.InternalServerError) as caught:
        SyncClient(api).create()

    assert "beyond the script's end" in caught.value.api_message
    with pytest.raises(AssertionError, match="beyond the script's end"):
        api.assert_done()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (lambda request: request.body["nothing"], "KeyError: 'nothing'"),
        (Turn((ToolUse("bash", raw=("{",)),)), "raw input can only be streamed"),
        (say("x", broken=Break("content_block_stop", "fin", block=1)), None),
        (say("x", broken=Break("message_start", "pings")), "'pings' can only be streamed"),
        (say("x", broken=Break("nothing", "error")), "needs something sent before it"),
    ],
)
def test_a_reply_that_cannot_be_given_is_told(reply, said):
    way = "create" if said else "stream"
    with ScriptedMessagesApi([reply]) as api, pytest.raises(anthropic.InternalServerError):
        getattr(SyncClient(api), way)()

    with pytest.raises(AssertionError, match=said or "no content_block_stop of block 1"):
        api.assert_done()


SCRIPT = [
    Turn(
        (Thinking("Hm."), RedactedThinking("b3B"), Text("é"), ToolUse("bash", {"a": [1, None]})),
        usage=Usage(1, 2, 3, 4, 5),
    ),
    say("x", broken=Break("message_delta", "rst"), event_pause_s=0.5),
    Turn((ToolUse("bash", raw=("{",)),), stop_details={"type": "refusal"}, model="m"),
    Page("<html>", 200, headers={"x": "y"}),
    Repeat(Error(429, retry_after_s=3, headers={"x-should-retry": "false"}), 2),
]


def test_a_script_is_the_same_after_json():
    assert load_script(dump_script(SCRIPT)) == SCRIPT


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ('[{"reply": "turn", "contents": []}]', "contents"),
        ('[{"reply": "turn", "content": [{"type": "image"}]}]', "content"),
        ('[{"reply": "turn", "stop_reason": "tired"}]', "stop_reason"),
        ('[{"reply": "none"}]', "none"),
    ],
)
def test_a_script_with_a_mistake_is_refused_by_place(script, place):
    with pytest.raises(ValueError, match=place):
        load_script(script)


@pytest.fixture(name="process")
def _process(tmp_path):
    """The API as a process of its own, with one reply."""
    (tmp_path / "script.json").write_text(dump_script([say("Hello from afar.")]))
    options = ["--script", "script.json", "--log", "log.jsonl", "--api-key", KEY, "--model", MODEL]
    started = subprocess.Popen(
        [sys.executable, "-m", "fakes.messages_api", *options],
        cwd=tmp_path,
        env={"PYTHONPATH": next(one for one in sys.path if one.endswith("/tests"))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        yield started
        started.kill()


def ask_process(process, key=KEY):
    """One message from the API at the address that the process has printed."""
    with anthropic.Anthropic(
        base_url=process.stdout.readline().strip(), api_key=key, max_retries=0
    ) as client:
        return client.messages.create(model=MODEL, max_tokens=9, messages=[HELLO])


def test_as_a_process_it_answers_and_logs_requests(process, tmp_path):
    message = ask_process(process)
    process.send_signal(signal.SIGTERM)
    logged = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]

    assert "Hello from afar." == message.content[0].text
    assert 0 == process.wait(30)
    assert [[HELLO]] == [one["body"]["messages"] for one in logged]


def test_as_a_process_it_tells_by_its_status_that_the_script_was_left(process):
    with pytest.raises(anthropic.AuthenticationError):
        ask_process(process, key="wrong")
    process.send_signal(signal.SIGTERM)

    assert 1 == process.wait(30)
    assert "authentication_error" in process.stderr.read()
