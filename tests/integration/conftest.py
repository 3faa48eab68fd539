"""One engine, and the small images that sandboxes are tried on; made once, removed at the end."""

from __future__ import annotations

import pytest

from fakes.containers import busybox_image, derive, remove_test_images
from quickstarted.sandbox.engine import connect


@pytest.fixture(scope="session", name="engine")
def _engine():
    connected = connect()
    yield connected
    remove_test_images(connected)
    connected.close()


@pytest.fixture(scope="session", name="busybox")
def _busybox(engine, tmp_path_factory):
    return busybox_image(engine, tmp_path_factory.mktemp("busybox"))


@pytest.fixture(scope="session", name="non_root")
def _non_root(engine):
    return derive(engine, "non-root", "useradd -m -u 1234 reader", "USER reader")
