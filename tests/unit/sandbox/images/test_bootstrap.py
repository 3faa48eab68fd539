"""What a Debian base is freed from, and which machines are refused before anything is done."""

from __future__ import annotations

import platform

import pytest

from fakes.fake_engine import FakeEngine, serving
from quickstarted.errors import ImageFault
from quickstarted.sandbox.images.bootstrap import require_able_machine, slim


def test_an_engine_of_another_architecture_or_a_user_who_is_not_root_is_refused():
    with serving(FakeEngine(architecture="s390x")) as engine, pytest.raises(ImageFault) as caught:
        require_able_machine(engine)

    reasons = ("its container engine runs s390x", "by root on Linux")
    assert any(reason in caught.value.message for reason in reasons)
    assert "docker save" in caught.value.hint


def test_documentation_goes_and_copyrights_stay(tmp_path):
    package = tmp_path / "usr/share/doc/tool"
    (package / "examples").mkdir(parents=True)
    (tmp_path / "usr/sbin").mkdir()
    for name in ("copyright", "changelog.gz", "examples/one.sh"):
        (package / name).write_text("text")

    slim(tmp_path)

    assert [path.name for path in package.rglob("*") if path.is_file()] == ["copyright"]


def test_the_image_names_public_sources_and_starts_no_services(tmp_path):
    slim(tmp_path)
    sources = (tmp_path / "etc/apt/sources.list.d/debian.sources").read_text()

    assert "URIs: http://deb.debian.org/debian\nSuites: trixie trixie-updates\n" in sources
    assert "Suites: trixie-security\n" in sources
    assert (tmp_path / "usr/sbin/policy-rc.d").stat().st_mode & 0o777 == 0o755
    assert platform.node() not in sources
