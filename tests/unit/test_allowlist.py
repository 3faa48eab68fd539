from pathlib import Path

import pytest

from quickstarted.allowlist import docs_hosts, egress_policy
from quickstarted.registries import DEFAULT_HOSTS, REGISTRIES, registry_of
from quickstarted.task import Task
from quickstarted_proxy.policy import EgressPolicy, decide, may_be_private


def task(**parts) -> Task:
    return Task.model_validate(
        {
            "name": "x",
            "goal": "g",
            "docs": {"path": ["https://docs.example/a"], "allow": ["more.example"]},
            "success": {"script": "python a.py"},
            **parts,
        }
    )


@pytest.mark.parametrize("host", DEFAULT_HOSTS)
def test_default_registries_are_allowed_as_they_are(host):
    policy = egress_policy(task())

    assert decide(policy, host, 443).allowed
    assert decide(policy, host, 80).allowed
    assert not decide(policy, host, 22).allowed
    assert not decide(policy, f"other.{host}", 443).allowed


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("docs.example", "docs_host_requires_read_docs"),
        ("sub.docs.example", "docs_host_requires_read_docs"),
        ("more.example", "docs_host_requires_read_docs"),
        ("example", "not_allowlisted"),
        ("raw.githubusercontent.com", "not_allowlisted"),
        ("gist.github.com", "not_allowlisted"),
    ],
)
def test_documentation_and_everything_else_is_refused(host, reason):
    decision = decide(egress_policy(task()), host, 443)

    assert (decision.allowed, decision.reason) == (False, reason)


def test_the_tasks_own_hosts_mean_their_subdomains_too():
    policy = egress_policy(task(network={"allow": ["api.example", "db.example:5432"]}))

    assert decide(policy, "api.example", 443).allowed
    assert decide(policy, "eu.api.example", 80).allowed
    assert decide(policy, "db.example", 5432).allowed
    assert not decide(policy, "db.example", 443).allowed
    assert decide(policy, "pypi.org", 443).allowed


def test_the_tasks_own_hosts_beat_the_docs_rule():
    decision = decide(egress_policy(task(network={"allow": ["docs.example"]})), "docs.example", 443)

    assert (decision.allowed, decision.reason) == (True, "explicit_network_override")


def test_only_stands_in_for_the_default_registries():
    policy = egress_policy(task(network={"only": ["mirror.example"], "allow": ["api.example"]}))

    assert decide(policy, "mirror.example", 443).allowed
    assert decide(policy, "a.mirror.example", 443).allowed
    assert decide(policy, "api.example", 443).allowed
    assert not decide(policy, "pypi.org", 443).allowed


def test_only_does_not_beat_the_docs_rule():
    decision = decide(egress_policy(task(network={"only": ["docs.example"]})), "docs.example", 443)

    assert decision.reason == "docs_host_requires_read_docs"


def test_only_may_be_nothing_at_all():
    assert egress_policy(task(network={"only": []})).allow == ()


def test_private_hosts_are_passed_on():
    policy = egress_policy(task(network={"private": ["intra.example"]}))

    assert may_be_private(policy, "a.intra.example")


def test_hosts_of_one_call_become_documentation():
    policy = egress_policy(task(), extra_docs_hosts=["preview.example", "docs.example"])

    assert policy.docs_hosts == ("docs.example", "more.example", "preview.example")
    assert docs_hosts(task()) == ("docs.example", "more.example")


def test_a_policy_survives_the_way_to_the_sidecar():
    policy = egress_policy(
        task(network={"allow": ["münchen.example", "a.example:1"], "private": ["a.example"]})
    )

    assert EgressPolicy.from_json(policy.to_json()) == policy


def test_no_registry_is_named_twice():
    assert len(set(DEFAULT_HOSTS)) == len(DEFAULT_HOSTS)
    assert all(registry_of(host) == name for name, hosts in REGISTRIES.items() for host in hosts)


def test_registries_are_named_in_one_file_only():
    package = Path(egress_policy.__code__.co_filename).parent
    naming = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(f'"{host}"' in path.read_text(encoding="utf-8") for host in DEFAULT_HOSTS)
    }

    assert naming == {"registries.py"}
