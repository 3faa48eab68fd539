"""Each rule over the facts of machines that nobody has."""

from pathlib import Path

import pytest

from quickstarted.doctor.facts import (
    AgentFacts,
    EngineFacts,
    Images,
    KeyFacts,
    MachineFacts,
    Room,
    SandboxFacts,
    TaskFacts,
)
from quickstarted.doctor.findings import Severity
from quickstarted.doctor.rules.agents import judge_agents
from quickstarted.doctor.rules.images import judge_images
from quickstarted.doctor.rules.machine import judge_machine
from quickstarted.doctor.rules.room import judge_room
from quickstarted.doctor.rules.sandbox import judge_sandbox
from quickstarted.doctor.rules.tasks import judge_tasks
from quickstarted.probes import PROBES, Outcome, ProbeResult, State
from quickstarted.sandbox.survey import Where

WHERE = Where(address="unix:///var/run/docker.sock", variable=None)
LINUX = MachineFacts(system="linux")
NAMES = ("QUICKSTARTED_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY")
ASK = "read -rs QUICKSTARTED_ANTHROPIC_API_KEY && export QUICKSTARTED_ANTHROPIC_API_KEY"
PUBLIC, STAND_IN = "python:3.13-slim", "quickstarted/sandbox-python:local"


def told(findings):
    """Severity and fix by code."""
    return {one.code: (one.severity.value, one.fix) for one in findings}


def room(lanes, *, left=(), **machine):
    facts = EngineFacts(
        where=WHERE,
        room=Room(address_range="10.213.0.0/16", free_lanes=lanes, free_egress=4000),
        left_over=left,
    )
    return told(judge_room(MachineFacts(system="linux", **machine), facts))


@pytest.mark.parametrize(
    ("lanes", "left", "expected"),
    [
        (4000, (), ("ok", "")),
        (8, (), ("ok", "")),
        (7, (), ("warning", "export QUICKSTARTED_NETWORK_RANGE=10.214.0.0/16")),
        (7, ("network abc",), ("warning", "quickstarted gc")),
        (0, (), ("error", "export QUICKSTARTED_NETWORK_RANGE=10.214.0.0/16")),
    ],
)
def test_networks_that_run_out_are_told_before_they_do(lanes, left, expected):
    assert expected == room(lanes, left=left)["networks"]


def test_what_dead_runs_left_is_mended_by_gc():
    assert ("warning", "quickstarted gc") == room(100, left=("container abc",))["leftovers"]
    assert ("ok", "") == room(100)["leftovers"]


def test_a_range_that_runs_would_refuse_is_an_error():
    expected = ("error", "unset QUICKSTARTED_NETWORK_RANGE")
    assert expected == room(100, range_problem="no network")["network-range"]


def test_a_size_of_the_package_cache_that_runs_would_refuse_is_an_error():
    expected = ("error", "unset QUICKSTARTED_PACKAGE_CACHE_SIZE")
    assert expected == room(100, packages_problem="no size")["package-cache"]
    assert "package-cache" not in room(100)


def images(**changes):
    fields = {
        "present": (),
        "sidecar": True,
        "default_image": PUBLIC,
        "stand_ins": (STAND_IN,),
        "wanted": PUBLIC,
        "usable": STAND_IN,
        "registry_says": "",
    }
    return told(judge_images(EngineFacts(where=WHERE, images=Images(**(fields | changes)))))


@pytest.mark.parametrize(
    ("changes", "code", "expected"),
    [
        ({}, "image-sandbox", ("ok", "")),
        ({"usable": PUBLIC}, "image-sandbox", ("ok", "")),
        ({"usable": None}, "image-sandbox", ("warning", "quickstarted images build")),
        (
            {"usable": None, "registry_says": "no"},
            "image-sandbox",
            ("error", "quickstarted images build"),
        ),
        (
            {"usable": None, "wanted": "app:1", "registry_says": "no"},
            "image-sandbox",
            ("error", "quickstarted images pull app:1"),
        ),
        ({"sidecar": False}, "image-sidecar", ("warning", "quickstarted images build")),
        ({}, "registry", ("ok", "")),
        (
            {"registry_says": "no"},
            "registry",
            ("warning", "quickstarted images pull python:3.13-slim"),
        ),
        (
            {"registry_says": "no", "stand_ins": (), "usable": PUBLIC},
            "registry",
            ("warning", "quickstarted images build"),
        ),
        ({"stand_ins": (), "usable": PUBLIC}, "image-stand-ins", ("not_applicable", "")),
    ],
)
def test_images_that_are_missing_are_built_or_pulled(changes, code, expected):
    assert expected == images(**changes)[code]


