"""Real package managers, twice: what the first attempt fetched, the second is given."""

from __future__ import annotations

import json
import tarfile
import uuid

import pytest
from click.testing import CliRunner

from fakes import lanes
from quickstarted.allowlist import egress_policy
from quickstarted.cli.cache import command
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.lanes.packages import (
    SIZE_VARIABLE,
    VOLUME_VARIABLE,
    PackageVolume,
)
from quickstarted.sandbox.package_cache import PackageCache
from quickstarted.sandbox.protocol import Limits
from quickstarted.task import Task

pytestmark = pytest.mark.docker

INSTALL = Limits(timeout_s=240)
TASK = {
    "name": "x",
    "goal": "g",
    "docs": {"entrypoint": "https://docs.example/"},
    "success": {"script": "true"},
}
PIP = "pip download -q --no-cache-dir --no-deps --dest /tmp/files six==1.17.0"
NPM = "cd /tmp && npm install --no-fund --cache /tmp/npm is-odd@3.0.1"
APT = "apt-get -q update && apt-get -q download hello"
MANAGERS = {
    "pip": (PIP, "files.pythonhosted.org"),
    "npm": (NPM, "registry.npmjs.org"),
    "apt": (APT, None),
}


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module")
def volume(engine):
    made = PackageVolume(name=f"quickstarted-test-{uuid.uuid4().hex[:12]}")
    yield made
    engine.api.remove_volume(made.name)


@pytest.fixture
def attempt(engine, volume):
    """Runs a script in a new sandbox with a new sidecar; the requests for files that were kept."""

    def run(script, image=None):
        events = []
        policy = egress_policy(Task.model_validate(TASK))
        wanted = lanes.spec(engine, policy, **({"image": image} if image else {}))
        with (
            lanes.docker_backend(engine, packages=volume) as backend,
            backend.open(wanted, events.append) as sandbox,
        ):
            done = sandbox.run_clean(script, INSTALL, root=True)
            mounts = engine.api.inspect_container(sandbox.container_id)["Mounts"]
            sandbox.drain_egress()
        assert done.exit_code == 0, done.output
        assert mounts == []
        return [event for event in events if event.type == "egress_allowed"]

    return run


@pytest.fixture
def cache(volume, monkeypatch):
    """The command line, on the test's volume."""
    monkeypatch.setenv(VOLUME_VARIABLE, volume.name)
    monkeypatch.setenv(SIZE_VARIABLE, "1g")

    def call(*arguments):
        done = CliRunner().invoke(command, [str(each) for each in arguments])
        assert done.exception is None, done.output
        return done.output

    return call


@pytest.mark.parametrize("manager", MANAGERS)
def test_the_second_attempt_is_given_the_files_and_asks_for_the_index(engine, attempt, manager):
    script, host = MANAGERS[manager]
    image = lanes.node_image(engine) if manager == "npm" else None
    first, second = attempt(script, image), attempt(script, image)
    given = [event for event in second if event.from_cache]

    assert [event for event in first if event.from_cache] == []
    assert given
    assert {event.path for event in given} <= {event.path for event in first}
    assert {200} == {event.status for event in given}
    assert [event for event in second if not event.from_cache]
    assert host in {None, *(event.host for event in given)}


def test_files_are_verified_by_what_the_registry_says_of_them(engine, volume, attempt):
    attempt(PIP)
    attempt(NPM, lanes.node_image(engine))
    attempt(APT)
    kept = PackageCache(engine, volume, lanes.test_image(engine)).contents()

    assert {"blake2b-256", "sha512", "sha256"} == {one.entry.verified for one in kept}


def test_what_is_kept_moves_in_a_file(cache, volume, engine, attempt, tmp_path):
    attempt(PIP)
    before = json.loads(cache("info", "--json"))
    cache("export", tmp_path / "packages.tar")
    assert f"removed volume {volume.name}" in cache("clear")
    assert json.loads(cache("info", "--json"))["files"] == 0
    cache("import", tmp_path / "packages.tar")

    assert before["files"] > 0
    assert before == json.loads(cache("info", "--json"))
    assert [True] == [
        event.from_cache for event in attempt(PIP) if event.host == "files.pythonhosted.org"
    ]


def test_what_is_not_what_it_should_be_is_not_imported(cache, attempt, tmp_path):
    attempt(PIP)
    cache("export", tmp_path / "good.tar")
    with (
        tarfile.open(tmp_path / "good.tar") as good,
        tarfile.open(tmp_path / "bad.tar", "w") as bad,
    ):
        for member in good:
            if "/blobs/" in member.name:
                member.size = 3
            bad.addfile(member, good.extractfile(member))
    cache("clear")
    told = cache("import", tmp_path / "bad.tar")

    assert "kept 0 files" in told
    assert json.loads(cache("info", "--json"))["files"] == 0


def test_a_sweep_leaves_it_alone(engine, volume, attempt):
    attempt(PIP)
    found = sweep(engine, now=4e9, dry_run=True)

    assert volume.name not in {one.name for one in found if one.kind == "volume"}


def test_it_is_not_removed_under_a_run(cache, engine, volume):
    policy = egress_policy(Task.model_validate(TASK))
    with (
        lanes.docker_backend(engine, packages=volume) as backend,
        backend.open(lanes.spec(engine, policy), lambda _event: None),
    ):
        done = CliRunner().invoke(command, ["clear"])

    assert "in use" in str(done.exception)
    assert engine.api.inspect_volume(volume.name)["Labels"] == {
        "quickstarted.role": "package-cache"
    }


def test_a_file_that_is_none_is_told(cache, tmp_path):
    (tmp_path / "x.tar").write_text("no archive")
    done = CliRunner().invoke(command, ["import", str(tmp_path / "x.tar")])

    assert "cannot import" in str(done.exception)


def test_where_it_is_not_wanted_no_volume_is_made(engine):
    policy = egress_policy(Task.model_validate(TASK))
    with (
        lanes.docker_backend(engine) as backend,
        backend.open(lanes.spec(engine, policy), lambda _event: None),
    ):
        ids = lanes.labelled(engine, backend.run_id, "sidecar")
        mounts = [engine.api.inspect_container(one)["Mounts"] for one in ids]

    assert [[]] == mounts
