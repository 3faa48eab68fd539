"""`ANTHROPIC_BASE_URL`: what can be the address of a service, and what is said of what cannot."""

from __future__ import annotations

import pytest

from fakes.messages_api_replies import Page
from fakes.scripted_http import Repeat
from quickstarted.agents.claude.address import ADDRESS
from quickstarted.errors import ModelRejected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("", ADDRESS.usual),
        (" \n", ADDRESS.usual),
        ("https://gate.example", "https://gate.example"),
        ("http://127.0.0.1:8080/v/x/", "http://127.0.0.1:8080/v/x/"),
        ("https://gate.example\n", "https://gate.example"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_an_address_is_taken_without_the_space_around_it(named, expected):
    assert expected == ADDRESS.of({"ANTHROPIC_BASE_URL": named})


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("gate.example", "does not begin with https://"),
        ("ftp://gate.example", "does not begin with https://"),
        ("https://", "no host"),
        ("https:///v1", "no host"),
        ("http://[bad", "cannot be read"),
        ("http://127.0.0.1:99999", "cannot be read"),
        ("http://127.0.0.1:port", "cannot be read"),
        ("http://a b/", "a space or a control character"),
        ("http://a\tb/", "a space or a control character"),
        ("https://me:hunter2@gate.example", "in place of the key"),
        ("https://gate.example/?key=hunter2", "a query"),
    ],
)
def test_what_cannot_be_an_address_is_refused_and_not_repeated(named, why):
    with pytest.raises(ModelRejected) as refused:
        ADDRESS.of({"ANTHROPIC_BASE_URL": named})

    assert why in str(refused.value)
    assert "hunter2" not in f"{refused.value}{refused.value.hint}"


def test_an_attempt_with_a_wrong_address_starts_nothing_and_is_nobodys_gap(attempts):
    attempts.environ = {"ANTHROPIC_BASE_URL": "gate.example"}

    attempted = attempts.run(done=False)

    assert ("model_rejected", "harness_error") == attempted.ending
    assert [] == attempted.of_type("sandbox_ready")


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (Page("<html>bad gateway", status=502), "502 error: <html>bad gateway"),
        (Page("", status=503), "503 error: an empty answer"),
        (Page("[]", status=500, content_type="application/json"), "500 error: []"),
    ],
)
def test_an_answer_that_is_not_the_apis_is_quoted_with_its_status(attempts, page, said):
    attempted = attempts.run(Repeat(page, 6))

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert said in attempted.result.fault.error