def probe(name, state, detail=""):
    [found] = [one for one in PROBES if one.name == name]
    return ProbeResult(probe=found, outcome=Outcome(state=state, detail=detail), image="x")


@pytest.mark.parametrize(
    ("name", "state", "severity"),
    [
        ("host-unreachable", State.BROKEN, "error"),
        ("trust-python", State.BROKEN, "error"),
        ("workspace", State.BROKEN, "error"),
        ("memory-limit", State.BROKEN, "warning"),
        ("allowed-host", State.UNCLEAR, "warning"),
        ("trust-java", State.NOT_APPLICABLE, "not_applicable"),
        ("no-keys", State.HOLDS, "ok"),
    ],
)
def test_a_broken_promise_is_as_bad_as_its_kind(name, state, severity):
    found = told(judge_sandbox(SandboxFacts(results=(probe(name, state),))))

    assert severity == found[f"probe-{name}"][0]
    assert (severity in {"error", "warning"}) == bool(found[f"probe-{name}"][1])


def test_what_one_image_lacks_another_may_have_and_what_breaks_in_one_is_broken():
    results = (
        probe("trust-node", State.NOT_APPLICABLE),
        probe("trust-node", State.HOLDS),
        probe("workspace", State.HOLDS),
        probe("workspace", State.BROKEN),
    )

    found = told(judge_sandbox(SandboxFacts(results=results)))

    assert {"probe-trust-node": "ok", "probe-workspace": "error"} == {
        code: severity for code, (severity, _) in found.items()
    }


def test_a_sandbox_that_fails_is_an_error_beside_what_was_asked_before():
    facts = SandboxFacts(results=(probe("no-keys", State.HOLDS),), fault="it died", hint="Try.")

    assert ["ok", "error"] == [one.severity for one in judge_sandbox(facts)]


def agents(**key):
    fields = {"vendor": "anthropic", "variables": NAMES, "set": NAMES[:1]} | key
    sdks = {"anthropic": "2.14.0"}
    facts = AgentFacts(
        agents=("replay",), announced=("codex",), sdks=sdks, keys=(KeyFacts(**fields),)
    )
    return told(judge_agents(facts))


@pytest.mark.parametrize(
    ("key", "code", "expected"),
    [
        ({}, "key-anthropic", ("ok", "")),
        (
            {"set": ()},
            "key-anthropic",
            ("warning", ASK),
        ),
        ({"set": NAMES, "differ": True}, "key-anthropic-differ", ("warning", f"unset {NAMES[1]}")),
        (
            {"padded": NAMES[:1]},
            "key-anthropic-padded",
            (
                "warning",
                (
                    'export QUICKSTARTED_ANTHROPIC_API_KEY="$(printf %s'
                    ' "$QUICKSTARTED_ANTHROPIC_API_KEY" | tr -d \'[:space:]\')"'
                ),
            ),
        ),
        (
            {"broken": NAMES[:1]},
            "key-anthropic",
            ("warning", ASK),
        ),
    ],
)
def test_keys_are_named_and_what_is_wrong_with_them_is_said(key, code, expected):
    assert expected == agents(**key)[code]


def test_one_key_is_enough_and_the_first_is_asked_for_where_there_is_none():
    def severities(*given):
        keys = tuple(
            KeyFacts(vendor=vendor, variables=NAMES, set=NAMES[:1] if vendor in given else ())
            for vendor in ("anthropic", "openai")
        )
        found = told(judge_agents(AgentFacts(agents=(), announced=(), sdks={}, keys=keys)))
        return [found[f"key-{vendor}"][0] for vendor in ("anthropic", "openai")]

    assert ["warning", "not_applicable"] == severities()
    assert ["ok", "not_applicable"] == severities("anthropic")
    assert ["not_applicable", "ok"] == severities("openai")


