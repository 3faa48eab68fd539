from dataclasses import replace

import pytest

from quickstarted.doctor.facts import EngineFacts, MachineFacts
from quickstarted.doctor.findings import Severity
from quickstarted.doctor.rules.engine import judge_engine
from quickstarted.sandbox.survey import About, Where
from quickstarted.sandbox.trouble import Trouble

SOCKET = Where(address="unix:///var/run/docker.sock", variable=None)
HOST = "DOCKER_HOST"
NAMED = Where(address="unix:///tmp/x.sock", variable=HOST, settings=(HOST,))
REMOTE = Where(address="tcp://build.example:2376", variable=HOST, settings=(HOST,))
TLS = replace(SOCKET, settings=("DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"))
COLIMA = Where(
    address="unix:///var/run/docker.sock",
    variable=None,
    context="colima",
    context_address="unix:///home/me/.colima/docker.sock",
)
LINUX = MachineFacts(system="linux", has_systemd=True, has_apt=True, has_engine=True)
BARE = replace(LINUX, has_systemd=False)
EMPTY = replace(LINUX, has_engine=False)
MAC = MachineFacts(system="darwin", has_engine=True)
GOOD = About(
    product="Docker Engine",
    version="28.3.1",
    os="linux",
    architecture="arm64",
    operating_system="Ubuntu 24.04",
    rootless=False,
    storage_driver="overlay2",
    backing_filesystem="extfs",
    cgroup_version="2",
    unsupported_limits=(),
    root_dir="/var/lib/docker",
    clock_offset_s=0.01,
)


def trouble(kind):
    return Trouble(kind=kind, asked="its version", said="its own words")


def judged(machine, where, *, kind=None, about=None):
    facts = EngineFacts(where=where, about=about, trouble=trouble(kind) if kind else None)
    return list(judge_engine(machine, facts))


@pytest.mark.parametrize(
    ("kind", "machine", "where", "code", "fix"),
    [
        ("hangs", LINUX, SOCKET, "engine-hangs", "sudo systemctl restart docker"),
        ("hangs", BARE, SOCKET, "engine-hangs", "sudo service docker restart"),
        ("hangs", MAC, SOCKET, "engine-hangs", "docker desktop restart"),
        (
            "hangs",
            LINUX,
            REMOTE,
            "engine-hangs",
            "ssh build.example sudo systemctl restart docker",
        ),
        (
            "permission",
            LINUX,
            SOCKET,
            "engine-permission",
            'sudo usermod -aG docker "$USER" && newgrp docker',
        ),
        ("absent", LINUX, SOCKET, "engine-not-running", "sudo systemctl start docker"),
        ("absent", BARE, SOCKET, "engine-not-running", "sudo service docker start"),
        ("absent", MAC, SOCKET, "engine-not-running", "open -a Docker"),
        ("absent", EMPTY, SOCKET, "engine-missing", "sudo apt-get install --yes docker.io"),
        (
            "absent",
            replace(EMPTY, has_apt=False),
            SOCKET,
            "engine-missing",
            "curl -fsSL https://get.docker.com | sudo sh",
        ),
        (
            "absent",
            LINUX,
            COLIMA,
            "engine-context",
            "export DOCKER_HOST=unix:///home/me/.colima/docker.sock",
        ),
        (
            "absent",
            replace(LINUX, has_default_socket=True),
            NAMED,
            "engine-address",
            "unset DOCKER_HOST",
        ),
        ("refused", LINUX, SOCKET, "engine-not-running", "sudo systemctl start docker"),
        (
            "refused",
            LINUX,
            REMOTE,
            "engine-not-running",
            "ssh build.example sudo systemctl start docker",
        ),
        ("unknown_host", LINUX, REMOTE, "engine-address", "unset DOCKER_HOST"),
        ("setting", LINUX, NAMED, "engine-address", "unset DOCKER_HOST"),
        ("not_an_engine", LINUX, REMOTE, "engine-address", "unset DOCKER_HOST"),
        ("setting", LINUX, TLS, "engine-address", "unset DOCKER_TLS_VERIFY DOCKER_CERT_PATH"),
        ("not_an_engine", LINUX, SOCKET, "engine-fails", "sudo systemctl restart docker"),
        ("fails", LINUX, SOCKET, "engine-fails", "sudo systemctl restart docker"),
        (
            "ssh",
            LINUX,
            Where(address="ssh://me@build.example:22", variable=HOST, settings=(HOST,)),
            "engine-ssh",
            (
                "ssh -fnNT -L /tmp/engine.sock:/var/run/docker.sock ssh://me@build.example:22"
                " && export DOCKER_HOST=unix:///tmp/engine.sock"
            ),
        ),
    ],
)
def test_an_engine_that_does_not_answer_is_an_error_with_the_command_for_this_machine(
    kind, machine, where, code, fix
):
    [finding] = judged(machine, where, kind=kind)

    assert (Severity.ERROR, code, fix) == (finding.severity, finding.code, finding.fix)
    assert "its own words" in finding.detail or kind == "ssh"


