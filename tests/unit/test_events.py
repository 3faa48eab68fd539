import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fakes.attempts import run_end, run_start, tool_result
from quickstarted.events import (
    EVENT_ADAPTER,
    EVENT_TYPES,
    Affordances,
    AgentFinal,
    EgressBlocked,
    FetchBlocked,
    plain,
)

# The tables of the seed text: what other programs already read.
SEED = {
    "run_start": "task agent backend enforced attempt affordance_policy",
    "setup": "command exit_code output",
    "run_end": "stop_reason passed classification",
    "agent_turn": (
        "turn stop_reason model input_tokens output_tokens cache_write_tokens cache_read_tokens"
    ),
    "tool_call": "tool command url",
    "tool_result": "tool exit_code duration timed_out output",
    "agent_final": "text",
    "api_retry": "turn attempt sleep error",
    "docs_fetch": ("url chars original_chars truncated from_cache content_hash resolved_to"),
    "docs_redirect_followed": "requested resolved_to",
    "docs_changed": "url content_hash",
    "fetch_blocked": "url reason",
    "fetch_error": "url error",
    "affordance_withheld": "url",
    "affordances": "entrypoint found",
    "egress_allowed": "host port method path",
    "egress_blocked": "host reason method",
    "egress_error": "host error method",
    "success_check": "exit_code passed output",
}


@pytest.mark.parametrize("name", SEED)
def test_every_event_of_the_seed_has_its_fields(name):
    fields = set(EVENT_TYPES[name].model_fields)

    assert set() == {"ts", "type", *SEED[name].split()} - fields


def test_event_types_are_keyed_by_their_own_tag():
    for name, model in EVENT_TYPES.items():
        assert name == model.model_fields["type"].default


def test_fields_of_a_newer_version_are_kept():
    line = {**run_start().model_dump(mode="json"), "colour": {"of": "tomorrow"}}

    assert line == EVENT_ADAPTER.validate_python(line).model_dump(mode="json")


def test_passed_may_be_null_and_must_be_said():
    assert run_end(passed=None).passed is None
    with pytest.raises(ValidationError, match="passed"):
        EVENT_ADAPTER.validate_python(
            {"ts": 1, "type": "run_end", "stop_reason": "fault", "classification": "infra_error"}
        )


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (EgressBlocked, {"host": "a.example", "reason": "because", "method": "GET"}),
        (EgressBlocked, {"host": "a.example", "reason": "explicit_network_override", "method": ""}),
        (FetchBlocked, {"url": "https://a.example/", "reason": "because"}),
        (AgentFinal, {"text": 3}),
    ],
)
def test_a_value_that_is_not_of_the_format_is_refused(model, fields):
    with pytest.raises(ValidationError):
        model(ts=1.0, **fields)


@pytest.mark.parametrize("ts", [float("nan"), float("inf"), float("-inf")])
def test_a_time_is_a_number(ts):
    with pytest.raises(ValidationError, match="ts"):
        run_start(ts)


@pytest.mark.parametrize(
    ("given_value", "held"),
    [
        ("plain", "plain"),
        ("é 漢 🎉", "é 漢 🎉"),
        ("a\udcffb", "a\\udcffb"),
        (b"\xffa", "\\xffa"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ((1, 2), [1, 2]),
        ({"k\udcff": [float("-inf")]}, {"k\\udcff": ["-inf"]}),
        ({1: None}, {"1": None}),
        (True, True),
        (OSError("no"), "no"),
    ],
)
def test_what_json_cannot_hold_is_spelled_out(given_value, held):
    assert held == plain(given_value)
    assert held == Affordances(ts=1, entrypoint="", found={"x": given_value}).found["x"]


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(), max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(ANYTHING, st.text(st.characters()))
def test_an_event_that_exists_can_be_written_and_read_back_as_it_was(value, output):
    event = tool_result(output=output, more=value)

    text = json.dumps(event.model_dump(mode="json"), allow_nan=False).encode("ascii")

    assert event == EVENT_ADAPTER.validate_python(json.loads(text))