def test_an_sdk_that_not_everybody_needs_may_be_missing():
    optional = {"openai": "pip install 'quickstarted-harness[openai]'"}
    facts = AgentFacts(
        agents=("replay",), announced=(), sdks={"openai": None}, keys=(), optional=optional
    )
    (finding,) = [one for one in judge_agents(facts) if one.code == "sdk-openai"]

    assert "not_applicable" == finding.severity
    assert "pip install 'quickstarted-harness[openai]'" in finding.detail


def test_a_missing_sdk_is_installed_by_pip():
    facts = AgentFacts(agents=("replay",), announced=(), sdks={"anthropic": None}, keys=())

    assert ("warning", "pip install anthropic") == told(judge_agents(facts))["sdk-anthropic"]


@pytest.mark.parametrize(
    ("facts", "code", "expected"),
    [
        ({}, "certificates", ("not_applicable", "")),
        ({}, "proxies", ("not_applicable", "")),
        ({"variables": {"SSL_CERT_FILE": "/ca.pem"}}, "certificates", ("ok", "")),
        (
            {"variables": {"CURL_CA_BUNDLE": "/ca.pem"}},
            "certificates",
            ("warning", 'export SSL_CERT_FILE="$CURL_CA_BUNDLE"'),
        ),
        ({"variables": {"https_proxy": "http://proxy:3128"}}, "proxies", ("ok", "")),
        (
            {"variables": {"ALL_PROXY": "http://proxy:3128"}},
            "proxies",
            ("warning", 'export HTTPS_PROXY="$ALL_PROXY" HTTP_PROXY="$ALL_PROXY"'),
        ),
        (
            {"missing_files": {"PIP_CERT": "/gone.pem"}},
            "missing-file",
            ("warning", "unset PIP_CERT"),
        ),
        (
            {
                "upstream_problem": "SSL_CERT_FILE: cannot read",
                "upstream_variable": "SSL_CERT_FILE",
                "missing_files": {"SSL_CERT_FILE": "/gone.pem"},
            },
            "upstream",
            ("error", "unset SSL_CERT_FILE"),
        ),
    ],
)
def test_variables_of_the_way_out_are_judged_as_a_run_would(facts, code, expected):
    assert expected == told(judge_machine(MachineFacts(system="linux", **facts)))[code]


def test_a_variable_that_a_run_refuses_is_told_once():
    facts = MachineFacts(
        system="linux",
        upstream_problem="SSL_CERT_FILE: cannot read",
        missing_files={"SSL_CERT_FILE": "/gone.pem"},
    )

    assert "missing-file" not in told(judge_machine(facts))


TASK = Path("tasks/my task.yaml")


@pytest.mark.parametrize(
    ("task", "registry", "expected"),
    [
        ({"problems": ("a:1:1 goal: is required",)}, True, {"task-invalid": "error"}),
        ({"unsupported": ("a:1:1 resources.gpus: no",)}, True, {"task-unsupported": "warning"}),
        (
            {"image": "app:1", "image_usable": False},
            False,
            {"task-image": "warning", "tasks": "ok"},
        ),
        ({"image": "app:1", "image_usable": False}, True, {"tasks": "ok"}),
        ({"image": "app:1", "image_usable": None}, False, {"tasks": "ok"}),
        ({"secrets": ("KEY",)}, True, {"task-secrets": "ok", "tasks": "ok"}),
        (
            {"secrets": ("KEY",), "unset_secrets": ("KEY",)},
            True,
            {"task-secrets": "warning", "tasks": "ok"},
        ),
    ],
)
def test_tasks_that_would_not_run_are_told(task, registry, expected):
    findings = list(judge_tasks([TaskFacts(path=TASK, **task)], registry_answers=registry))

    assert expected == {one.code: one.severity.value for one in findings}
    assert all("'tasks/my task.yaml'" in one.fix for one in findings if "valid" in one.fix)


def test_no_task_is_nothing_wrong():
    [finding] = judge_tasks([], registry_answers=True)

    assert Severity.NOT_APPLICABLE == finding.severity
