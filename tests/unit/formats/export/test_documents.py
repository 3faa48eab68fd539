"""Golden traces in every format, as they were looked at and found right."""

import json
from collections import Counter

import pytest

from fakes.conversions import document
from fakes.golden import TRACES, golden
from fakes.har_schema import har_problems
from fakes.otlp import parsed
from quickstarted import __version__
from quickstarted.formats.export import TARGETS
from quickstarted.formats.export.attempt import NO_END
from quickstarted.formats.trajectory import EventType
from quickstarted.formats.trajectory.importing import ImportOptions, ModelSink, import_file

NAMES = ["passed", "docs_gap", "harness_error", "predecessor", "torn"]
OF_A_MODEL = {"docs_gap"}
CASES = [
    (name, target)
    for name in NAMES
    for target in TARGETS
    if target != "agent-log" or name in OF_A_MODEL
]


@pytest.mark.parametrize(("name", "target"), CASES)
def test_a_trace_becomes_the_document_that_was_looked_at(name, target):
    content, _ = document(TRACES / f"{name}.jsonl", target)
    text = content.decode("ascii" if target != "agent-log" else "utf-8")
    own = f'"name":"quickstarted","version":"{__version__}"'
    shown = text.replace(own, '"name":"quickstarted","version":"OURS"', 1)

    assert golden(f"formats/converted/{name}{TARGETS[target].suffix}", shown) == shown


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "agent-log"])
def test_a_trace_that_was_cut_is_converted_as_far_as_it_goes(target):
    _, notes = document(TRACES / "torn.jsonl", target)

    assert [
        "the last line is torn after 71 bytes; what stands before it is converted",
        NO_END,
    ] == notes[:2]


@pytest.mark.parametrize("name", NAMES)
def test_goldens_are_read_by_readers_of_others(name):
    trace = TRACES / f"{name}.jsonl"

    assert parsed(document(trace, "otlp")[0])
    assert [] == har_problems(json.loads(document(trace, "har")[0]))


@pytest.mark.parametrize("target", ["trajectory", "atif", "otlp", "messages", "agent-log"])
def test_an_import_of_a_document_has_the_calls_and_results_of_its_trace(tmp_path, target):
    kinds = Counter(event.event_type.value for event in imported(tmp_path, target).events)
    results = 0 if target == "agent-log" else 5

    assert (5, results) == (kinds["tool.call"], kinds["tool.result"])


@pytest.mark.parametrize("target", ["trajectory", "atif", "otlp", "agent-log"])
def test_an_import_of_a_document_has_the_tokens_of_its_trace(tmp_path, target):
    told = Counter()
    for event in imported(tmp_path, target).events:
        if event.event_type is EventType.LLM_RESPONSE:
            told.update(event.metadata.get("usage", {}))

    assert (2690, 714, 32_200, 7700) == tuple(
        told[name]
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_write_input_tokens",
        )
    )


def imported(folder, target):
    """The document of the trace of a model, imported as a trajectory."""
    path = folder / "document"
    path.write_bytes(document(TRACES / "docs_gap.jsonl", target)[0])
    sink = ModelSink()
    import_file(path, sink, ImportOptions())
    (trajectory,) = sink.trajectories
    return trajectory
