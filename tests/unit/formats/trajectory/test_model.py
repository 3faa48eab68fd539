"""The models are the published schema, and what is written keeps its rules."""

import json
from datetime import UTC, datetime

import jsonschema
import pytest

from fakes.golden import GOLDEN
from quickstarted.formats.trajectory import (
    MAX_UPLOAD_BYTES,
    AgentEvent,
    AgentTrajectory,
    Artifact,
    EventType,
    Modality,
    TrajectoryRefused,
    check_trajectories,
    encode,
)

PUBLISHED = json.loads((GOLDEN / "formats" / "agent-trajectory.schema.json").read_text())
AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def made():
    events = [
        AgentEvent(
            trace_id="t",
            event_id=f"e{number}",
            event_type=kind,
            timestamp=AT,
            artifacts=[Artifact(uri="shots/1.png", modality=Modality.IMAGE)],
        )
        for number, kind in enumerate(EventType)
    ]
    return AgentTrajectory(trace_id="t", started_at=AT, ended_at=AT, events=events)


def test_the_models_give_exactly_the_published_schema():
    assert PUBLISHED["json_schema"] == AgentTrajectory.model_json_schema()


def test_the_models_have_the_published_limit_and_kinds_of_events():
    assert PUBLISHED["limits"]["max_upload_bytes"] == MAX_UPLOAD_BYTES
    assert PUBLISHED["event_types"] == [kind.value for kind in EventType]


def test_the_published_example_is_valid(tmp_path):
    path = tmp_path / "example.json"
    path.write_text(json.dumps(PUBLISHED["example"]))

    assert ("valid", 2) == (check_trajectories(path).verdict, check_trajectories(path).events)


def test_what_is_written_is_valid_by_the_schema_and_by_the_checker(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(encode(made()) + encode(made().model_copy(update={"trace_id": "t"})))
    first = path.read_bytes().splitlines()[0]
    jsonschema.Draft202012Validator(PUBLISHED["json_schema"]).validate(json.loads(first))

    assert ["trace-id-duplicate"] == [one.code for one in check_trajectories(path).problems]


def test_what_is_written_reads_back_as_it_was():
    assert made() == AgentTrajectory.model_validate_json(encode(made(), indent=2))


@pytest.mark.parametrize(
    "change",
    [
        {"trace_id": "other"},
        {"events": [AgentEvent(trace_id="t", event_id="a", parent_event_id="b")]},
        {"metadata": {"x": float("nan")}},
        {"goal": "\ud800"},
        {"started_at": datetime(2026, 11, 2, 9)},  # noqa: DTZ001 (it is what is refused)
    ],
)
def test_a_trajectory_that_breaks_a_rule_is_not_written(change):
    with pytest.raises(TrajectoryRefused):
        encode(made().model_copy(update=change))
