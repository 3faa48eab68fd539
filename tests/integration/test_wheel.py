"""The distribution: what travels in it, and that it works from anywhere, for anybody."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tempfile
from contextlib import contextmanager
from email.parser import BytesParser
from pathlib import Path

import pytest

from fakes.wheels import CHECKOUT, as_reader, build, contents, install, pip
from quickstarted import __version__
from quickstarted.cli import COMMANDS
from quickstarted.sandbox.images.resolve import sidecar_image

pytestmark = pytest.mark.docker

TRAVELS = {
    "harness/quickstarted": "quickstarted",
    "proxy/quickstarted_proxy": "quickstarted_proxy",
    "docker": "quickstarted/_data/docker",
    "tasks": "quickstarted/_data/tasks",
}
"""Folder of the checkout to its place in the wheel."""
NEVER = {"tests", "build", "dist", "__pycache__", "node_modules"}
LEFTOVERS = {".pyc", ".whl", ".log", ".jsonl", ".orig", ".swp"}
MAX_WHEEL_BYTES = 2_000_000


@pytest.fixture(scope="module", name="built")
def _built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module", name="installed")
def _installed(built):
    # pytest's own temporary folders are closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="quickstarted-wheel-"))
    folder.chmod(0o755)
    yield install(built.wheel, folder / "env")
    shutil.rmtree(folder)


@pytest.fixture(name="elsewhere")
def _elsewhere():
    """An empty folder that the reader may write to."""
    folder = Path(tempfile.mkdtemp(prefix="quickstarted-elsewhere-"))
    if owner := as_reader().get("user"):
        os.chown(folder, owner, owner)
    yield folder
    shutil.rmtree(folder)


def files_of_the_checkout():
    """Place in the wheel to content."""
    return {
        f"{place}/{path.relative_to(CHECKOUT / folder)}": path.read_bytes()
        for folder, place in TRAVELS.items()
        for path in (CHECKOUT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".whl"
    }


def payload(wheel):
    return {name: data for name, data in contents(wheel).items() if ".dist-info/" not in name}


def metadata(wheel):
    (text,) = (data for name, data in contents(wheel).items() if name.endswith("/METADATA"))
    return BytesParser().parsebytes(text)


def test_the_wheel_is_the_two_packages_the_dockerfiles_and_the_examples_and_no_more(built):
    expected = files_of_the_checkout()
    found = payload(built.wheel)

    assert sorted(expected) == sorted(found)
    assert expected == found


def test_nothing_that_a_checkout_gathers_gets_into_the_wheel(built):
    names = [Path(name) for name in contents(built.wheel)]
    about = f"quickstarted_harness-{__version__}.dist-info"

    assert {"quickstarted", "quickstarted_proxy", about} == {name.parts[0] for name in names}
    assert [] == [name for name in names if NEVER & set(name.parts) or name.suffix in LEFTOVERS]
    assert [] == [name for name in names if any(part.startswith(".") for part in name.parts)]
    assert built.wheel.stat().st_size < MAX_WHEEL_BYTES


def test_the_sdist_has_the_project_and_nothing_that_a_checkout_gathers(built):
    with tarfile.open(built.sdist) as packed:
        names = [Path(*Path(name).parts[1:]) for name in packed.getnames()]

    assert {"harness", "proxy", "docker", "tasks", "tests", "docs"} <= {
        name.parts[0] for name in names
    }
    assert [] == [name for name in names if {"__pycache__", "dist", ".git"} & set(name.parts)]
    assert [] == [name for name in names if name.parts[0].startswith((".venv", ".cache"))]
    assert {Path("results/README.md")} == {name for name in names if name.parts[0] == "results"}
    assert [] == [name for name in names if name.suffix in LEFTOVERS and "golden" not in name.parts]


def test_the_wheel_of_the_sdist_is_the_wheel_of_the_checkout(built):
    assert contents(built.wheel) == contents(built.wheel_of_sdist)


def test_the_metadata_says_what_it_is(built):
    about = metadata(built.wheel)

    assert ("quickstarted-harness", __version__) == (about["Name"], about["Version"])
    assert ("MIT", ["LICENSE"]) == (about["License-Expression"], about.get_all("License-File"))
    assert (">=3.11", "text/markdown") == (
        about["Requires-Python"],
        about["Description-Content-Type"],
    )
    assert (CHECKOUT / "README.md").read_text() == about.get_payload()


def test_the_wheel_has_the_licence_one_command_and_its_types(built):
    found = contents(built.wheel)
    inside = {name.partition(".dist-info/")[2]: data for name, data in found.items()}

    assert (CHECKOUT / "LICENSE").read_bytes() == inside["licenses/LICENSE"]
    assert (
        b"[console_scripts]\nquickstarted = quickstarted.cli:main\n" == inside["entry_points.txt"]
    )
    assert {"quickstarted/py.typed", "quickstarted_proxy/py.typed"} <= set(found)


def test_what_is_installed_fits_together(installed):
    assert "No broken requirements found.\n" == pip(["check"], installed.prefix)


def test_the_harness_brings_no_mitmproxy(installed):
    assert [] == list(installed.site_packages.glob("mitmproxy*"))


def test_the_program_says_its_version_and_its_examples_from_anywhere(installed, elsewhere):
    version = installed.call("quickstarted", "--version", cwd=elsewhere)
    examples = installed.call("quickstarted", "examples", cwd=elsewhere)

    assert f"quickstarted, version {__version__}\n" == version.stdout
    assert sorted(path.stem for path in (CHECKOUT / "tasks").glob("*.yaml")) == [
        line.split()[0] for line in examples.stdout.splitlines()
    ]
    assert [] == list(elsewhere.iterdir())


def test_every_command_loads(installed, elsewhere):
    helps = [installed.call("quickstarted", name, "--help", cwd=elsewhere) for name in COMMANDS]

    assert [""] * len(COMMANDS) == [done.stderr for done in helps]
    assert [0] * len(COMMANDS) == [done.returncode for done in helps]


def test_a_copied_example_is_valid_and_the_schema_is_printed(installed, elsewhere):
    copied = installed.call("quickstarted", "examples", "copy", "demo", cwd=elsewhere)
    valid = installed.call("quickstarted", "validate", cwd=elsewhere)
    schema = installed.call("quickstarted", "schema", cwd=elsewhere)

    assert 0 == copied.returncode, copied.stderr
    assert "1 task file: 0 invalid, 0 warnings, 0 notes" == valid.stdout.splitlines()[-1]
    assert "quickstarted task" == json.loads(schema.stdout)["title"]


def test_an_example_passes_from_an_empty_folder(installed, elsewhere, engine):
    done = installed.call("quickstarted", "run", "--example", "demo", cwd=elsewhere)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert done.stdout.startswith("[PASS] demo ")
    assert ["results"] == [path.name for path in elsewhere.iterdir()]
    # The same sources make the same image: nothing was built anew.
    ready = events(elsewhere / "results" / "demo", "sandbox_ready")
    assert [sidecar_image(engine)] == [event["sidecar_image_id"] for event in ready]


def test_a_reader_who_is_not_root_runs_it_from_packages_that_cannot_be_written(
    installed, elsewhere
):
    with read_only(installed.prefix):
        before = listing(installed.prefix)
        done = installed.call(
            "quickstarted", "run", "--example", "demo", cwd=elsewhere, **as_reader()
        )
        after = listing(installed.prefix)

    assert 0 == done.returncode, done.stdout + done.stderr
    assert done.stdout.startswith("[PASS] demo ")
    assert before == after
    assert {(elsewhere / "results" / "demo").stat().st_uid} == {elsewhere.stat().st_uid}


def events(folder, kind):
    lines = map(json.loads, (folder / "trace.jsonl").read_text().splitlines())
    return [line for line in lines if line["type"] == kind]


@contextmanager
def read_only(folder):
    """Nobody but root may write below *folder*, and nobody needs to."""
    modes = {path: path.stat().st_mode for path in folder.rglob("*") if not path.is_symlink()}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def listing(folder):
    return sorted((str(path), path.lstat().st_mtime_ns) for path in folder.rglob("*"))
