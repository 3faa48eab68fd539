"""What can be mended is, with a note; what cannot is told, and loses nothing else."""

import json
from datetime import UTC, datetime

import pytest

from fakes.golden import GOLDEN
from quickstarted.formats.trajectory import check_value, encode
from quickstarted.formats.trajectory.importing import ImportOptions, ModelSink, import_file

SAMPLES = GOLDEN / "formats" / "agenttrajectory"
AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def read(path):
    sink = ModelSink()
    report = import_file(path, sink, ImportOptions(forced="native"))
    notes = [one.words for one in report.notes] + [one.message for one in report.problems]
    return sink.trajectories, notes


def read_event(tmp_path, **event):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"trace_id": "a", "started_at": AT.isoformat(), "events": [event]}))
    (made,), notes = read(path)
    return made.events[0], notes


@pytest.mark.parametrize(
    ("name", "expected"), [("single-full.json", 1), ("array-two.json", 2), ("two.jsonl", 2)]
)
def test_what_is_right_is_read_as_it_is(name, expected):
    made, notes = read(SAMPLES / name)
    encoded = json.loads(encode(made[0]))
    problems = []
    check_value(encoded, lambda code, message: problems.append(code))

    assert (expected, [], []) == (len(made), notes, problems)
    assert 16 == len(encoded["events"])


@pytest.mark.parametrize(
    "name",
    [
        "event-without-trace-id",
        "timestamp-naive",
        "timestamp-epoch-ns",
        "error-is-object",
        "duplicate-event-id",
        "parent-cycle",
        "parent-missing",
    ],
)
def test_a_questionable_sample_that_can_be_mended_is(name):
    (made,), notes = read(SAMPLES / "questionable" / f"{name}.json")
    problems = []
    check_value(json.loads(encode(made)), lambda code, message: problems.append(message))

    assert [] == problems
    assert notes


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("event-trace-id-mismatch", 'events[0].trace_id is "b", not "a"'),
        ("trace-id-number", "trace_id is 5, and must be a string"),
        ("no-trace-id", "trace_id is null, and must be a string"),
        ("events-null", "is no object with a list of events"),
        ("no-events", "is no object with a list of events"),
        ("bad-event-type", "events.0.event_type: Input should be 'run.start', "),
        ("step-index-fraction", "events.0.step_index: Input should be a valid integer"),
    ],
)
def test_a_questionable_sample_that_cannot_be_mended_is_told(name, told):
    made, (note,) = read(SAMPLES / "questionable" / f"{name}.json")

    assert [] == made
    assert note.startswith(told)


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ("2026-11-02T09:00:00Z", ""),
        ("2026-11-02T10:00:00+01:00", ""),
        ("2026-11-02T09:00:00", "UTC"),
        (1793610000, "count"),
        (1793610000.0, "count"),
        (1793610000000, "count"),
        (1793610000000000, "count"),
        (1793610000000000000, "count"),
    ],
)
def test_times_are_read_as_what_they_are(tmp_path, given, note):
    event, notes = read_event(tmp_path, timestamp=given)
    told = [words for words in notes if "timestamp" in words]

    assert AT == event.timestamp
    assert bool(note) == bool(told) == ("timestamp_as_given" in event.metadata)
    assert note in "".join(told)


def test_a_time_that_is_not_there_is_marked_as_absent(tmp_path):
    event, _ = read_event(tmp_path, metadata={"k": 1})

    assert {"k": 1, "timestamp_source": "none"} == event.metadata


def test_nothing_is_dropped(tmp_path):
    event, notes = read_event(
        tmp_path, trace_id="a", timestamp=AT.isoformat(), tokens=0, error={"message": "m", "n": 1}
    )

    assert {"native": {"tokens": 0}, "error": {"message": "m", "n": 1}} == event.metadata
    assert "m" == event.error
    assert 2 == len(notes)


def test_a_broken_line_loses_no_other(tmp_path):
    path = tmp_path / "runs.jsonl"
    good = json.dumps({"trace_id": "a", "events": []})
    path.write_text(f"\ufeff{good}\n[1]\n{{\n{good}")
    made, notes = read(path)

    assert 2 == len(made)
    assert 4 == len(notes)


def test_what_stands_where_a_note_goes_is_kept_beside_it(tmp_path):
    event, _ = read_event(
        tmp_path,
        trace_id="a",
        foo=2,
        error={"message": "no"},
        metadata={"native": {"keep": 1}, "error": "theirs", "timestamp_source": "a clock"},
    )

    assert {
        "native": {"foo": 2},
        "native_as_given": {"keep": 1},
        "error": {"message": "no"},
        "error_as_given": "theirs",
        "timestamp_source": "none",
        "timestamp_source_as_given": "a clock",
    } == event.metadata


def test_what_an_artifact_has_beside_the_format_is_kept(tmp_path):
    given = {"uri": "x", "modality": "hologram", "sha": "1"}
    event, notes = read_event(tmp_path, trace_id="a", artifacts=[given])
    (made,) = event.artifacts

    assert ("x", "other") == (made.uri, made.modality.value)
    assert {"native": {"sha": "1"}, "modality_as_given": "hologram"} == made.metadata
    assert any('modality was "hologram"' in note for note in notes)


@pytest.mark.parametrize(
    ("field", "given", "made"),
    [
        ("timestamp", "2026-11-02T09:00:00.123456789Z", AT.replace(microsecond=123456)),
        ("step_index", "3", 3),
        ("duration_ms", "1.5", 1.5),
    ],
)
def test_what_a_field_cannot_hold_as_it_was_is_kept_beside_it(tmp_path, field, given, made):
    event, notes = read_event(tmp_path, trace_id="a", **{field: given})

    assert made == getattr(event, field)
    assert given == event.metadata[f"{field}_as_given"]
    assert 1 == sum(f"{field} was" in note for note in notes)


def test_a_time_in_small_letters_is_one(tmp_path):
    event, notes = read_event(tmp_path, trace_id="a", timestamp="2026-11-02t09:00:00z")

    assert (AT, []) == (event.timestamp, notes)


def test_an_event_with_an_id_of_another_name_and_no_type_is_read(tmp_path):
    path = tmp_path / "run.json"
    event = {"trace_id": "t", "id": "x", "output": "hi"}
    path.write_text(json.dumps({"trace_id": "t", "events": [event]}))
    sink = ModelSink()
    report = import_file(path, sink, ImportOptions())

    assert ([], ["native"]) == (report.problems, [one.source_format for one in report.runs])
    assert {"id": "x"} == sink.trajectories[0].events[0].metadata["native"]
