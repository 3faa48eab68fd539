"""The commands that mend something: they can be pasted as they are."""

import subprocess

import pytest

from quickstarted.doctor.agents import gather_agents
from quickstarted.doctor.facts import EngineFacts, MachineFacts
from quickstarted.doctor.findings import error, for_root
from quickstarted.doctor.rules import mending
from quickstarted.doctor.rules.agents import judge_agents
from quickstarted.doctor.rules.engine import DELEGATE_LIMITS, MEMORY_LIMITS_AT_BOOT, OVERLAY
from quickstarted.doctor.rules.reaching import judge_reaching
from quickstarted.sandbox.survey import Where
from quickstarted.sandbox.trouble import Trouble

LINUX = MachineFacts(system="linux", has_engine=True, has_systemd=True)
ODD = "unix:///home/me/it's here/engine.sock"


def with_fix(fix):
    return error("engine", "x", "x", fix=fix)


def reaching(where, kind):
    trouble = Trouble(kind=kind, asked="it", said="its own words")
    [finding] = judge_reaching(LINUX, EngineFacts(where=where, trouble=trouble))
    return finding.fix


COMMANDS = [
    MEMORY_LIMITS_AT_BOOT,
    DELEGATE_LIMITS,
    OVERLAY,
    mending.UPDATE_BY_SCRIPT,
    mending.install(LINUX),
    reaching(Where(address="ssh://me@build.example:22", variable="DOCKER_HOST"), "ssh"),
    reaching(Where(address="x", variable=None, context="c", context_address=ODD), "absent"),
    *(finding.fix for finding in judge_agents(gather_agents({})) if finding.fix),
]


@pytest.mark.parametrize("fix", COMMANDS)
def test_a_shell_takes_it(fix):
    parsed = subprocess.run(["bash", "-nc", fix], capture_output=True, text=True, check=False)

    assert (0, "") == (parsed.returncode, parsed.stderr)
    assert "..." not in fix


@pytest.mark.parametrize(
    ("fix", "expected"),
    [
        ("sudo systemctl start docker", "systemctl start docker"),
        ("curl -fsSL https://get.docker.com | sudo sh", "curl -fsSL https://get.docker.com | sh"),
        ("ssh build.example sudo systemctl start docker",) * 2,
        ("quickstarted gc",) * 2,
        ("", ""),
    ],
)
def test_root_needs_no_sudo_and_may_have_none(fix, expected):
    [finding] = for_root([with_fix(fix)])

    assert expected == finding.fix


@pytest.mark.parametrize("fix", [MEMORY_LIMITS_AT_BOOT, DELEGATE_LIMITS, OVERLAY])
def test_nothing_of_a_longer_command_keeps_sudo_for_root(fix):
    [finding] = for_root([with_fix(fix)])

    assert "sudo" not in finding.fix


def test_a_key_is_asked_for_and_comes_into_no_history(tmp_path):
    found = [one for one in judge_agents(gather_agents({})) if "key" in one.code]
    [fix] = [one.fix for one in found if one.fix]
    script = f'{fix}; printf "%s" "$QUICKSTARTED_ANTHROPIC_API_KEY"'

    done = subprocess.run(
        ["bash", "-c", script], input="sk-pasted\n", capture_output=True, text=True, check=False
    )

    assert "sk-pasted" == done.stdout


def test_what_somebody_has_set_of_the_engine_is_not_written_over(tmp_path):
    there = tmp_path / "daemon.json"
    there.write_text("mine")
    [finding] = for_root([with_fix(OVERLAY)])
    script = finding.fix.replace("/etc/docker/daemon.json", str(there)).replace("systemctl", "true")

    done = subprocess.run(["bash", "-c", script], check=False)

    assert (1, "mine") == (done.returncode, there.read_text())


def test_an_address_that_no_agent_takes_is_told_and_not_shown():
    facts = gather_agents({"ANTHROPIC_BASE_URL": "https://me:hunter2@gate.example"})
    [finding] = [one for one in judge_agents(facts) if one.code == "service-address"]

    assert ("warning", "unset ANTHROPIC_BASE_URL") == (finding.severity.value, finding.fix)
    assert "hunter2" not in finding.title + finding.detail
