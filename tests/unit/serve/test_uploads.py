"""What is uploaded is stored, given back, and never stored over."""

import base64
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from fakes.golden import GOLDEN, golden
from fakes.uploading import API, JSON, LINES, run, serving
from quickstarted.formats.trajectory import check_trajectories
from quickstarted.serve.store import ID

PUBLISHED = (GOLDEN / "formats" / "agent-trajectory.schema.json").read_bytes()
SAMPLES = GOLDEN / "formats"
NO_SAMPLES = {"edge", "told", "imported", "converted"}
KINDS = sorted(
    path
    for path in SAMPLES.glob("*/*.json*")
    if path.parent.name not in NO_SAMPLES and "utf16" not in path.name
)
EDGE = sorted(SAMPLES.glob("edge/*"))
CHAT = [
    {"role": "user", "content": "Install it."},
    {"role": "assistant", "content": "Done."},
]


def upload(served, value, headers=None):
    """Status and reply."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    reply = served.post(body, headers)
    return reply.status_code, reply.json()


def lines(*values):
    return "".join(f"{json.dumps(one)}\n" for one in values).encode()


def stored(served, reply):
    """The documents that *reply* says are stored, as they are given back."""
    return [served.get(one["url"]).json() for one in reply["stored"]]


def test_the_published_document_is_answered_with_byte_for_byte(served):
    reply = served.get("/api/v1/schema")

    assert (200, "application/json") == (reply.status_code, reply.headers["content-type"])
    assert PUBLISHED.rstrip(b"\n") == reply.content


def test_the_published_example_is_stored(served):
    status, reply = upload(served, json.loads(PUBLISHED)["example"])
    (document,) = stored(served, reply)

    assert 201 == status
    assert ["native"] == [one["converter"] for one in reply["stored"]]
    assert "Book a refundable flight to Paris" == document["goal"]


@pytest.mark.parametrize(
    ("body", "headers", "where"),
    [
        (json.dumps(run("one")).encode(), JSON, ["file"]),
        (json.dumps([run("a-1"), run("a-2")]).encode(), JSON, ["item 1", "item 2"]),
        (lines(run("l-1"), run("l-2")), LINES, ["line 1", "line 2"]),
        (b"\n" + lines(run("b-1")) + b"\n \n" + lines(run("b-2")), LINES, ["line 2", "line 5"]),
        (lines(run("r-1"), run("r-2")).replace(b"\n", b"\r\n"), LINES, ["line 1", "line 2"]),
        (json.dumps(run("p"), indent=2).encode(), JSON, ["file"]),
        (b"\xef\xbb\xbf" + json.dumps(run("bom")).encode(), JSON, ["file"]),
        (json.dumps(run("u", goal="\u2028\x85"), ensure_ascii=False).encode(), JSON, ["file"]),
    ],
    ids=["object", "array", "lines", "blank lines", "CRLF", "indented", "BOM", "U+2028"],
)
def test_an_object_an_array_and_json_lines_are_taken(served, body, headers, where):
    status, reply = upload(served, body, headers)

    assert (201, 0) == (status, reply["error_count"])
    assert where == [one["where"] for one in reply["stored"]]
    assert len(where) == len(stored(served, reply))


def test_one_bad_item_does_not_lose_the_others(served):
    bad = run("bad", {"trace_id": "other"})
    status, reply = upload(served, lines(run("good-1"), bad, 7, run("good-2")))

    assert 201 == status
    assert ["good-1", "good-2"] == [one["trace_id"] for one in reply["stored"]]
    assert ["line 2", "line 3"] == [one["where"] for one in reply["errors"]]
    assert 2 == reply["error_count"]


def test_a_line_that_is_no_json_does_not_lose_the_others(served):
    body = lines(run("whole-1")) + b'{"trace_id": \n' + lines(run("whole-2")) + b'{"trace'
    status, reply = upload(served, body, LINES)

    assert 201 == status
    assert ["whole-1", "whole-2"] == [one["trace_id"] for one in reply["stored"]]
    assert ["line 2", "line 4"] == [one["where"] for one in reply["errors"]]


def test_another_format_is_converted_and_the_reply_says_from_which(served):
    status, reply = upload(served, {"messages": CHAT})
    (document,) = stored(served, reply)

    assert (201, ["messages"]) == (status, [one["converter"] for one in reply["stored"]])
    assert ["observation", "llm.response"] == [one["event_type"] for one in document["events"]]


def test_the_format_can_be_said(served):
    both = {"messages": CHAT, "conversations": [{"from": "human", "value": "Hello."}]}
    reply = served.post(json.dumps([both]).encode() + b" ").json()
    said = served.client()
    with said:
        forced = said.post(f"{API}?format=messages", json=[{**both, "id": "forced"}])
        wrong = said.post(f"{API}?format=toml", json=[both])

    assert 1 == len(reply["stored"])
    assert ["messages"] == [one["converter"] for one in forced.json()["stored"]]
    assert (400, "bad-parameter") == (wrong.status_code, wrong.json()["error"]["code"])


def test_a_second_upload_of_the_same_is_reported_and_adds_nothing(served):
    first = upload(served, {"messages": [*CHAT, CHAT[0]]})[1]["stored"]
    before = served.stored
    status, reply = upload(served, {"messages": [*CHAT, CHAT[0]]})

    assert (200, []) == (status, reply["stored"])
    assert [(first[0]["id"], "content")] == [
        (one["id"], one["same"]) for one in reply["duplicates"]
    ]
    assert before == served.stored


def test_the_same_trajectory_at_another_place_of_another_upload_is_the_same(served):
    event = {"event_id": "e", "timestamp": "2026-11-02T09:00:00Z"}
    upload(served, [run("place-1", event), run("place-2", event)])
    status, reply = upload(served, lines(run("place-2", event), run("place-1", event)))

    assert (200, []) == (status, reply["stored"])
    assert ["content", "content"] == [one["same"] for one in reply["duplicates"]]


@pytest.mark.parametrize("together", [True, False], ids=["one upload", "two uploads"])
def test_another_trajectory_of_the_same_trace_id_leaves_the_first_as_it_is(served, together):
    name = f"taken-{together}"
    first, second = run(name, goal="first"), run(name, goal="second")
    if together:
        status, reply = upload(served, [first, second])
    else:
        upload(served, first)
        status, reply = upload(served, second)
    (duplicate,) = reply["duplicates"]

    assert (201 if together else 409) == status
    assert "trace_id" == duplicate["same"]
    assert "first" == served.get(duplicate["url"]).json()["goal"]


@pytest.mark.parametrize(
    "trace_id",
    [
        "../../escape",
        "/etc/passwd",
        "..",
        ".",
        ".incoming",
        "a/b\\c",
        "nul\x00byte",
        "CON",
        "-rf",
        "line\nbreak",
        "\u202egnp.exe",
        "ünïcode \N{SNOWMAN}",
        "x" * 5000,
        "Case",
        "case",
    ],
    ids=lambda one: ascii(one[:20]),
)
def test_no_trace_id_becomes_a_path(served, trace_id):
    before = {path for path in served.out.parent.rglob("*") if served.out not in path.parents}
    status, reply = upload(served, run(trace_id))
    (one,) = reply["stored"]
    found = served.get(f"{API}?{urlencode({'trace_id': trace_id})}").json()["trajectories"]

    assert 201 == status
    assert ID.fullmatch(one["id"])
    assert trace_id == served.get(one["url"]).json()["trace_id"]
    assert [one["id"]] == [entry["id"] for entry in found]
    assert before == {
        path for path in served.out.parent.rglob("*") if served.out not in path.parents
    }


def test_long_texts_are_cut_in_the_list_and_whole_in_the_trajectory(served):
    _, reply = upload(served, run("long", goal="g" * 900))
    url = reply["stored"][0]["url"]

    assert "g" * 497 + "..." == served.get(f"{url}/upload").json()["goal"]
    assert "g" * 900 == served.get(url).json()["goal"]


def test_pages_of_the_list_have_everything_once(served):
    upload(served, [run(f"page-{number}") for number in range(7)])
    names, url = [], f"{API}?limit=3"
    while url is not None:
        page = served.get(url).json()
        names += [one["id"] for one in page["trajectories"]]
        url = page["next"]

    assert sorted(served.stored) == names


def test_files_in_a_run_are_stored_beside_it_and_given_back(served):
    pixel = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
    _, reply = upload(served, {"messages": [{"role": "user", "content": [image]}, CHAT[1]]})
    (document,) = stored(served, reply)
    (uri,) = [one["uri"] for event in document["events"] for one in event["artifacts"]]
    got = served.get(f"{reply['stored'][0]['url']}/{uri}")

    assert re.fullmatch(r"artifacts/[0-9a-f]{64}\.png", uri)
    assert (200, b"\x89PNG") == (got.status_code, got.content[:4])
    assert "application/octet-stream" == got.headers["content-type"]
    assert got.headers["content-disposition"].startswith("attachment; ")


@pytest.mark.parametrize(
    ("sample", "converter"),
    [
        ("messages/anthropic.json", "messages"),
        ("conversations/sharegpt.json", "conversations"),
        ("event-list/stream.jsonl", "event-list"),
        ("openai-agents/ingest-batch.json", "openai-agents"),
        ("crewai/events.jsonl", "crewai"),
        ("langgraph/astream-events-v2.json", "langgraph"),
        ("webshop/fixed_7.jsonl", "webshop"),
        ("agenterrorbench/rows.jsonl", "agenterrorbench"),
    ],
)
def test_every_kind_that_the_published_document_lists_is_converted(served, sample, converter):
    _, reply = upload(served, (SAMPLES / sample).read_bytes())

    assert {converter} == {one["converter"] for one in (*reply["stored"], *reply["duplicates"])}


@pytest.mark.parametrize("path", KINDS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_is_stored_of_a_sample_passes_the_strict_checker(served, path: Path):
    status, reply = upload(served, path.read_bytes())
    names = {one["id"] for one in (*reply["stored"], *reply["duplicates"])}
    reports = [check_trajectories(served.out / name / "trajectory.json") for name in names]

    assert (201 if reply["stored"] else 422) == status or reply["duplicates"]
    assert [] == [report.problems for report in reports if report.verdict == "invalid"]


@pytest.fixture(scope="module")
def edge(tmp_path_factory):
    """What a new server says to the files, one after the other: by the file's name."""
    with serving(tmp_path_factory.mktemp("edge")) as fresh:
        replies = {path.name: upload(fresh, path.read_bytes()) for path in EDGE}
        assert "fault:" not in fresh.log
    return replies


@pytest.mark.parametrize("name", [path.name for path in EDGE])
def test_what_is_said_to_a_file_of_any_kind_was_looked_at(edge, name):
    status, reply = edge[name]
    text = json.dumps({"status": status, "reply": reply}, indent=1, ensure_ascii=True) + "\n"

    assert golden(f"formats/told/upload-edge/{name}.json", text) == text
    assert status in {200, 201, 400, 409, 422}
