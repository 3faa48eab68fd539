"""Whatever a file holds: an answer, no traceback, no end that does not come."""

import io
import json
import re
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.agent_logs import SAMPLES, events, lines, withheld
from fakes.imports import imported, problems_of, samples
from quickstarted.errors import UsageError
from quickstarted.formats.agent_log import CannotWithhold, check_log
from quickstarted.formats.agent_log.reader import read_events
from quickstarted.formats.strict_json import parse
from quickstarted.formats.trajectory import RULES, check_trajectories

FILES = samples()
LOGS = [path.read_bytes() for path in SAMPLES.glob("valid/*/*")]
ERRORS = {rule.code for rule in RULES if rule.severity == "error"}
WORDS = st.sampled_from(
    [*(bytes([one]) for one in b'\n\r{}[]":,\\\xff\0\x1e'), b"\r\n", b"1e999", b"null", b"true"]
) | st.sampled_from([b"\xe2\x80\xa8", b"\\ud800", b"-1", b"\x1f\x8b", b"\xef\xbb\xbf"])
SLOW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def damaged(draw, sources):
    """A file with some bytes put in, taken out or doubled."""
    raw = draw(st.sampled_from(sources))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 30)))
        raw = raw[:start] + draw(WORDS | st.binary(max_size=6)) + raw[end:]
        if draw(st.booleans()):
            raw = raw[:end] + raw[start:]
    return raw


@st.composite
def odd_logs(draw):
    """A log in which some fields are anything at all."""
    made = events()
    for _ in range(draw(st.integers(1, 3))):
        one = draw(st.sampled_from(made))
        place = one if draw(st.booleans()) else one["data"]
        if isinstance(place, dict) and place:
            key = draw(st.sampled_from(sorted(place)) | st.text(max_size=5))
            place[key] = draw(VALUES)
    return lines(made)


def looked_at(path, raw):
    """Everything that reads a file, has read it."""
    path.write_bytes(raw)
    report = check_log(path)
    assert report.verdict in {"accept", "look", "reject"}
    assert check_trajectories(path).verdict in {"valid", "look", "invalid"}
    with suppress(UsageError):
        list(read_events(path, lambda number, words: None))
    made, told = imported(path)
    assert made or told.problems
    assert [] == [problem for one in made for problem in problems_of(one) if problem[0] in ERRORS]
    with suppress(CannotWithhold):
        made, _ = withheld(raw)
        assert made == withheld(made)[0]
        assert list(public_parts(raw)) == list(public_parts(made))
    return report


def public_parts(raw):
    """What withholding may not change, with every line's bytes outside of `data`."""
    for line in io.BytesIO(raw):
        value = parse(line)
        kind, data = value["type"], value.pop("data")
        if kind == "model_request":
            data = None
        elif kind == "model_response":
            data = {key: data[key] for key in ("id", "model", "usage", "actions") if key in data}
        yield value, data, line if kind not in {"model_request", "model_response"} else line[-2:]


@SLOW
@given(raw=st.binary(max_size=400) | st.lists(WORDS, max_size=40).map(b"".join))
def test_no_bytes_are_too_odd(tmp_path, raw):
    assert looked_at(tmp_path / "x", raw).verdict == "reject"


@SLOW
@given(raw=damaged([path.read_bytes() for path in FILES]))
def test_no_damage_to_a_file_is_too_odd(tmp_path, raw):
    assert looked_at(tmp_path / "x", raw)


@SLOW
@given(raw=odd_logs())
def test_no_value_of_a_log_is_too_odd(tmp_path, raw):
    assert looked_at(tmp_path / "x", raw)


@SLOW
@given(value=VALUES, key=st.sampled_from(["trace_id", "events", "goal", "started_at", "metadata"]))
def test_no_value_of_a_trajectory_is_too_odd(tmp_path, value, key):
    event = {"trace_id": "a", "event_id": "b"}
    made = [{"trace_id": "a", "events": [event], key: value}]
    made += [{"trace_id": "a", "events": [{**event, name: value}]} for name in (key, "event_type")]
    assert looked_at(tmp_path / "x", json.dumps(made).encode())


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 10**6,
        b'{"a":' * 10**5 + b"1",
        b"{}\n" * 10**4,
        b"\n" * 10**5,
        b'"' + b"x" * 10**6,
        b"1" * 10**6,
        b"{" + b",".join(b'"%d":1' % number for number in range(10**5)) + b"}",
        b'{"trace_id":"a","events":[' + b",".join([b"{}"] * 20_000) + b"]}",
        b'{"type":"model_response","data":{"actions":[' + b",".join([b"1"] * 10**5) + b"]}}",
    ],
    ids=lambda raw: re.sub(r"\W+", "_", raw[:24].decode()),
)
def test_no_size_or_depth_is_too_much(tmp_path, raw):
    assert looked_at(tmp_path / "x", raw).verdict == "reject"


def test_a_line_without_end_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "x"
    with path.open("wb") as stream:
        stream.truncate(2**33)
        stream.write(b'{"')

    (problem,) = check_log(path).problems
    assert ("line-too-long", 1) == (problem.code, problem.line)
    assert ["too-large"] == [one.code for one in check_trajectories(path).problems]
