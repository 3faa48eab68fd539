"""What a file is taken for, in which order, and that one bad record loses no other."""

import io
import json

import pytest

from fakes.imports import imported, imported_bytes, imported_lines
from quickstarted.errors import UsageError
from quickstarted.formats.trajectory.importing import (
    IMPORTERS,
    FolderSink,
    ImportOptions,
    ModelSink,
    import_file,
    import_stream,
)
from quickstarted.formats.trajectory.importing.importer import (
    MAX_HELD_BYTES,
    MAX_HELD_RECORDS,
)

NATIVE = {"trace_id": "a", "events": []}
MESSAGE = {"role": "user", "content": "x"}
SPAN = {"object": "trace.span", "id": "s", "trace_id": "t", "span_data": {"type": "custom"}}
CREW = {"type": "llm_call_started", "emission_sequence": 1, "messages": [MESSAGE]}


def raw(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def formats(*records):
    return [run.source_format for run in imported_bytes(raw(*records))[1].runs]


def problems(text, **options):
    report = imported_bytes(text, **options)[1]
    return [(one.where, one.message) for one in report.problems]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([CREW, CREW], ["crewai"]),
        ([MESSAGE, SPAN], ["openai-agents"]),
        ([{"type": "mode"}, {"type": "x"}, SPAN], ["openai-agents"]),
        ([{"messages": [MESSAGE], "conversations": []}], ["messages"]),
        ([NATIVE | {"messages": [MESSAGE]}], ["native"]),
        ([{"schema_version": "ATIF-v1.7", "steps": [{"source": "user"}], **NATIVE}], ["atif"]),
        ([{"trace_id": "a", "events": [{"type": "tool"}]}], ["event-list"]),
        ([{"type": "run_start", "ts": 1793610000}], ["event-list"]),
        ([{"type": "message", "role": "user", "content": "x"}], ["openai-responses"]),
    ],
)
def test_the_format_that_tells_most_is_asked_first(records, expected):
    assert expected == formats(*records)


def test_what_was_taken_and_why_is_said():
    _, report = imported_bytes(raw({"type": "mode"}, SPAN))

    assert ("openai-agents", "object is trace.span (line 2)") == (report.source_format, report.why)


def test_a_format_that_is_forced_takes_everything():
    made, report = imported_bytes(raw(NATIVE | {"type": "x"}), forced="event-list")

    assert ("event-list", "--format says so") == (report.source_format, report.why)
    assert 1 == len(made)


@pytest.mark.parametrize("name", [importer.name for importer in IMPORTERS])
@pytest.mark.parametrize("value", [{}, [], 1, None, "x", {"type": "x"}, [{}], NATIVE])
def test_a_format_that_is_forced_wrongly_is_an_error_and_no_more(name, value):
    made, report = imported_bytes(raw(value, value), forced=name)

    assert made or report.problems


def test_a_format_that_is_not_known_is_told():
    with pytest.raises(UsageError) as told:
        imported_bytes(b"{}", forced="nope")

    assert "atif, agenterrorbench" in told.value.hint


def test_the_order_is_the_one_that_the_page_says():
    assert "native" == IMPORTERS[-5].name
    assert ["conversations", "openai-responses", "messages", "event-list"] == [
        importer.name for importer in IMPORTERS[-4:]
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", [("file", "holds no run")]),
        (b"[]", [("file", "holds no run")]),
        (raw(NATIVE, 5, NATIVE), [("line 2", "is 5, and no run")]),
        (b"[%s,7]" % raw(NATIVE), [("item 2", "is 7, and no run")]),
        (
            raw(NATIVE) + b'{"a":\n' + raw(NATIVE),
            [("line 2", "is not JSON: it ends in the middle of a value")],
        ),
        (raw(NATIVE, {"x": 1}), [("line 2", 'is of no kind that is known here; it has "x"')]),
        (
            raw(NATIVE, MESSAGE),
            [
                (
                    "line 2",
                    (
                        "is one part of a stream (messages: it has a role that is known, and"
                        " content) among whole runs"
                    ),
                )
            ],
        ),
        (raw(SPAN, 5), [("line 2", "has something that is no trace or span")]),
        (
            raw({"log": {}}),
            [("file", "looks like a HAR: requests of a browser, and no run of an agent")],
        ),
    ],
)
def test_a_bad_record_is_told_where_it_stands_and_loses_no_other(text, expected):
    assert expected == problems(text)
    made, report = imported_bytes(text)
    assert report.run_count == len(made)
    assert all(problem.hint for problem in report.problems)


def test_a_trace_id_that_is_taken_gets_a_number(tmp_path):
    made = imported_lines(NATIVE, NATIVE | {"events": [{"trace_id": "a"}]})

    assert ["a", "a#2"] == [one["trace_id"] for one in made]
    assert "a" == made[1]["metadata"]["trace_id_as_given"]
    assert "a#2" == made[1]["events"][0]["trace_id"]


