"""The volume for packages, as the environment says."""

import pytest

from quickstarted.errors import UsageError
from quickstarted.sandbox.labels import EXPIRES, OWNER, RUN
from quickstarted.sandbox.lanes.packages import (
    DEFAULT_MAX_BYTES,
    DEFAULT_NAME,
    FOLDER,
    SIZE_VARIABLE,
    VOLUME_VARIABLE,
    PackageVolume,
    configured_packages,
)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, PackageVolume(name=DEFAULT_NAME, max_bytes=DEFAULT_MAX_BYTES)),
        ({SIZE_VARIABLE: ""}, PackageVolume()),
        ({SIZE_VARIABLE: "20g"}, PackageVolume(max_bytes=20 * 1024**3)),
        (
            {SIZE_VARIABLE: "500m", VOLUME_VARIABLE: "x"},
            PackageVolume(name="x", max_bytes=500 << 20),
        ),
        ({SIZE_VARIABLE: "0"}, None),
    ],
)
def test_size_and_name_come_from_the_environment(environ, expected):
    assert expected == configured_packages(environ)


@pytest.mark.parametrize("text", ["many", "10", "-1g", "1 x"])
def test_what_is_no_size_is_told_with_the_variable(text):
    with pytest.raises(UsageError, match=f"{SIZE_VARIABLE}={text} is not a size"):
        configured_packages({SIZE_VARIABLE: text})


def test_no_sweep_can_find_the_volume():
    mount = PackageVolume().mount()

    assert not {RUN, OWNER, EXPIRES} & set(mount["VolumeOptions"]["Labels"])
    assert (FOLDER, "volume") == (mount["Target"], mount["Type"])


def test_the_sidecar_is_told_where_how_much_and_what():
    order = PackageVolume(max_bytes=5).order()

    assert (FOLDER, 5) == (order["folder"], order["max_bytes"])
    assert "files.pythonhosted.org" in {rule["host"] for rule in order["immutable"]}
