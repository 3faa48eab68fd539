"""
Archives of npm packages, packed by npm in a sandbox.

The machine that runs the tests may have no npm, and the node image has one. The sandbox is kept as
an image, its folder copied out, and the image removed.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fakes.program import run_task, write_task
from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.images.standins import SANDBOX_NODE

_IN_SANDBOX = "/workspace/package"


def unpack(package: str, tree: Path) -> None:
    """
    Put the contents of the archive of *package* into the new folder *tree*.

    Raises:
        AssertionError: npm cannot fetch it; the message has what it said.

    """
    body = f"""\
        image: {SANDBOX_NODE.tag}
        replay:
          - npm pack --silent --ignore-scripts --fetch-retries 3 {package}
          - tar -xzf *.tgz --no-same-owner
        success: {{script: test -f package/package.json || qs_fail "no archive"}}
        """
    with tempfile.TemporaryDirectory() as folder:
        done = run_task(write_task(Path(folder), body), "--keep-sandbox")
        assert 0 == done.code, f"npm pack {package}: {done.out}{done.err}"
        image = done.of_type("sandbox_saved")[0].image
    _copy_out(image, tree)


def _copy_out(image: str, tree: Path) -> None:
    engine = connect()
    try:
        container = engine.api.create_container(image, command=["true"])["Id"]
        try:
            chunks, _ = engine.api.get_archive(container, _IN_SANDBOX)
            content = io.BytesIO(b"".join(chunks))
        finally:
            engine.api.remove_container(container, force=True)
    finally:
        engine.api.remove_image(image, force=True)
        engine.close()
    tree.mkdir()
    with tarfile.open(fileobj=content) as archive:
        archive.extractall(tree, members=_inside_one_folder(archive), filter="data")


def _inside_one_folder(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for member in archive:
        _, _, rest = member.name.partition("/")
        if rest:
            yield member.replace(name=rest, deep=False)
