"""`quickstarted cache`: what is kept of packages and pages; packages also out to a file and in."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import click

from quickstarted.cli.docs_cache import clear_docs, docs_facts, docs_lines, docs_store
from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.lanes.packages import PackageVolume, configured_packages
from quickstarted.sandbox.package_cache import Kept, PackageCache

EPILOG = """\
\b
Examples:
  quickstarted cache info
  quickstarted cache export packages.tar
"""
INFO_EPILOG = """\
\b
Examples:
  quickstarted cache info
  quickstarted cache info --json
"""
CLEAR_EPILOG = """\
\b
Examples:
  quickstarted cache clear
  quickstarted cache clear --docs
"""
EXPORT_EPILOG = """\
\b
Examples:
  quickstarted cache export packages.tar
"""
IMPORT_EPILOG = """\
\b
Examples:
  quickstarted cache import packages.tar
"""
_cache_dir = click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where pages are kept, as with `run --cache-dir`.",
)
_UNITS = ((1024**3, "GB"), (1024**2, "MB"), (1024, "kB"))


@click.group(name="cache", epilog=EPILOG)
def command() -> None:
    """
    Look after the packages and the pages of documentation that are kept between runs.

    Files of registries that never change are kept in a volume of the engine, at most 10 GB of
    them (QUICKSTARTED_PACKAGE_CACHE_SIZE). Pages are kept in a folder, at most 1 GB
    (QUICKSTARTED_DOCS_CACHE_SIZE). `gc` leaves both alone.
    """


@command.command(epilog=INFO_EPILOG)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@_cache_dir
def info(as_json: bool, cache_dir: Path | None) -> None:
    """Say how much is kept, and of whom."""
    store = docs_store(cache_dir)
    with _cache() as (cache, volume):
        kept = cache.contents()
    facts = _facts(kept, volume)
    if as_json:
        click.echo(json.dumps({**facts, "docs": docs_facts(store)}))
        return
    click.echo(f"volume  {facts['volume']}")
    click.echo(f"kept    {len(kept)} files, {_size(_bytes(kept))} of {_size(volume.max_bytes)}")
    if kept:
        oldest = datetime.fromtimestamp(min(each.used for each in kept), UTC)
        click.echo(f"oldest  last used {oldest:%Y-%m-%d %H:%M} UTC")
    for host, count in Counter(_host(each) for each in kept).most_common():
        size = _bytes([each for each in kept if _host(each) == host])
        click.echo(f"  {count:6} files {_size(size):>9}  {host}")
    for line in docs_lines(store, _size):
        click.echo(line)


@command.command(epilog=CLEAR_EPILOG)
@click.option("--packages", is_flag=True, help="Packages only.")
@click.option("--docs", is_flag=True, help="Pages of documentation only; needs no engine.")
@_cache_dir
def clear(packages: bool, docs: bool, cache_dir: Path | None) -> None:
    """Remove all that is kept, or one kind of it."""
    if docs or not packages:
        click.echo(clear_docs(docs_store(cache_dir)))
    if packages or not docs:
        with _cache() as (cache, volume):
            removed = cache.clear()
        click.echo(f"removed volume {volume.name}" if removed else "no packages were kept")


@command.command(epilog=EXPORT_EPILOG)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def export(file: Path) -> None:
    """Write all that is kept to FILE, a tar archive, for a machine that has nothing yet."""
    with _cache() as (cache, _):
        count = cache.export(file)
    click.echo(f"wrote {count} files, {_size(file.stat().st_size)}, to {file}")


@command.command("import", epilog=IMPORT_EPILOG)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def import_(file: Path) -> None:
    """Keep the files of FILE, an export, whose content has the digest that it should have."""
    with _cache() as (cache, _):
        done = cache.import_from(file)
    click.echo(f"kept {done.files} files, {_size(done.bytes)}")
    if done.refused:
        click.echo(f"note: {done.refused} are not what they should be, and were left out", err=True)


def _facts(kept: list[Kept], volume: PackageVolume) -> dict[str, object]:
    return {
        "volume": volume.name,
        "max_bytes": volume.max_bytes,
        "files": len(kept),
        "bytes": _bytes(kept),
        "hosts": dict(Counter(_host(each) for each in kept)),
    }


def _bytes(kept: list[Kept]) -> int:
    """What they have in all; files of one content are kept once."""
    return sum({each.entry.sha256: each.entry.size for each in kept}.values())


def _host(kept: Kept) -> str:
    return urlsplit(kept.entry.url).hostname or ""


def _size(size_bytes: int) -> str:
    for scale, unit in _UNITS:
        if size_bytes >= scale:
            return f"{size_bytes / scale:.1f} {unit}"
    return f"{size_bytes} bytes"


@contextmanager
def _cache() -> Iterator[tuple[PackageCache, PackageVolume]]:
    """The cache that runs from here would use; its volume is also looked after when it is off."""
    volume = configured_packages(os.environ) or PackageVolume()
    engine = connect()
    try:
        image = sidecar_image(engine, lambda line: click.echo(line, err=True))
        yield PackageCache(engine, volume, image), volume
    finally:
        engine.close()
