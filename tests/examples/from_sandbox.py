"""
Folders that commands make in a sandbox, copied out of it.

Documentation is fetched there, by the clients of its registries: the sandbox has the same release
of Debian and of npm on every machine, and the machine that runs the tests may have neither. The
sandbox is kept as an image, its folder copied out, and the image removed.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml

from fakes.program import run_task, write_task
from quickstarted.sandbox.engine import Engine, connect

MADE = "made"


def make_folder(image: str, commands: Sequence[str], target: Path) -> None:
    """
    Run *commands* in a sandbox of *image*; what they put into `made/` becomes the folder *target*.

    *target* takes its name when it is complete; half of it is never seen.

    Raises:
        AssertionError: A command fails; the message has what it printed.

    """
    task = {
        "image": image,
        "replay": [f"mkdir {MADE}", *commands],
        "success": {"script": f'test -n "$(ls {MADE})" || qs_fail "nothing was made"'},
    }
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as folder:
        done = run_task(write_task(Path(folder), yaml.safe_dump(task)), "--keep-sandbox")
        saved = done.of_type("sandbox_saved")
        assert saved, done.out + done.err
        with _removed_after(saved[0].image) as engine:
            last = done.of_type("tool_result")[-1]
            assert 0 == last.exit_code, last.output
            _copy_out(engine, saved[0].image, Path(folder))
        (Path(folder) / MADE).rename(target)


@contextmanager
def _removed_after(image: str) -> Iterator[Engine]:
    engine = connect()
    try:
        yield engine
    finally:
        engine.api.remove_image(image, force=True)
        engine.close()


def _copy_out(engine: Engine, image: str, folder: Path) -> None:
    container = engine.api.create_container(image, command=["true"])["Id"]
    try:
        chunks, _ = engine.api.get_archive(container, f"/workspace/{MADE}")
        with (folder / "made.tar").open("w+b") as file:
            file.writelines(chunks)
            file.seek(0)
            with tarfile.open(fileobj=file) as archive:
                archive.extractall(folder, filter=_within)
    finally:
        engine.api.remove_container(container, force=True)


def _within(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Links that lead out of the folder, such as to another package's files, are left out."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None
