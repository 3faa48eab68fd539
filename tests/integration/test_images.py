"""Pulling by a real engine from a registry on loopback, and what the images of ours hold."""

from __future__ import annotations

import os
import tarfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from uuid import uuid4

import pytest

from fakes.registry import serving_registry
from quickstarted.cli import run_cli
from quickstarted.errors import EngineFault, ImageFault
from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.images.bootstrap import import_tree
from quickstarted.sandbox.images.build import Recipe, ensure
from quickstarted.sandbox.images.inventory import list_images, remove
from quickstarted.sandbox.images.pull import RegistryFault, pull
from quickstarted.sandbox.images.resolve import inspect, resolve, sidecar_image
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def engine():
    connected = connect()
    yield connected
    connected.close()


@pytest.fixture
def registry(engine):
    with serving_registry(engine.version["Arch"]) as serving:
        yield serving
        for repository in ("good", "limited-layer", "silent"):
            name = f"{serving.host}/{repository}:1"
            if inspect(engine, name):
                engine.api.remove_image(name)


def test_what_is_pulled_is_recorded_and_not_pulled_again(engine, registry):
    name = f"{registry.host}/good:1"
    lines: list[str] = []
    found = resolve(engine, name, progress=lines.append)
    asked = len(registry.requests)

    assert name == found.requested
    assert f"{registry.host}/good@{registry.digest('good')}" == found.digest
    assert engine.version["Arch"] == found.architecture
    assert found.user == "1000:1000"
    assert f"{name}: 1 of 1 layers" in lines[-1]

    assert found == resolve(engine, name)
    assert asked == len(registry.requests)


def test_an_image_can_be_asked_for_by_its_id_and_by_its_digest(engine, registry):
    found = resolve(engine, f"{registry.host}/good:1")

    assert found.image_id == resolve(engine, found.image_id).image_id
    assert found.image_id == resolve(engine, str(found.digest)).image_id


def test_many_threads_pull_once(engine, registry):
    name = f"{registry.host}/good:1"
    with ThreadPoolExecutor(6) as pool:
        found = set(pool.map(lambda _: resolve(engine, name), range(6)))
    shared = registry.pings()
    engine.api.remove_image(name)
    resolve(engine, name)

    assert len(found) == 1
    assert 2 * shared == registry.pings()


@pytest.mark.parametrize("repository", ["limited", "broken"])
def test_a_registry_that_refuses_is_infrastructure(engine, registry, repository):
    with pytest.raises(RegistryFault, match="no registry served it"):
        resolve(engine, f"{registry.host}/{repository}:1")


def test_a_layer_that_is_refused_is_infrastructure(engine, registry):
    with pytest.raises(RegistryFault, match="no registry served it"):
        resolve(engine, f"{registry.host}/limited-layer:1")


def test_a_registry_that_is_not_there_is_infrastructure(engine):
    with pytest.raises(EngineFault, match="no registry served it"):
        resolve(engine, "127.0.0.1:1/app:1")


def test_a_registry_that_says_nothing_is_given_up(engine, registry):
    with pytest.raises(RegistryFault, match="no answer in 1 s"):
        pull(engine, f"{registry.host}/silent:1", first_answer_s=1.0)


@pytest.mark.parametrize(
    "name", ["{host}/absent:1", "{host}/UPPER:1", "UPPER", "app:", f"sha256:{0:064}"]
)
def test_an_image_that_does_not_exist_is_named(engine, registry, name):
    asked = name.format(host=registry.host)

    with pytest.raises(ImageFault) as caught:
        resolve(engine, asked)

    assert repr(asked) in caught.value.message


def test_an_image_for_other_platforms_says_which(engine, registry):
    with pytest.raises(ImageFault, match="it is made for linux/s390x"):
        resolve(engine, f"{registry.host}/foreign:1")


def test_the_sidecars_image_is_built_once_and_listed(engine):
    image_id = sidecar_image(engine)
    current = {each.image_id: each for each in list_images(engine) if not each.stale}

    assert image_id == sidecar_image(engine)
    assert current[image_id].role == "sidecar-image"


TWO_STAGES = """\
ARG BASE
FROM ${BASE} AS work
COPY ca.pem note.txt /build/
RUN grep -c BEGIN /build/ca.pem > /kept
ARG BUILD
LABEL quickstarted.build=${BUILD} quickstarted-test=MARK
FROM scratch
COPY --from=work /kept /kept
"""


