"""`quickstarted images`: what is here, build, pull, prune."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from quickstarted.sandbox.engine import Engine, connect
from quickstarted.sandbox.images import inventory, provision
from quickstarted.sandbox.images.pull import Progress
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE

EPILOG = """\
\b
Examples:
  quickstarted images
  quickstarted images build
"""
BUILD_EPILOG = """\
\b
Examples:
  quickstarted images build
  quickstarted images build --force
"""
PULL_EPILOG = """\
\b
Examples:
  quickstarted images pull
  quickstarted images pull node:22-slim --platform linux/arm64
"""
PRUNE_EPILOG = """\
\b
Examples:
  quickstarted images prune
  quickstarted images prune --all
"""


@click.group(name="images", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """
    Look after the images that runs are made from; without a command, list them.

    Sandboxes kept by `run --keep-sandbox` are not among them: `quickstarted gc` looks after those.
    """
    if ctx.invoked_subcommand is None:
        _list()


@command.command(epilog=BUILD_EPILOG)
@click.option("--force", is_flag=True, help="Make the stand-ins again, from a new Debian base.")
@click.option("--stand-ins", is_flag=True, help="Make them even where the public image is here.")
def build(force: bool, stand_ins: bool) -> None:
    """
    Have every image that a run needs.

    Pulls the default image, or, where no registry serves it, makes stand-ins from Debian's
    packages (root on Debian or Ubuntu); then builds the sidecar's image. Does nothing when all
    are here.
    """
    with _engine() as engine:
        provision.provide(engine, _progress(), force=force, stand_ins=stand_ins)


@command.command(epilog=PULL_EPILOG)
@click.argument("names", nargs=-1, metavar="[IMAGE...]")
@click.option("--platform", metavar="OS/ARCH", help="Instead of the engine's own.")
def pull(names: tuple[str, ...], platform: str | None) -> None:
    """Pull images now, by default the one of tasks that name none."""
    with _engine() as engine:
        for name in names or (DEFAULT_IMAGE,):
            provision.pull_image(engine, name, platform, _progress())


@command.command(epilog=PRUNE_EPILOG)
@click.option("--all", "everything", is_flag=True, help="Also those that the next run would use.")
def prune(everything: bool) -> None:
    """Remove images of ours whose place a newer one has taken."""
    with _engine() as engine:
        removed = inventory.prune(engine, everything=everything)
    for each in removed:
        click.echo(f"removed {each.name or each.image_id}")
    click.echo(f"{len(removed)} removed")


def _list() -> None:
    with _engine() as engine:
        listed = inventory.list_images(engine)
    if not listed:
        click.echo("no image is here; `quickstarted images build` has them made or pulled")
        return
    width = max(len(_name(each)) for each in listed)
    for each in listed:
        size, age = f"{each.size_bytes / 1e6:.0f} MB", _age(each.age_s)
        note = "  stale: `quickstarted images prune`" if each.stale else ""
        click.echo(f"{_name(each):{width}}  {each.role:13}  {size:>8}  {age:>8}{note}")


def _name(image: inventory.Listed) -> str:
    return image.name or image.image_id.removeprefix("sha256:")[:12]


def _age(seconds: float) -> str:
    """In the largest unit of which there is at least one."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _progress() -> Progress:
    """Lines on stderr, each with the time since the start."""
    started = time.monotonic()

    def line(text: str) -> None:
        click.echo(f"[{time.monotonic() - started:5.1f} s] {text}", err=True)

    return line


@contextmanager
def _engine() -> Iterator[Engine]:
    engine = connect()
    try:
        yield engine
    finally:
        engine.close()
