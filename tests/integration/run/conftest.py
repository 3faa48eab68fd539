"""An engine, the images that runs are tried on, and a look at what is left behind."""

from __future__ import annotations

import pytest

from fakes.containers import busybox_image, derive, remove_test_images, shell_less_image
from fakes.program import write_task
from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.labels import OWNER, Owner


@pytest.fixture(scope="session", name="engine")
def _engine():
    connected = connect()
    yield connected
    remove_test_images(connected)
    connected.close()


@pytest.fixture(scope="session", name="busybox")
def _busybox(engine, tmp_path_factory):
    return busybox_image(engine, tmp_path_factory.mktemp("busybox"))


@pytest.fixture(scope="session", name="no_shell")
def _no_shell(engine):
    return shell_less_image(engine)


@pytest.fixture(scope="session", name="non_root")
def _non_root(engine):
    return derive(engine, "run-non-root", "useradd -m -u 1234 reader", "USER reader")


@pytest.fixture(scope="session", name="entrypoint")
def _entrypoint(engine):
    return derive(engine, "run-entrypoint", "true", 'ENTRYPOINT ["/bin/false"]')


@pytest.fixture(name="task")
def _task(tmp_path):
    """`task(body)` writes a task file and returns its path."""

    def write(body):
        return write_task(tmp_path, body)

    return write


def volumes_of(engine, filters):
    return engine.api.volumes(filters=filters)["Volumes"] or []


@pytest.fixture(name="left_by")
def _left_by(engine):
    """`left_by(pid)`: everything with the label of the process *pid*, kept images apart."""

    def look(pid):
        filters = {"label": OWNER}
        found = [
            *(
                ("container", it["Id"], it)
                for it in engine.api.containers(all=True, filters=filters)
            ),
            *(("network", it["Id"], it) for it in engine.api.networks(filters=filters)),
            *(("volume", it["Name"], it) for it in volumes_of(engine, filters)),
        ]
        return [
            (kind, name)
            for kind, name, entry in found
            if (owner := Owner.parse(entry["Labels"].get(OWNER, ""))) and owner.pid == pid
        ]

    return look