def recipe_of(engine, dockerfile: str) -> Recipe:
    return Recipe(
        repository="quickstarted-test/built",
        role="test",
        dockerfile=dockerfile,
        files={"note.txt": uuid4().bytes},
        base_id=resolve(engine, DEFAULT_IMAGE).image_id,
    )


def test_a_build_is_made_once_and_leaves_no_stage_behind(engine):
    mark = uuid4().hex
    recipe = recipe_of(engine, TWO_STAGES.replace("MARK", mark))
    image_id = ensure(engine, recipe)
    again = ensure(engine, recipe)
    found = inspect(engine, recipe.tag)
    for tag in found["RepoTags"]:
        engine.api.remove_image(tag)

    assert image_id == found["Id"] == again
    assert {recipe.tag, "quickstarted-test/built:local"} == set(found["RepoTags"])
    assert {"quickstarted.role": "test"} == found["Config"]["Labels"]
    assert [] == engine.api.images(all=True, filters={"label": f"quickstarted-test={mark}"})


def test_a_build_that_fails_ends_with_what_the_step_said(engine):
    script = "ARG BASE\nFROM ${BASE}\nRUN echo the disk is made of cheese && exit 3\n"

    with pytest.raises(ImageFault, match=r"(?s)failed: .* 3.*the disk is made of cheese"):
        ensure(engine, recipe_of(engine, script))


def test_an_imported_tree_keeps_owners_and_modes_and_nothing_of_the_machine(engine, tmp_path):
    for folder in ("bin", "etc", "proc", "var/log/apt", "usr/share/man/man1"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("bin/tool", "etc/hostname", "etc/resolv.conf", "etc/passwd", "var/log/apt/log"):
        (tmp_path / name).write_text("text")
    (tmp_path / "bin/tool").chmod(0o4755)
    image_id = import_tree(engine, tmp_path, "quickstarted-test/tree:1")
    container = engine.api.create_container(image_id, ["true"])
    with tarfile.open(fileobj=BytesIO(b"".join(engine.api.export(container)))) as tar:
        found = {entry.name: entry for entry in tar}
    engine.api.remove_container(container)
    engine.api.remove_image("quickstarted-test/tree:1")

    assert {"bin/tool", "etc/passwd"} <= set(found)
    assert found["bin/tool"].mode & 0o7777 == 0o4755
    assert os.getuid() == found["bin/tool"].uid
    # Docker itself puts empty files in place of these two.
    assert found["etc/hostname"].size + found["etc/resolv.conf"].size == 0
    assert not {"var/log/apt/log", "usr/share/man/man1"} & set(found)


def test_the_command_lists_what_a_run_would_use(engine, capsys):
    sidecar_image(engine)
    code = run_cli(["images"])
    lines = capsys.readouterr().out.splitlines()

    assert code == 0
    assert sum("sidecar-image" in line and "stale" not in line for line in lines) == 1


def test_a_superseded_image_is_stale_and_can_be_removed_with_its_tags(engine):
    base = resolve(engine, DEFAULT_IMAGE).image_id
    container = engine.api.create_container(base, ["true"])
    superseded = engine.api.commit(container, "quickstarted/sandbox-node", "superseded-test")
    engine.api.remove_container(container)

    assert superseded["Id"] in [each.image_id for each in list_images(engine) if each.stale]

    engine.api.tag(superseded["Id"], "quickstarted/sandbox-node", "superseded-too")
    stale = [each for each in list_images(engine) if each.image_id == superseded["Id"]]

    assert [remove(engine, each) for each in stale] == [True]
    assert inspect(engine, superseded["Id"]) is None


def run(engine, image_id: str, script: str) -> str:
    """What *script* prints in a container without network."""
    output: bytes = engine.client.containers.run(
        image_id, ["sh", "-c", script], remove=True, network_mode="none", stderr=True
    )
    return output.decode()


def test_the_default_image_holds_what_its_name_promises(engine):
    found = resolve(engine, DEFAULT_IMAGE)
    output = run(
        engine,
        found.image_id,
        "python --version; pip --version >/dev/null && echo pip;"
        " python -m venv /tmp/v && /tmp/v/bin/pip --version >/dev/null && echo venv;"
        " command -v curl git gcc || echo bare",
    )

    assert output.startswith("Python 3.13.")
    assert output.split()[2:] == ["pip", "venv", "bare"]


def test_no_image_of_ours_keeps_what_the_build_was_given(engine):
    ours = [each for each in list_images(engine) if each.role == "sandbox-image"]
    leftovers = [
        run(engine, each.image_id, "ls -d /build /tmp/* 2>/dev/null; true") for each in ours
    ]

    assert [""] * len(ours) == leftovers
