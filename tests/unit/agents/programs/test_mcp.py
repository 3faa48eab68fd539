import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.agents.model.toolset import READ_DOCS
from quickstarted.agents.model.vendor import ToolAnswer
from quickstarted.agents.programs import mcp


def carried(use):
    return ToolAnswer(call_id=use.call_id, text=f"{use.name} {use.arguments}")


def ask(message, carry_out=carried):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    answer = mcp.answered(body, carry_out)
    return None if answer is None else json.loads(answer)


def call(method, params=None, call_id=1):
    return {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params or {}}


@pytest.mark.parametrize("version", mcp.VERSIONS)
def test_a_client_gets_the_version_that_it_asks_for(version):
    answer = ask(call("initialize", {"protocolVersion": version}))

    assert answer["id"] == 1
    assert answer["result"]["protocolVersion"] == version
    assert answer["result"]["capabilities"] == {"tools": {}}
    assert answer["result"]["serverInfo"]["name"] == "quickstarted"


@pytest.mark.parametrize("version", ["2031-01-01", None, 7, ["2025-06-18"]])
def test_a_client_of_another_version_is_told_the_newest(version):
    answer = ask(call("initialize", {"protocolVersion": version}))

    assert answer["result"]["protocolVersion"] == mcp.VERSIONS[0]


def test_the_only_tool_is_the_one_that_every_agent_has():
    (tool,) = ask(call("tools/list"))["result"]["tools"]

    assert (tool["name"], tool["description"]) == (READ_DOCS.name, READ_DOCS.description)
    assert tool["inputSchema"] == READ_DOCS.schema


def test_a_call_is_carried_out_with_its_arguments():
    arguments = {"url": "https://docs.example.org/", "page": 2}

    answer = ask(call("tools/call", {"name": "read_docs", "arguments": arguments}, "seven"))

    assert answer == {
        "jsonrpc": "2.0",
        "id": "seven",
        "result": {
            "content": [{"type": "text", "text": f"read_docs {arguments}"}],
            "isError": False,
        },
    }


def test_a_page_that_could_not_be_read_is_an_answer_marked_as_an_error():
    answer = ask(
        call("tools/call", {"name": "read_docs", "arguments": {}}),
        lambda use: ToolAnswer(call_id=use.call_id, text="no", is_error=True),
    )

    assert answer["result"] == {"content": [{"type": "text", "text": "no"}], "isError": True}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 3, "result": {}},
        {"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "x"}},
        [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}],
    ],
)
def test_what_asks_for_nothing_gets_no_answer(message):
    assert ask(message) is None


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"", mcp.PARSE_ERROR),
        (b"{", mcp.PARSE_ERROR),
        (b"\xff\xfe", mcp.PARSE_ERROR),
        (b"[" * 100_000, mcp.PARSE_ERROR),
        ([], mcp.INVALID_REQUEST),
        ([call("ping")] * 51, mcp.INVALID_REQUEST),
        ("ping", mcp.INVALID_REQUEST),
        ({"id": 1, "method": "ping"}, mcp.INVALID_REQUEST),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, mcp.INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, mcp.INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, mcp.INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, mcp.INVALID_REQUEST),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, mcp.INVALID_REQUEST),
        (call("resources/list"), mcp.METHOD_NOT_FOUND),
        (call("server/discover"), mcp.METHOD_NOT_FOUND),
        (call("tools/call", {"name": "bash", "arguments": {}}), mcp.INVALID_PARAMS),
        (call("tools/call", {"arguments": {}}), mcp.INVALID_PARAMS),
        (call("tools/call", {"name": "read_docs", "arguments": [1]}), mcp.INVALID_PARAMS),
    ],
)
def test_what_cannot_be_answered_is_told_by_its_code(message, code):
    assert ask(message)["error"]["code"] == code


def test_a_batch_is_answered_in_order_without_what_asks_for_nothing():
    batch = [call("ping", call_id=1), {"jsonrpc": "2.0", "method": "x"}, call("nope", call_id=2)]

    first, second = ask(batch)

    assert first == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (second["id"], second["error"]["code"]) == (2, mcp.METHOD_NOT_FOUND)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "params", "name", "arguments", "x"]),
            inner | st.sampled_from(["2.0", "tools/call", "initialize", "read_docs"]),
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_message_raises_and_every_answer_is_json_rpc(message):
    answer = ask(message)

    for one in answer if isinstance(answer, list) else [answer] if answer else []:
        assert one["jsonrpc"] == "2.0"
        assert ("result" in one) != ("error" in one)


@given(st.binary(max_size=200))
def test_no_bytes_raise(body):
    mcp.answered(body, carried)
