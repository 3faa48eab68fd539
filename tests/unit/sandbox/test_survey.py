import json
import socket

import docker.errors
import pytest

from fakes.odd_engine import DRIP, GARBAGE, PODMAN, VERSION, odd_engine
from quickstarted.errors import EngineFault
from quickstarted.sandbox.survey import Survey, Unanswered, about_engine, which_engine
from quickstarted.sandbox.trouble import trouble_of

INFO = {
    "CgroupVersion": "2",
    "CpuCfsQuota": True,
    "Driver": "overlay2",
    "DriverStatus": [["Backing Filesystem", "xfs"], ["Supports d_type", "true"]],
    "MemoryLimit": True,
    "OSType": "linux",
    "OperatingSystem": "Docker Desktop",
    "PidsLimit": False,
    "SecurityOptions": ["name=seccomp,profile=default", "name=rootless"],
    "SwapLimit": False,
    "SystemTime": "2026-11-30T12:00:40.123456789Z",
}
NOON = 1_796_040_000.0


def unanswered(monkeypatch, host, within_s=5.0):
    monkeypatch.setenv("DOCKER_HOST", host)
    survey = Survey(which_engine(), answer_within_s=within_s)
    with survey, pytest.raises(Unanswered) as caught:
        survey.about()
    return caught.value.trouble


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ({}, "its version"),
        ({"/version": DRIP}, "its version"),
        ({"/version": VERSION}, "about itself"),
        ({"/version": VERSION, "/info": DRIP}, "about itself"),
    ],
)
def test_an_engine_that_hangs_is_left_after_the_time_limit(monkeypatch, tmp_path, answers, asked):
    with odd_engine(tmp_path / "s", answers) as host:
        trouble = unanswered(monkeypatch, host, within_s=0.3)

    assert ("hangs", asked, "no answer in 0.3 s") == (trouble.kind, trouble.asked, trouble.said)


def test_what_is_no_engine_is_told_from_one_that_hangs(monkeypatch, tmp_path):
    with odd_engine(tmp_path / "s", {"/version": GARBAGE}) as host:
        assert "not_an_engine" == unanswered(monkeypatch, host).kind


def test_podman_is_recognised_by_its_components(monkeypatch, tmp_path):
    answers = {"/version": PODMAN, "/info": {"OSType": "linux"}}
    with odd_engine(tmp_path / "s", answers) as host:
        monkeypatch.setenv("DOCKER_HOST", host)
        with Survey(which_engine(), answer_within_s=5) as survey:
            about = survey.about()

    assert ("Podman Engine", "5.2.0", True) == (about.product, about.version, about.is_podman)


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("unix:///nowhere/engine.sock", "absent"),
        ("foo://engine", "setting"),
        ("tcp://127.0.0.1:port", "setting"),
        ("ssh://me@build.example", "ssh"),
    ],
)
def test_an_address_without_an_engine_says_what_is_wrong_with_it(monkeypatch, host, kind):
    assert kind == unanswered(monkeypatch, host).kind


def test_a_port_where_nobody_listens_refuses(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    assert "refused" == unanswered(monkeypatch, f"tcp://127.0.0.1:{port}").kind


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (PermissionError(13, "Permission denied"), "permission", "Permission denied"),
        (socket.gaierror(-2, "Name or service not known"), "unknown_host", "Name or service"),
        (OSError(113, "No route to host"), "absent", "No route"),
        (EngineFault("the engine answered 500"), "fails", "answered 500"),
        (docker.errors.TLSParameterError("no such file"), "setting", "no such file"),
    ],
)
def test_the_system_s_own_error_is_found_below_the_layers_of_the_sdk(error, kind, said):
    wrapped = docker.errors.DockerException("Error while fetching server API version")
    wrapped.__cause__ = error
    for one in (error, wrapped) if isinstance(error, OSError) else (error,):
        trouble = trouble_of(one, "its version")

        assert kind == trouble.kind
        assert said in trouble.said


def test_what_an_engine_says_is_read():
    about = about_engine(VERSION, INFO, now=NOON)

    assert ("Docker Engine", "20.10.24", "linux", "amd64") == (
        about.product,
        about.version,
        about.os,
        about.architecture,
    )
    assert (True, True, False) == (about.is_desktop, about.rootless, about.is_podman)
    assert ("overlay2", "xfs", "2") == (
        about.storage_driver,
        about.backing_filesystem,
        about.cgroup_version,
    )
    assert ("swap", "pids") == about.unsupported_limits
    assert about.clock_offset_s == pytest.approx(40.123456, abs=1e-3)


@pytest.mark.parametrize("time", [None, "", "soon", 7])
def test_a_clock_that_says_nothing_has_no_offset(time):
    assert about_engine(VERSION, {**INFO, "SystemTime": time}, now=NOON).clock_offset_s is None


def test_the_context_of_the_docker_command_is_known(monkeypatch, tmp_path):
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    (tmp_path / "config.json").write_text(json.dumps({"currentContext": "gone"}))

    where = which_engine()

    assert ("unix:///var/run/docker.sock", None) == (where.address, where.variable)
    assert where.context_address is None


def test_a_variable_beats_every_context(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "tcp://build.example:2376")

    assert ("tcp://build.example:2376", "DOCKER_HOST") == (
        which_engine().address,
        which_engine().variable,
    )
