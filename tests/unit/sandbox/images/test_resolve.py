"""From a name to what runs: local, pulled, stood in for, or refused."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fakes.fake_engine import FakeEngine, serving
from fakes.fake_images import PULLS, image
from quickstarted.errors import EngineFault, ImageFault
from quickstarted.sandbox.images.resolve import resolve
from quickstarted.sandbox.protocol import ImageIdentity

STAND_IN = "quickstarted/sandbox-python:local"


@pytest.fixture
def fake():
    return FakeEngine()


@pytest.fixture
def engine(fake):
    with serving(fake) as connected:
        yield connected


def test_a_local_image_is_taken_without_asking_a_registry(fake, engine):
    fake.images.add("sha256:aa", "app:1", user="1000", digests=["app@sha256:dd"])

    expected = ImageIdentity(
        requested="app:1",
        image_id="sha256:aa",
        digest="app@sha256:dd",
        architecture="amd64",
        user="1000",
    )

    assert expected == resolve(engine, "app:1")
    assert fake.images.pulls == []


def test_a_missing_image_is_pulled(fake, engine):
    fake.images.pull_answer = PULLS["good"]
    fake.images.pull_adds = image("sha256:bb")
    lines: list[str] = []

    found = resolve(engine, "app:1", progress=lines.append)

    assert found.image_id == "sha256:bb"
    assert found.stand_in is None
    assert [line for line in lines if line.startswith("app:1: ")] == lines
    assert len(lines) == 1


def test_threads_that_want_the_same_image_share_one_pull(fake, engine):
    fake.images.pull_answer = PULLS["good"]
    fake.images.pull_adds = image("sha256:bb")
    fake.images.hold_pulls.clear()
    threading.Timer(0.3, fake.images.hold_pulls.set).start()
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: resolve(engine, "app:1").image_id, range(6)))

    assert found == ["sha256:bb"] * 6
    assert fake.images.pulls == ["app:1"]


def test_a_failed_pull_fails_all_who_waited_and_is_tried_again_later(fake, engine):
    with pytest.raises(EngineFault):
        resolve(engine, "app:1")
    fake.images.pull_answer = PULLS["good"]
    fake.images.pull_adds = image("sha256:bb")

    assert resolve(engine, "app:1").image_id == "sha256:bb"


@pytest.mark.parametrize("status", [400, 404])
def test_an_image_that_does_not_exist_is_the_tasks_fault(fake, engine, status):
    fake.images.pull_answer = (status, {"message": "manifest unknown"})

    with pytest.raises(ImageFault, match="'app:1'") as caught:
        resolve(engine, "app:1")

    assert "spelling" in caught.value.hint


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_a_registry_that_does_not_serve_is_infrastructure(fake, engine, status):
    fake.images.pull_answer = (status, {"message": "toomanyrequests"})

    with pytest.raises(EngineFault, match="no registry served it") as caught:
        resolve(engine, "app:1")

    assert "--image" in caught.value.hint


def test_the_hint_offers_a_stand_in_only_where_there_is_one(engine):
    with pytest.raises(EngineFault) as for_default:
        resolve(engine, "python:3.13-slim")
    with pytest.raises(EngineFault) as for_other:
        resolve(engine, "node:22")

    assert "quickstarted images build" in for_default.value.hint
    assert "quickstarted images build" not in for_other.value.hint


def test_the_stand_in_runs_where_no_registry_serves_and_both_are_recorded(fake, engine):
    fake.images.add("sha256:cc", STAND_IN)
    lines: list[str] = []

    found = resolve(engine, "python:3.13-slim", progress=lines.append)

    assert (
        found.requested,
        found.image_id,
        found.stand_in,
    ) == ("python:3.13-slim", "sha256:cc", STAND_IN)
    assert [f"no registry serves python:3.13-slim: using the stand-in {STAND_IN}"] == lines


def test_a_registry_is_asked_once_while_a_stand_in_does(fake, engine):
    fake.images.add("sha256:cc", STAND_IN)
    resolve(engine, "python:3.13-slim")
    resolve(engine, "python:3.13-slim")

    assert fake.images.pulls == ["python:3.13-slim"]


def test_a_name_that_does_not_exist_gets_no_stand_in(fake, engine):
    fake.images.add("sha256:cc", STAND_IN)
    fake.images.pull_answer = PULLS["absent"]

    with pytest.raises(ImageFault):
        resolve(engine, "python:3.13-slim")


def test_a_stand_in_of_another_architecture_does_not_do(fake, engine):
    fake.images.add("sha256:cc", STAND_IN, architecture="arm64")

    with pytest.raises(EngineFault):
        resolve(engine, "python:3.13-slim")


def test_our_own_names_are_never_asked_of_a_registry(fake, engine):
    with pytest.raises(ImageFault, match="not built on this machine") as caught:
        resolve(engine, "docker.io/quickstarted/sandbox-node:local")

    assert fake.images.pulls == []
    assert "quickstarted images build" in caught.value.hint


def test_a_local_image_of_another_platform_is_pulled_again(fake, engine):
    fake.images.add("sha256:aa", "app:1")
    fake.images.pull_answer = PULLS["good"]
    fake.images.pull_adds = image("sha256:bb", architecture="arm64")

    assert resolve(engine, "app:1", platform="linux/arm64/v8").image_id == "sha256:bb"


def test_a_pull_that_brings_another_platform_is_refused(fake, engine):
    fake.images.pull_answer = PULLS["good"]
    fake.images.pull_adds = image("sha256:bb")

    with pytest.raises(ImageFault, match="linux/s390x"):
        resolve(engine, "app:1", platform="linux/s390x")


def test_an_engine_that_does_not_answer_says_so_and_not_that_the_image_is_missing(fake):
    with serving(fake) as connected:
        pass

    with pytest.raises(EngineFault, match="no container engine answers"):
        resolve(connected, "app:1")
