"""Uploads to a disk that becomes full; a small file system of its own stands for it."""

import json
import subprocess

import pytest

from fakes.golden import golden
from fakes.uploading import padded, run, serving

pytestmark = pytest.mark.docker


@pytest.fixture(name="disk")
def _disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("size_bytes", [4_000_000, 1_500_000], ids=["receiving", "converting"])
def test_a_full_disk_is_told_stores_nothing_of_it_and_is_no_end(tmp_path, disk, size_bytes):
    with serving(tmp_path, out=disk / "uploads") as served:
        served.post(json.dumps(run("before")).encode())
        refused = served.post(padded("large", size_bytes))
        text = f"{refused.status_code}\n{refused.text}"

        assert golden("serve/disk-full.txt", text) == text
        assert [] == list(served.out.glob(".incoming/*"))
        assert 201 == served.post(json.dumps(run("after")).encode()).status_code
        assert 2 == len(served.stored)
        assert "No space left on device" in served.log
