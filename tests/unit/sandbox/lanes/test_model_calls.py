import json

import pytest

from fakes.scripted_sidecar import START, scripted_sidecar
from quickstarted.errors import EventStreamFault
from quickstarted.events import Usage
from quickstarted.sandbox.lanes.model_calls import read_model_call
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar import Sidecar, ignore_event
from quickstarted_proxy.model_apis import ModelApi
from quickstarted_proxy.policy import EgressPolicy

CALL = {
    "ts": 1000.0,
    "host": "models.example.org",
    "vendor": "anthropic",
    "path": "/v1/messages",
    "status": 200,
    "duration": 1.5,
    "scope": 3,
    "model": "claude-x",
    "stop_reason": "end_turn",
    "input_tokens": 1,
    "output_tokens": 2,
    "cache_write_tokens": 3,
    "cache_read_tokens": 4,
    "error": "",
    "counted": True,
    "refused": "",
}


def test_a_report_is_read_with_its_time_on_our_clock():
    call = read_model_call({"report": "model_call", "call": CALL}, 10.0)

    assert call.ts == 990.0
    assert (call.model, call.stop_reason, call.status) == ("claude-x", "end_turn", 200)
    assert call.usage == Usage(
        input_tokens=1, output_tokens=2, cache_write_tokens=3, cache_read_tokens=4
    )


@pytest.mark.parametrize(
    "call",
    [
        None,
        {},
        {**CALL, "more": 1},
        {**CALL, "vendor": "acme"},
        {**CALL, "input_tokens": "many"},
        {name: value for name, value in CALL.items() if name != "model"},
    ],
)
def test_what_is_no_report_of_a_call_is_a_fault_of_the_event_stream(call):
    with pytest.raises(EventStreamFault, match="reported no call of a model"):
        read_model_call({"report": "model_call", "call": call}, 0.0)


def test_calls_go_to_whom_the_attempt_names_and_the_limits_to_the_sidecar():
    api = ModelApi(host="models.example.org", vendor="anthropic", max_calls=3)
    heard = []
    rules = Rules(policy=EgressPolicy(), models=(api,), on_model_call=heard.append)

    with scripted_sidecar() as (streams, scripted):
        sidecar = Sidecar(streams, answer_s=5.0)
        sidecar.start(START)
        sidecar.attempt(rules, ignore_event)
        scripted.report({"report": "model_call", "call": CALL})
        sidecar.drain()
        sidecar.attempt(Rules(policy=EgressPolicy()), ignore_event)
        scripted.report({"report": "model_call", "call": CALL})
        sidecar.drain()
        sidecar.close()

    orders = [order["models"] for order in scripted.orders if order["order"] == "attempt"]
    assert orders == [json.loads(json.dumps([api.to_json()])), []]
    assert [call.model for call in heard] == ["claude-x"]
