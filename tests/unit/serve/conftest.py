"""One real server for the tests that leave it as they found it."""

import pytest

from fakes.uploading import serving


@pytest.fixture(name="served", scope="package")
def _served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served
