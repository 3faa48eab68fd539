"""Every sample of every format: what it becomes is looked at once, valid, and loses nothing."""

import json

import pytest

from fakes.golden import golden
from fakes.imports import FORMATS, imported, problems_of, samples
from quickstarted.formats.lines import open_buffered
from quickstarted.formats.strict_json import JsonProblem, parse
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES
from quickstarted.formats.trajectory.documents import read_documents
from quickstarted.formats.trajectory.importing import IMPORTERS

FILES = [path.relative_to(FORMATS).as_posix() for path in samples()]
EXPECTED = {
    "agent-log": "agent-log",
    "atif": "atif",
    "claude-code": "claude-code",
    "codex": "codex",
    "crewai": "crewai",
    "event-list": "event-list",
    "inspect": "inspect",
    "langgraph": "langgraph",
    "messages": "messages",
    "mini-swe-agent": "swe-agent",
    "openai-agents": "openai-agents",
    "openinference": "otlp",
    "otlp-genai": "otlp",
    "responses": "openai-responses",
    "swe-agent": "swe-agent",
    "webshop": "webshop",
}
"""Folders whose samples are all of one format, as far as they can be read."""

SAID_OTHERWISE = {
    "at",
    "conversations.from",
    "created_at",
    "duration",
    "ended_at",
    "event",
    "from",
    "id",
    "key",
    "object",
    "role",
    "source",
    "started_at",
    "status",
    "timestamp",
    "ts",
    "type",
    "execution_time",
    "startTimeUnixNano",
    "endTimeUnixNano",
    "timeUnixNano",
    "intValue",
}
"""Fields whose text is in another form: times, kinds and roles, names of constructors."""
LEFT_OUT = {"chunk", "delta", "data:image", "iVBORw0"}
"""Pieces of an answer that comes whole, and files, which are written beside."""

OTHER_FORMS = {
    "crewai/events.jsonl": {"ev-21"},
    "claude-code/stream-json.jsonl": {"d1"},
    "openinference/traces.json": {"AGENT", "LLM", "TOOL"},
    "otlp-genai/collector-file-exporter.jsonl": {"execute_tool"},
    "otlp-genai/traces.json": {"execute_tool"},
}
"""Ids of pieces that are put together, and kinds of spans, which decide the event's type."""


def leaves(value, key=""):
    """Each text and number, with the name of the field that it is in."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, name if key not in LEFT_OUT else key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)
    elif isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            yield from leaves(parse(value.encode()), key)
        except JsonProblem:
            yield key, value
    elif value is not None and not isinstance(value, bool):
        yield key, value


def sources(path):
    with open_buffered(path) as stream:
        yield from (
            one.value
            for one in read_documents(stream, MAX_UPLOAD_BYTES)
            if one.problem is None and isinstance(one.value, dict)
        )


@pytest.mark.parametrize("name", FILES)
def test_a_sample_becomes_what_was_looked_at(name):
    made, report = imported(FORMATS / name)
    told = report.as_json() | {"file": name, "result": made}
    text = json.dumps(told, indent=1, ensure_ascii=True) + "\n"

    assert golden(f"formats/imported/{name}.json", text) == text


def test_no_sample_is_gone_whose_import_was_looked_at():
    folder = FORMATS / "imported"
    looked_at = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}

    assert {f"{name}.json" for name in FILES} == {
        name for name in looked_at if (folder / name).is_file()
    }


@pytest.mark.parametrize(
    ("told", "number", "of"),
    [
        ("agent-log-edge", 35, "edge/*"),
        ("trajectory-edge", 35, "edge/*"),
        ("upload-edge", 35, "edge/*"),
        ("agent-log-invalid", 32, "agent-log/invalid/*"),
        ("agent-log-valid", 6, "agent-log/valid/*"),
        ("questionable", 16, "agenttrajectory/questionable/*"),
    ],
)
def test_no_sample_is_gone_whose_message_was_looked_at(told, number, of):
    samples_of_it = {path.name.removesuffix(".json") for path in FORMATS.glob(of)}
    messages = (FORMATS / "told" / told).iterdir()

    assert number == len(samples_of_it)
    assert samples_of_it == {
        path.name.removesuffix(".json").removesuffix(".json") for path in messages
    }


@pytest.mark.parametrize("name", FILES)
def test_what_a_sample_becomes_is_valid(name):
    made, report = imported(FORMATS / name)

    assert len(made) == report.run_count
    assert sum(len(one["events"]) for one in made) == report.event_count
    assert bool(made) or report.problems
    assert len({one["trace_id"] for one in made}) == len(made)
    for one in made:
        assert [] == [
            (code, message)
            for code, message in problems_of(one)
            if code not in {"artifact-outside", "duration-negative", "ended-before-start"}
        ]


@pytest.mark.parametrize("name", [name for name in FILES if name.split("/")[0] in EXPECTED])
def test_a_sample_is_taken_for_what_it_is(name):
    _, report = imported(FORMATS / name)

    assert {run.source_format for run in report.runs} <= {EXPECTED[name.split("/")[0]]}


@pytest.mark.parametrize(
    "name",
    [name for name in FILES if not name.startswith(("edge/", "agent-log/invalid/"))],
)
def test_nothing_of_a_sample_is_lost(name):
    made, report = imported(FORMATS / name)
    if report.problems:
        return
    kept = {value for _, value in leaves(made)}
    lost = {
        (key, value)
        for source in sources(FORMATS / name)
        for key, value in leaves(source)
        if value not in kept
        and key not in SAID_OTHERWISE | LEFT_OUT
        and not str(value).startswith(tuple(LEFT_OUT))
    }

    assert OTHER_FORMS.get(name, set()) == {value for _, value in lost}


@pytest.mark.parametrize("name", FILES)
def test_a_second_import_gives_the_same(name):
    assert imported(FORMATS / name)[0] == imported(FORMATS / name)[0]


def test_every_importer_has_a_sample():
    taken = {run.source_format for name in FILES for run in imported(FORMATS / name)[1].runs} | {
        "trace"
    }

    assert {importer.name for importer in IMPORTERS} == taken
