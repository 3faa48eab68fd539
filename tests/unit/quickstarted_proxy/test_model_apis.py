import json

import pytest

from quickstarted_proxy.model_apis import VENDORS, ModelApi, model_apis_from_json
from quickstarted_proxy.paths import checked_pattern, permits


def api(vendor, **more):
    return ModelApi(host="models.example.org", vendor=vendor, **more)


CALLS = [
    ("anthropic", "/v1/messages"),
    ("anthropic", "/v1/messages?beta=true"),
    ("openai", "/v1/responses"),
    ("openai", "/v1/responses/compact"),
    ("openai", "/v1/chat/completions"),
    ("anthropic", "/v1/%6dessages"),
    ("anthropic", "/v1/messages/"),
    ("openai", "/%761/responses?x"),
    ("gemini", "/v1beta/models/gemini-x%3AgenerateContent"),
    ("gemini", "/v1beta/models/gemini-x:generateContent"),
    ("gemini", "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"),
]
OTHERS = [
    ("anthropic", "/v1/messages/count_tokens"),
    ("anthropic", "/v1/models"),
    ("openai", "/v1/models/gpt-x"),
    ("gemini", "/v1beta/models"),
    ("gemini", "/v1beta/models/gemini-x:countTokens"),
]


@pytest.mark.parametrize("base_path", ["", "/gateway"])
@pytest.mark.parametrize(("vendor", "path"), CALLS)
def test_what_a_model_does_for_money_is_a_call(vendor, path, base_path):
    service = api(vendor, base_path=base_path)

    assert service.is_call("POST", base_path + path)
    assert not service.is_call("GET", base_path + path)


@pytest.mark.parametrize(("vendor", "path"), OTHERS)
def test_what_costs_nothing_is_none(vendor, path):
    assert not api(vendor).is_call("POST", path)


@pytest.mark.parametrize("vendor", VENDORS)
def test_it_crosses_the_control_stream(vendor):
    service = api(vendor, base_path="/x", max_calls=3, max_tokens=None)

    assert model_apis_from_json(json.loads(json.dumps([service.to_json()]))) == (service,)


@pytest.mark.parametrize(
    "change", [{"vendor": "acme"}, {"more": 1}, {"max_calls": "many"}, {"max_tokens": []}]
)
def test_what_is_no_service_is_refused(change):
    with pytest.raises((ValueError, TypeError)):
        ModelApi.from_json({**api("openai").to_json(), **change})


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_refusal_has_the_message_where_the_vendors_errors_have_it(vendor):
    assert json.loads(api(vendor).refusal('no "x"'))["error"]["message"] == 'no "x"'


@pytest.mark.parametrize(("vendor", "path"), [*CALLS, *OTHERS])
@pytest.mark.parametrize("base_path", ["", "/gateway"])
def test_the_patterns_let_through_what_programs_ask_for(vendor, path, base_path):
    patterns = tuple(map(checked_pattern, api(vendor, base_path=base_path).patterns))

    assert permits(patterns, (base_path + path).encode())
    assert permits(patterns, f"{base_path}/".encode())


@pytest.mark.parametrize(
    ("vendor", "path"),
    [
        ("anthropic", "/v1/files"),
        ("anthropic", "/v1/messages/batches"),
        ("anthropic", "/v1/skills"),
        ("openai", "/v1/files"),
        ("openai", "/v1/batches"),
        ("openai", "/v1/assistants"),
        ("openai", "/v1/realtime"),
        ("openai", "/v1/vector_stores"),
        ("gemini", "/v1beta/cachedContents"),
        ("gemini", "/upload/v1beta/files"),
    ],
)
def test_what_could_bring_pages_in_by_another_door_is_not_let_through(vendor, path):
    patterns = tuple(map(checked_pattern, api(vendor).patterns))

    assert not permits(patterns, path.encode())
