"""Agents' programs in images of a real engine."""

import pytest

from fakes.containers import derive
from fakes.lanes import new_run_id
from fakes.npm_registry import PROGRAM, archive, npm_registry, release
from quickstarted.errors import ImageFault
from quickstarted.sandbox.images.layers import REPOSITORY, Workshop, with_program
from quickstarted.sandbox.images.resolve import inspect, resolve
from quickstarted.sandbox.labels import OWNER, ROLE, RUN

pytestmark = pytest.mark.docker


@pytest.fixture
def registry():
    with npm_registry() as serving:
        yield serving


@pytest.fixture
def workshop(engine, registry, tmp_path):
    environ = {**registry.environ, "XDG_CACHE_HOME": str(tmp_path)}
    made = Workshop(engine=engine, run_id=new_run_id(), environ=environ)
    yield made
    for image in engine.api.images(filters={"label": f"{RUN}={made.run_id}"}):
        engine.api.remove_image(image["Id"], force=True)


def output(engine, image_id, *argv):
    container = engine.api.create_container(image_id, command=list(argv), entrypoint=[""])["Id"]
    try:
        engine.api.start(container)
        engine.api.wait(container)
        return engine.api.logs(container)
    finally:
        engine.api.remove_container(container, force=True)


def test_the_program_is_in_an_image_of_its_own_and_the_task_s_is_as_before(
    engine, non_root, registry, workshop
):
    package = registry.publish(archive())
    image = resolve(engine, non_root)

    got = with_program(workshop, image, release(package))

    program = got.program
    assert (got.image_id, got.user) == (image.image_id, "reader")
    assert (program.name, program.version) == ("tool", "1.2.3")
    assert program.integrity == package.integrity
    assert program.command == "/opt/quickstarted/programs/tool/bin/tool"
    assert got.runs_id == program.image_id != image.image_id
    assert output(engine, got.runs_id, program.command) == b"it works\n"
    assert output(engine, got.runs_id, "cat", program.command) == PROGRAM
    assert output(engine, got.runs_id, "ls", "/opt/quickstarted/programs/tool") == b"LICENSE\nbin\n"


def test_it_is_made_once(engine, non_root, registry, workshop):
    wanted, image = release(registry.publish(archive())), resolve(engine, non_root)

    first, second = (with_program(workshop, image, wanted) for _ in range(2))

    assert first == second
    assert len(registry.asked) == 1
    assert len(engine.api.images(filters={"label": f"{RUN}={workshop.run_id}"})) == 1


def test_another_release_and_another_image_give_another_image(
    engine, busybox, non_root, registry, workshop
):
    one, other = (
        release(registry.publish(archive(), version=version)) for version in ("1.2.3", "1.2.4")
    )
    images = [resolve(engine, name) for name in (busybox, non_root)]

    made = {
        with_program(workshop, image, wanted).runs_id for image in images for wanted in (one, other)
    }

    assert len(made) == 4


def test_the_image_belongs_to_no_process_and_has_an_end(engine, non_root, registry, workshop):
    got = with_program(workshop, resolve(engine, non_root), release(registry.publish(archive())))

    labels = inspect(engine, got.runs_id)["Config"]["Labels"]
    assert (labels[ROLE], labels[OWNER]) == ("program", "")
    assert labels["quickstarted.program"] == "tool 1.2.3"
    assert int(labels["quickstarted.expires"]) > 0
    assert inspect(engine, got.runs_id)["RepoTags"][0].startswith(f"{REPOSITORY}:")


def test_nothing_that_the_image_s_makers_want_run_on_a_build_is_run(engine, registry, workshop):
    name = derive(engine, "onbuild", "true", "ONBUILD RUN touch /was-run")

    got = with_program(workshop, resolve(engine, name), release(registry.publish(archive())))

    assert b"was-run" not in output(engine, got.runs_id, "ls", "/")


def test_a_program_that_is_not_for_the_image_s_c_library_is_refused(engine, registry, workshop):
    loaders = "mkdir -p /lib && touch /lib/ld-musl-x86_64.so.1 /lib/ld-musl-aarch64.so.1"
    name = derive(engine, "musl", loaders)

    with pytest.raises(ImageFault, match=r"tool 1\.2\.3 does not run on \w+ with musl"):
        with_program(workshop, resolve(engine, name), release(registry.publish(archive())))

    assert engine.api.containers(all=True, filters={"label": f"{RUN}={workshop.run_id}"}) == []
