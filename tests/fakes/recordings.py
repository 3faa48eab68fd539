"""A page whose quickstart is recorded into `x.yaml`, and what has become of it."""

from __future__ import annotations

from pathlib import Path

from fakes.program import Done, finish, start
from quickstarted.task import Task, load_task

URL = "https://docs.example/start/"
SITE = "<main><h1>Start</h1><p>Do it.</p></main>"
FETCH = "python3 -c \"import urllib.request as u; u.urlopen('http://no.example/')\""
"""A command that asks for a host which is on no list."""


def write_site(folder: Path) -> Path:
    """Put the page below *folder*, and return that."""
    site = folder / "site" / "start"
    site.mkdir(parents=True)
    (site / "index.html").write_text(SITE)
    return folder


def call(folder: Path, *flags: str | Path) -> list[str | Path]:
    """The arguments of a recording."""
    site = f"https://docs.example/={folder / 'site'}"
    out = folder / "x.yaml"
    return ["init", URL, "--name", "x", "--out", out, "--docs-site", site, "--record", *flags]


def task_of(folder: Path) -> tuple[Task, str]:
    """The task that was written, and its text."""
    path = folder / "x.yaml"
    return load_task(path), path.read_text()


def proof_of(folder: Path) -> Done:
    """What `validate --prove` says of it."""
    return finish(start(["validate", "--prove", folder / "x.yaml"]), folder)


def assert_proved(folder: Path) -> None:
    """It holds, or the failure says why not."""
    proof = proof_of(folder)
    assert 0 == proof.code, proof.out + proof.err
