"""`quickstarted trajectory import`, as a person and as a program call it."""

import json
import os
from pathlib import Path

import pytest

from fakes.golden import GOLDEN, golden
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import say
from quickstarted.cli import run_cli

FORMATS = GOLDEN / "formats"
EVIL = "\x1b[31mred\x1b]0;title\x07\u202e\x9b1m\x7f"


@pytest.fixture(name="call")
def _call(tmp_path, monkeypatch, capsysbinary):
    """Calls the program in a folder of its own; exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def call(*args):
        code = run_cli(["trajectory", *[str(arg) for arg in args]])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


def put(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path.name


def test_trajectories_go_to_standard_output_and_words_to_standard_error(call, tmp_path):
    name = put(tmp_path / "talk.json", {"messages": [{"role": "user", "content": "x"}]})
    code, out, err = call("import", name)

    assert (0, "talk") == (code, json.loads(out)["trace_id"])
    assert (
        "talk.json: 1 trajectory, 1 event\n  file: talk (messages: it has messages), 1 event\n"
    ) == err


def test_what_is_written_passes_the_check(call, tmp_path):
    code, out, _ = call("import", FORMATS / "claude-code" / "session.jsonl")
    (tmp_path / "runs.jsonl").write_text(out)

    assert 0 == code == call("check", "runs.jsonl")[0]


def test_a_folder_is_told_as_a_person_reads_it(call, tmp_path, monkeypatch):
    monkeypatch.chdir(FORMATS)
    names = ["crewai/events.jsonl", "edge/mixed-formats.jsonl", "edge/partial-last-line.jsonl"]
    code, out, err = call("import", *names, "har/egress.har", "--out", tmp_path / "out")
    shown = out.replace(str(tmp_path), "FOLDER")

    assert (1, "") == (code, err)
    assert golden("formats/told/import.txt", shown) == shown


def test_programs_read_one_document(call, tmp_path):
    name = put(tmp_path / "a.jsonl", {"trace_id": "a", "events": []}, 5)
    code, out, err = call("import", name, "--out", "made", "--json")
    (file,) = json.loads(out)["files"]

    assert (1, "") == (code, err)
    assert {
        "trace_id": "a",
        "format": "native",
        "why": "it has trace_id and events, and validates",
        "events": 0,
        "where": "line 1",
        "stored": str(Path("made") / "a.json"),
    } == file["trajectories"][0]
    assert [("line 2", "is 5, and no run")] == [
        (one["where"], one["error"]) for one in file["errors"]
    ]


def test_words_of_programs_go_to_standard_error_beside_trajectories(call, tmp_path):
    name = put(tmp_path / "a.jsonl", {"trace_id": "a", "events": []})
    _, out, err = call("import", name, "--json")

    assert ("a", 1) == (json.loads(out)["trace_id"], json.loads(err)["files"][0]["imported"])


def test_nothing_of_a_file_reaches_a_terminal_as_it_is(call, tmp_path):
    record = {"role": EVIL, EVIL: EVIL}
    name = put(
        tmp_path / "evil.jsonl",
        {"trace_id": EVIL, "events": [{"trace_id": EVIL, EVIL: 1}]},
        {"trace_id": "b", "events": [{"trace_id": EVIL}]},
        record,
        EVIL,
    )
    for args in (("--out", "made"), ("--out", "made", "--json"), ()):
        _, out, err = call("import", name, *args)
        assert (out + err).replace("\n", "").isprintable()
        assert (out + err).isascii()


def test_a_file_that_cannot_be_read_loses_no_other(call, tmp_path):
    good = put(tmp_path / "a.jsonl", {"trace_id": "a", "events": []})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    code, _out, err = call("import", good, "--out", "made")

    assert (0, "") == (code, err)
    assert 3 == call("import", "loop", good)[0]
    assert 3 == call("import", tmp_path, good)[0]
    assert 3 == call("import", good, "--format", "nope")[0]
    assert 3 == call("import")[0]


def test_a_folder_that_cannot_be_made_is_told(call, tmp_path):
    name = put(tmp_path / "a.jsonl", {"trace_id": "a", "events": []})
    code, _, err = call("import", name, "--out", f"{name}/x")

    assert 2 == code
    assert err.startswith("error: ")


def test_a_vendors_model_is_asked_for_what_no_format_knows(call, tmp_path, monkeypatch):
    name = put(tmp_path / "odd.json", {"when": "noon", "did": "ls"})
    reply = json.dumps({"trace_id": "t", "events": [{"event_type": "tool.call", "input": "ls"}]})
    with ScriptedMessagesApi([say(reply)], api_key="sk-test") as api:
        monkeypatch.setenv("QUICKSTARTED_ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        code, out, err = call("import", name, "--llm", "claude")
    api.assert_done()

    assert (0, "llm") == (code, json.loads(out)["metadata"]["converted_by"])
    assert "a model has made this trajectory" in err


def test_only_a_model_can_be_asked(call, tmp_path):
    name = put(tmp_path / "odd.json", {"when": "noon"})

    assert 3 == call("import", name, "--llm", "replay")[0]


def test_what_an_earlier_call_has_written_is_not_written_over(call, tmp_path):
    name = put(tmp_path / "a.json", {"trace_id": "a", "events": []})
    other = put(tmp_path / "b.json", {"trace_id": "a", "goal": "another", "events": []})
    assert 0 == call("import", name, "--out", "out")[0]
    before = (tmp_path / "out" / "a.json").read_bytes()
    code, _, err = call("import", other, "--out", "out")

    assert (3, before) == (code, (tmp_path / "out" / "a.json").read_bytes())
    assert f"error: {Path('out') / 'a.json'}: is there already" in err
    assert ["a.json"] == [path.name for path in (tmp_path / "out").iterdir()]
    assert 0 == call("import", other, "--out", "out", "--force")[0]
    assert b"another" in (tmp_path / "out" / "a.json").read_bytes()


def test_a_file_is_not_imported_over_itself(call, tmp_path):
    name = put(tmp_path / "a.json", {"trace_id": "a", "events": []})
    before = (tmp_path / name).read_bytes()

    assert 3 == call("import", name, "--out", ".")[0]
    assert before == (tmp_path / name).read_bytes()


def test_a_model_that_is_none_is_refused_by_its_own_flag(call, tmp_path):
    name = put(tmp_path / "a.json", {"trace_id": "a", "events": []})
    code, _, err = call("import", name, "--llm", "nope")

    assert 3 == code
    assert "--llm nope: this is no model that can be asked" in err
    assert "--agent" not in err