def test_trace_ids_are_told_apart_over_all_files_of_a_call():
    options, sink = ImportOptions(), ModelSink()
    for _ in range(2):
        import_stream(io.BufferedReader(io.BytesIO(raw(NATIVE))), "x", sink, options)

    assert ["a", "a#2"] == [one.trace_id for one in sink.trajectories]


def test_runs_without_a_name_are_called_by_their_file_and_place():
    run = {"messages": [MESSAGE]}
    made, _ = imported_bytes(raw(run, run), name="some/my log!.v2.jsonl")

    assert ["my-log-1", "my-log-2"] == [one["trace_id"] for one in made]


@pytest.mark.parametrize(
    ("line", "count"),
    [({**MESSAGE, "content": "x" * (MAX_HELD_BYTES // 4)}, 5), (MESSAGE, MAX_HELD_RECORDS + 1)],
    ids=["bytes", "records"],
)
def test_a_file_that_must_be_held_is_held_to_a_limit(line, count):
    ((where, message),) = problems(raw(line) * count)

    assert "file" == where
    assert message.startswith("has more than 67,108,864 bytes or 250,000 records, and this kind")


def test_notes_and_errors_of_a_kind_are_counted_and_not_kept_all():
    _, report = imported_bytes(raw(*[5] * 500))
    assert (100, 500) == (len(report.problems), report.problem_count)

    event = {"role": "tool", "content": "x"}
    _, report = imported_bytes(raw(*[event] * 500))
    assert [500] == [note.count for note in report.notes]


@pytest.mark.parametrize("depth", [85, 95, 99])
def test_what_is_deep_is_kept_so_that_it_can_be_read_again(tmp_path, depth):
    deep = "x"
    for _ in range(depth):
        deep = [deep]
    path = tmp_path / "deep.json"
    (made,), _ = imported_bytes(raw({"role": "user", "content": "a", "n": deep}))
    path.write_text(json.dumps([made]))

    assert [made] == imported(path)[0]
    assert "x" in json.dumps(made)


def test_a_folder_has_a_file_for_each_run_and_its_pictures(tmp_path):
    url = "data:image/png;base64,aGk="
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    names = ["../../etc/x", "a/b", "a\\b", "A-B", "", ".hidden", "x" * 300]
    path = tmp_path / "log.jsonl"
    path.write_bytes(raw(*[{"id": name, "messages": [picture]} for name in names]))
    out = tmp_path / "out"
    report = import_file(path, FolderSink(out), ImportOptions())
    files = {one.relative_to(out).as_posix() for one in out.rglob("*") if one.is_file()}

    digest = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"
    assert {
        "etc-x.json",
        "a-b.json",
        "a-b-2.json",
        "A-B-3.json",
        "log-5.json",
        "hidden.json",
        "x" * 80 + ".json",
        f"artifacts/{digest}.png",
    } == files
    assert b"hi" == (out / "artifacts" / f"{digest}.png").read_bytes()
    assert [str(out / "etc-x.json")] == [run.stored for run in report.runs][:1]
    assert {"log.jsonl", "out"} == {one.name for one in tmp_path.iterdir()}


def test_a_run_that_ends_in_an_error_leaves_nothing_behind(tmp_path):
    sink = FolderSink(tmp_path)

    class Breaks:
        name, title = "breaks", "breaks"

        def detects(self, value):
            return None

        def convert(self, records, context):
            pieces = IMPORTERS[-2].convert(records, context)
            yield next(pieces)
            yield next(pieces)
            raise KeyError("x")

    stream = io.BufferedReader(io.BytesIO(raw(MESSAGE)))
    with pytest.raises(KeyError):
        import_stream(stream, "x", sink, ImportOptions("breaks", (Breaks(),)))

    assert [] == list(tmp_path.iterdir())


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(UsageError):
        import_file(tmp_path / "none", ModelSink(), ImportOptions())


@pytest.mark.parametrize(
    "record",
    [
        {"type": "x", "id": "the same"},
        {**SPAN, "parent_id": "s"},
        {"role": "tool", "name": "a", "content": ""},
        {"role": "assistant", "function_call": {"name": "b", "arguments": "{}"}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": {}}}},
        {"sessionId": "s", "type": "assistant"}
        | {"message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "x"}]}},
        NATIVE,
    ],
    ids=["ids", "spans", "results", "calls", "tokens", "messages", "traces"],
)
def test_many_of_the_same_end_in_time_that_grows_with_them_and_no_faster(record):
    # So many that a search among all before would not end.
    _, report = imported_bytes(raw(record) * 40_000)

    assert report.event_count or report.run_count == 40_000
