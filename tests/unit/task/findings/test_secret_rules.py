"""Rules about secrets."""

import pytest

from quickstarted.task.findings.rules import warnings_for


def codes(task):
    return [(one.code, one.key) for one in warnings_for(task) if one.code.startswith("secret-")]


@pytest.mark.parametrize(
    ("network", "host", "reached"),
    [
        ("", "api.example", False),
        ("network: {allow: [api.example]}\n", "api.example", True),
        ("network: {allow: [example]}\n", "api.example", True),
        ("network: {allow: [sub.api.example]}\n", "api.example", False),
        ("network: {allow: ['api.example:8443']}\n", "api.example", True),
        ("network: {only: [api.example]}\n", "api.example", True),
        ("network: {only: []}\n", "pypi.org", False),
        ("", "pypi.org", True),
        ("", "docs.example", False),
        ("network: {allow: [docs.example]}\n", "docs.example", True),
    ],
)
def test_a_host_that_the_shell_may_not_reach_gets_no_secret(load, network, host, reached):
    task = load(f"{network}secrets: {{KEY: {{hosts: [{host}]}}}}\nsetup: ['echo $KEY']\n")

    found = [("secret-host-not-allowed", ("secrets", "KEY", "hosts", 0))]
    assert ([] if reached else found) == codes(task)


@pytest.mark.parametrize(
    ("more", "used"),
    [
        ("replay: ['x --key $KEY']\n", True),
        ("replay: ['x']\nsetup: ['test -n \"$KEY\"']\n", True),
        ("replay: ['x']\nenv: {TOKEN: 'see KEY'}\n", True),
        ("replay: ['x $KEYS']\n", False),
        ("replay: from_docs\n", True),
        ("", True),
    ],
)
def test_a_secret_that_no_command_names_is_noted(load, more, used):
    task = load(
        f"network: {{allow: [a.example]}}\nsecrets: {{KEY: {{hosts: [a.example]}}}}\n{more}"
    )

    assert ([] if used else [("secret-unused", ("secrets", "KEY"))]) == codes(task)
