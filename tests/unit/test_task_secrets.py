"""From the caller's environment to a secret, and out of every event."""

import re
import uuid

import pytest

from quickstarted.errors import SecretFault
from quickstarted.events import Fault, ToolResult
from quickstarted.task import load_task
from quickstarted.task_secrets import (
    placeholder,
    scrubbed_event,
    scrubber_for,
    secrets_of,
    unset_secrets,
)
from quickstarted_proxy.secrets_table import is_placeholder

TASK = (
    "name: x\ngoal: g\ndocs: {entrypoint: https://docs.example/}\nsuccess: {script: 'true'}\n"
    "secrets: {ONE: {hosts: [a.example, B.example]}, TWO: {hosts: [c.example]}}\n"
)
VALUES = {"ONE": "canary-value-one", "TWO": "canary-value-two"}


@pytest.fixture
def task(tmp_path):
    (tmp_path / "x.yaml").write_text(TASK)
    return load_task(tmp_path / "x.yaml")


def test_each_secret_has_its_value_hosts_and_a_placeholder_of_its_own(task):
    one, two = secrets_of(task, VALUES)
    again, _ = secrets_of(task, VALUES)

    assert ("ONE", VALUES["ONE"], ("a.example", "b.example")) == (one.name, one.value, one.hosts)
    assert 3 == len({one.placeholder, two.placeholder, again.placeholder})


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({}, "the secrets ONE, TWO, and no such variables are set"),
        ({"ONE": VALUES["ONE"], "TWO": ""}, "the secret TWO, and no such variable is set"),
        ({**VALUES, "TWO": "short"}, "the secret TWO cannot be used"),
        ({**VALUES, "TWO": "canary\nvalue"}, "the secret TWO cannot be used"),
    ],
)
def test_what_is_missing_or_unusable_is_named_and_never_quoted(task, environ, names):
    with pytest.raises(SecretFault, match=names) as caught:
        secrets_of(task, environ)

    assert not [value for value in environ.values() if value and value in str(caught.value)]


def test_unset_variables_are_told_apart(task):
    assert (["ONE", "TWO"], ["TWO"], []) == (
        unset_secrets(task, {}),
        unset_secrets(task, {"ONE": "x", "TWO": ""}),
        unset_secrets(task, VALUES),
    )


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("sk-ant-api03-" + "x" * 80, r"sk-ant-[A-Za-z0-9]{86}"),
        ("ghp_" + "x" * 36, r"ghp_[A-Za-z0-9]{36}"),
        ("0123456789abcdef" * 2, r"[0-9a-f]{32}"),
        ("0123456789ABCDEF" * 4, r"[0-9A-F]{64}"),
        ("hunter2hunter2", r"[A-Za-z0-9]{32}"),
        ("x" * 4000, r"[A-Za-z0-9]{256}"),
    ],
)
def test_a_placeholder_is_of_the_kind_of_its_value(value, pattern):
    made = placeholder(value)

    assert re.fullmatch(pattern, made)
    assert is_placeholder(made)
    assert made != placeholder(value)


def test_a_uuid_stays_one():
    made = placeholder("123e4567-e89b-12d3-a456-426614174000")

    assert made == str(uuid.UUID(made))
    assert is_placeholder(made)


def test_events_are_scrubbed_wherever_the_value_stands(task):
    secrets = secrets_of(task, VALUES)
    scrubber = scrubber_for(secrets)
    fault = Fault(ts=1.0, component="engine", error=f"env {VALUES['ONE']}", hint=VALUES["TWO"])

    clean = scrubbed_event(fault, scrubber)

    assert [f"env {secrets[0].placeholder}", secrets[1].placeholder] == [clean.error, clean.hint]


def test_an_event_without_a_value_stays_the_same_object(task):
    event = ToolResult(ts=1.0, tool="bash", exit_code=0, duration=0.1, timed_out=False, output="x")

    assert event is scrubbed_event(event, scrubber_for(secrets_of(task, VALUES)))
    assert event is scrubbed_event(event, scrubber_for(()))