@pytest.mark.parametrize(
    ("changes", "severity", "code", "fix"),
    [
        ({"version": "19.03.15"}, "error", "engine-version", "apt-get install --yes docker.io"),
        ({"version": "20.10.0"}, "ok", "engine-version", ""),
        ({"version": "dev"}, "ok", "engine-version", ""),
        ({"os": "windows"}, "error", "engine-os", "-SwitchLinuxEngine"),
        ({"architecture": "riscv64"}, "warning", "engine-architecture", "images build"),
        ({"storage_driver": "vfs"}, "warning", "engine-storage", "daemon.json"),
        ({"unsupported_limits": ("memory", "swap")}, "warning", "engine-limits", "update-grub"),
        (
            {"unsupported_limits": ("cpus",), "rootless": True},
            "warning",
            "engine-limits",
            "delegate.conf",
        ),
        ({"clock_offset_s": -40.0}, "warning", "engine-clock", "timedatectl set-ntp true"),
        (
            {"clock_offset_s": 40.0, "operating_system": "Docker Desktop"},
            "warning",
            "engine-clock",
            "restart",
        ),
        ({"clock_offset_s": None}, "ok", "engine-clock", ""),
        ({"product": "Podman Engine"}, "error", "engine-podman", "docker.io"),
    ],
)
def test_an_engine_that_answers_is_judged_by_what_it_says(changes, severity, code, fix):
    findings = {one.code: one for one in judged(LINUX, SOCKET, about=replace(GOOD, **changes))}

    assert severity == findings[code].severity
    assert fix in findings[code].fix
    assert bool(fix) == bool(findings[code].fix)


def test_nothing_is_wrong_with_a_good_engine():
    findings = judged(LINUX, SOCKET, about=GOOD)

    assert {Severity.OK} == {one.severity for one in findings}
    assert "Docker Engine 28.3.1 answers at unix:///var/run/docker.sock" == findings[0].title


def test_podman_is_told_and_nothing_else_of_it_is_judged():
    podman = replace(GOOD, product="Podman Engine", version="5.2.0")

    [finding] = judged(LINUX, NAMED, about=podman)

    assert "Podman Engine 5.2.0 answers at unix:///tmp/x.sock: it is not supported yet" == (
        finding.title
    )
    assert "unset DOCKER_HOST" == finding.fix


def test_another_context_of_the_docker_command_is_a_warning_while_an_engine_answers():
    first, *_ = judged(LINUX, COLIMA, about=GOOD)

    assert (Severity.WARNING, "engine-context") == (first.severity, first.code)
    assert "export DOCKER_HOST=unix:///home/me/.colima/docker.sock" == first.fix


@pytest.mark.parametrize(
    ("driver", "below", "kept"),
    [
        ("overlay2", "extfs", "asking repeatedly"),
        ("overlay2", "xfs", "by the storage driver"),
        ("zfs", "", "by the storage driver"),
    ],
)
def test_who_keeps_limits_on_disk_is_told(driver, below, kept):
    about = replace(GOOD, storage_driver=driver, backing_filesystem=below)
    findings = {one.code: one for one in judged(LINUX, SOCKET, about=about)}

    assert kept in findings["engine-storage"].detail
