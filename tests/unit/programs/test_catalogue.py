import base64

import pytest

from quickstarted.errors import ImageFault
from quickstarted.programs import PROGRAMS_DIR, RELEASES

ALL = [(release, package) for release in RELEASES.values() for package in release.packages.values()]


@pytest.mark.parametrize(("release", "package"), ALL)
def test_every_package_is_pinned_by_version_and_by_a_whole_hash(release, package):
    kind, _, digest = package.integrity.partition("-")

    assert package.version.split("-")[0] == release.version
    assert kind == "sha512"
    assert len(base64.b64decode(digest, validate=True)) == 64


@pytest.mark.parametrize(("release", "package"), ALL)
def test_the_command_is_among_what_is_kept(release, package):
    command = package.command

    assert any(command == kept or command.startswith(kept) for kept in package.keep)
    assert release.command_in_sandbox(package) == f"{PROGRAMS_DIR}/{release.name}/{command}"


@pytest.mark.parametrize("release", RELEASES.values())
@pytest.mark.parametrize("libc", ["glibc", "musl"])
@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_every_program_is_there_for_the_machines_that_sandboxes_run_on(release, architecture, libc):
    assert release.package_for(architecture, libc).integrity


@pytest.mark.parametrize("release", RELEASES.values())
def test_a_machine_that_its_makers_have_nothing_for_is_refused_with_those_they_have(release):
    with pytest.raises(ImageFault, match="does not run on s390x with glibc") as info:
        release.package_for("s390x", "glibc")

    assert "amd64 with glibc" in info.value.hint
