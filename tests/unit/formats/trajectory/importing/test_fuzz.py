"""Whatever stands in the records of a source: valid trajectories or errors, and nothing else."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.golden import TRACES
from fakes.imports import SAMPLE_FOLDERS, imported_bytes, problems_of, samples
from quickstarted.formats.lines import open_buffered
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES, RULES
from quickstarted.formats.trajectory.documents import read_documents
from quickstarted.formats.trajectory.importing import IMPORTERS

ERRORS = {rule.code for rule in RULES if rule.severity == "error"}
NAMES = [importer.name for importer in IMPORTERS]
FOLDERS = [folder for folder in SAMPLE_FOLDERS if folder != "edge"]
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
ODD = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        2**63,
        10**400,
        1e308,
        "",
        "\x1b[31m",
        "\u2028",
        "\x00",
        "x" * 300,
        "[" * 500,
        '{"a":',
        "1e999",
        "2026-11-02T09:00:00",
        1793610000,
        "9" * 5000,
        [],
        {},
        [[]],
        [None],
        [{}],
        {"type": "text"},
        {"role": "user", "content": []},
        [{"type": "tool_use"}],
        {"": {"": {}}},
    ]
).map(copy.deepcopy)
"""Each of its own: one that stood in two places could come to hold itself."""
VALUES = ODD | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def records_of(path):
    with open_buffered(path) as stream:
        read = list(read_documents(stream, MAX_UPLOAD_BYTES))
    return [one.value for one in read if one.problem is None]


SOURCES = {
    folder: [made for path in samples([folder]) if (made := records_of(path))] for folder in FOLDERS
} | {"traces": [records_of(path) for path in sorted(TRACES.glob("*.jsonl"))]}


def places(value):
    """Every object and list in *value*, with something in it."""
    rest, found = [value], []
    while rest:
        one = rest.pop()
        items = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if items:
            found.append(one)
        rest.extend(items)
    return found


def disturb(draw, records):
    """Some values in *records* changed, taken out, doubled or moved."""
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.sampled_from(places(records) or [records]))
        if isinstance(place, dict):
            key = draw(st.sampled_from(sorted(place)))
            if draw(st.booleans()):
                place[key] = draw(VALUES)
            else:
                del place[key]
        elif place:
            at = draw(st.integers(0, len(place) - 1))
            action = draw(st.sampled_from(["put", "delete", "double"]))
            if action == "put":
                place[at] = draw(VALUES)
            elif action == "double":
                place.append(copy.deepcopy(place[at]))
            else:
                del place[at]


def looked_at(raw, forced=None):
    made, report = imported_bytes(raw, forced)
    assert made or report.problems
    assert len(made) == report.run_count
    assert len({one["trace_id"] for one in made}) == len(made)
    for one in made:
        assert [] == [problem for problem in problems_of(one) if problem[0] in ERRORS]


@pytest.mark.parametrize("folder", SOURCES)
@SLOW
@given(data=st.data())
def test_no_values_in_a_source_are_too_odd(folder, data):
    records = copy.deepcopy(data.draw(st.sampled_from(SOURCES[folder])))
    disturb(data.draw, records)
    forced = data.draw(st.none() | st.sampled_from(NAMES))
    if data.draw(st.booleans()):
        looked_at(json.dumps(records).encode(), forced)
    else:
        looked_at(b"".join(json.dumps(one).encode() + b"\n" for one in records), forced)


@pytest.mark.parametrize("name", NAMES)
@SLOW
@given(values=st.lists(VALUES, max_size=4))
def test_no_values_are_too_odd_for_a_format_that_is_forced(name, values):
    looked_at(json.dumps(values).encode(), name)
