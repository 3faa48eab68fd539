import io
import tarfile

import pytest

from fakes.npm_registry import PROGRAM, archive, npm_registry
from quickstarted.errors import ProgramUnavailable
from quickstarted.programs.unpack import packed

FOLDER = "/opt/quickstarted/programs/tool"


@pytest.fixture
def package():
    with npm_registry() as registry:
        yield registry.publish(archive())


def members(path, package):
    with packed(path, package, FOLDER) as file, tarfile.open(fileobj=file) as tar:
        return {
            entry.name: (tar.extractfile(entry).read(), entry.mode, entry.uid, entry.gid)
            for entry in tar
        }


def test_what_is_needed_is_packed_for_the_folder_and_is_roots(package, tmp_path):
    (tmp_path / "a.tgz").write_bytes(archive())

    assert members(tmp_path / "a.tgz", package) == {
        f"{FOLDER[1:]}/bin/tool": (PROGRAM, 0o755, 0, 0),
        f"{FOLDER[1:]}/LICENSE": (b"free", 0o644, 0, 0),
    }


@pytest.mark.parametrize(
    "name",
    ["package/bin/../../../etc/passwd", "/package/bin/tool2", "other/bin/tool", "package/bins/x"],
)
def test_what_would_lie_elsewhere_is_left_out(package, tmp_path, name):
    (tmp_path / "a.tgz").write_bytes(archive({"package/bin/tool": PROGRAM, name: b"no"}))

    assert list(members(tmp_path / "a.tgz", package)) == [f"{FOLDER[1:]}/bin/tool"]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE]
)
def test_links_folders_and_devices_are_left_out(package, tmp_path, kind):
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as tar:
        entry = tarfile.TarInfo("package/bin/odd")
        entry.type, entry.linkname = kind, "/etc/passwd"
        tar.addfile(entry)
        entry = tarfile.TarInfo("package/bin/tool")
        entry.size = len(PROGRAM)
        tar.addfile(entry, io.BytesIO(PROGRAM))

    assert list(members(tmp_path / "a.tgz", package)) == [f"{FOLDER[1:]}/bin/tool"]


def test_an_archive_without_the_program_is_refused(package, tmp_path):
    (tmp_path / "a.tgz").write_bytes(archive({"package/LICENSE": b"free"}))

    with pytest.raises(ProgramUnavailable, match="has no file bin/tool"):
        members(tmp_path / "a.tgz", package)
