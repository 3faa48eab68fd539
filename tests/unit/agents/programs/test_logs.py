"""What the logs of programs say: real ones, and whatever else may be written in their place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.agents.programs.claude_code import ClaudeCodeLog
from quickstarted.agents.programs.codex import CodexLog
from quickstarted.agents.programs.exec_command import LAST_WORDS_CHARS, LastWords
from quickstarted.agents.programs.program import Called, Ended, Returned

GOLDEN = Path(__file__).parents[3] / "golden" / "programs"
READERS = [ClaudeCodeLog, CodexLog, LastWords]


def entries(reader, *lines):
    made = reader()
    found = [
        entry
        for line in lines
        for entry in made.read(line if isinstance(line, bytes) else json.dumps(line).encode())
    ]
    return [*found, *made.rest()]


def recorded(name):
    return (GOLDEN / f"{name}.jsonl").read_bytes().splitlines()


def test_a_run_of_claude_code_is_read():
    assert entries(ClaudeCodeLog, *recorded("claude-code")) == [
        Called(call_id=CALL[0], tool="bash", command="echo hi; cat /nope; exit 3"),
        Returned(
            call_id=CALL[0], exit_code=3, output="hi\ncat: /nope: No such file or directory\n"
        ),
        Called(call_id=CALL[1], tool="bash", command="read_docs https://docs.example/; touch done"),
        Called(call_id=CALL[2], tool="Write", path="/workspace/x.txt"),
        Returned(call_id=CALL[1], exit_code=0, output="# Start\n\nDo as you are told.\n"),
        Ended(text="All done."),
    ]


CALL = [f"toolu_01{number:022d}" for number in (3, 5, 6)]


def test_a_run_of_codex_is_read():
    path, *_ = (one for one in recorded("codex") if b"codex-path" in one)
    printed = json.loads(path)["item"]["aggregated_output"]

    assert entries(CodexLog, *recorded("codex")) == [
        Called(call_id="item_2", tool="bash", command="echo hi; cat /nope; exit 3"),
        Returned(
            call_id="item_2", exit_code=3, output="hi\ncat: /nope: No such file or directory\n"
        ),
        Called(
            call_id="item_4",
            tool="bash",
            command="read_docs https://docs.example/; touch done; echo $PATH",
        ),
        Returned(call_id="item_4", exit_code=0, output=printed),
        Ended(text="All done."),
    ]


def result(**fields):
    usual = {"type": "tool_result", "tool_use_id": "t", "content": "", "is_error": False}
    return {"type": "user", "message": {"content": [usual | fields]}}


USE = {
    "type": "assistant",
    "message": {
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}]
    },
}


@pytest.mark.parametrize(
    ("fields", "beside", "exit_code", "output", "note"),
    [
        ({"content": "a"}, {"stdout": "a", "stderr": "\nShell cwd was reset"}, 0, "a\n", ""),
        ({"content": ""}, {"stdout": ""}, 0, "", ""),
        ({"content": "a"}, "a", 0, "a\n", ""),
        ({"content": [{"type": "text", "text": "a"}]}, None, 0, "a\n", ""),
        ({"content": "Exit code 137\nkilled", "is_error": True}, None, 137, "killed\n", ""),
        ({"content": "Exit code 1", "is_error": True}, None, 1, "", ""),
        ({"content": "Exit code 1\nExit code 2", "is_error": True}, None, 1, "Exit code 2\n", ""),
        (
            {"content": "Command timed out after 2m", "is_error": True},
            None,
            1,
            "Command timed out after 2m\n",
            "the program does not say with which exit code",
        ),
        (
            {"content": "Running in the background with ID: x"},
            {"stdout": "", "backgroundTaskId": "x"},
            0,
            "",
            "goes on in the background",
        ),
    ],
)
def test_how_a_command_of_claude_codes_ended(fields, beside, exit_code, output, note):
    line = result(**fields) | {"tool_use_result": beside}

    assert entries(ClaudeCodeLog, USE, line)[1] == Returned(
        call_id="t", exit_code=exit_code, output=output, note=note
    )


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        ({"subtype": "success", "is_error": False, "result": "Yes."}, Ended(text="Yes.")),
        ({"subtype": "success", "is_error": False}, Ended(text="")),
        (
            {"subtype": "success", "is_error": True, "result": "API Error: 400"},
            Ended(text="API Error: 400", failed=True),
        ),
        ({"subtype": "error_max_turns"}, Ended(text="error_max_turns", failed=True)),
        (
            {"subtype": "error_during_execution", "is_error": True},
            Ended(text="error_during_execution", failed=True),
        ),
    ],
)
def test_how_claude_code_says_that_it_has_ended(line, ended):
    assert entries(ClaudeCodeLog, {"type": "result", **line}) == [ended]


def item(kind, event="item.completed", **fields):
    return {"type": event, "item": {"id": "i", "type": kind, **fields}}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            [item("file_change", changes=[{"path": "/w/a", "kind": "add"}, {"path": "/w/b"}])],
            [
                Called(call_id="i", tool="apply_patch", path="/w/a"),
                Called(call_id="i", tool="apply_patch", path="/w/b"),
            ],
        ),
        ([item("mcp_tool_call", server="docs", tool="read_docs")], []),
        (
            [item("mcp_tool_call", server="other", tool="x")],
            [Called(call_id="i", tool="other.x")],
        ),
        (
            [item("command_execution", command="bash -c 'a b'", aggregated_output="x")],
            [
                Called(call_id="i", tool="bash", command="a b"),
                Returned(
                    call_id="i",
                    exit_code=1,
                    output="x",
                    note="the program does not say with which exit code",
                ),
            ],
        ),
        (
            [item("command_execution", command="bash -c 'open", exit_code=0)],
            [
                Called(call_id="i", tool="bash", command="bash -c 'open"),
                Returned(call_id="i", exit_code=0, output=""),
            ],
        ),
        (
            [{"type": "turn.failed", "error": {"message": "no"}}],
            [Ended(text="no", failed=True)],
        ),
        ([{"type": "turn.completed"}], [Ended(text="")]),
    ],
)
def test_what_else_codex_says(lines, expected):
    assert entries(CodexLog, *lines) == expected


def test_of_what_a_command_prints_the_end_is_kept():
    lines = [b"x" * 100_000, b"last \xff words", b""]

    (ended,) = entries(LastWords, *lines)

    assert ended.text.endswith("\nlast \ufffd words")
    assert len(ended.text) <= LAST_WORDS_CHARS
    assert not ended.is_said


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "message", "content", "item", "id"]), inner)
    ),
    max_leaves=8,
)
TYPES = st.sampled_from(
    ["assistant", "user", "result", "item.started", "item.completed", "turn.failed"]
)
KINDS = st.sampled_from(["tool_use", "tool_result", "command_execution", "file_change", 7, None])


@pytest.mark.parametrize("reader", READERS)
@given(line=st.binary(max_size=80))
def test_no_bytes_bring_a_reader_down(reader, line):
    assert all(isinstance(one, Called | Returned | Ended) for one in entries(reader, line))


@pytest.mark.parametrize("reader", READERS)
@given(kind=TYPES, inner=KINDS, odd=ODD, other=ODD)
def test_no_line_of_the_wrong_shape_brings_a_reader_down(reader, kind, inner, odd, other):
    block = {"type": inner, "id": odd, "tool_use_id": odd, "name": other, "input": other}
    lines = [
        {"type": kind, "message": odd, "item": other, "error": odd, "result": other},
        {"type": kind, "message": {"content": [block, odd]}, "item": {**block, "changes": other}},
        {"type": kind, "message": {"content": other}, "tool_use_result": odd},
    ]

    found = entries(reader, *lines)

    assert all(isinstance(one, Called | Returned | Ended) for one in found)


def test_json_that_nests_beyond_reason_says_nothing():
    assert entries(ClaudeCodeLog, b'{"type":' + b"[" * 200_000) == []
