"""`quickstarted init`: a new task from the URL of a quickstart."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from quickstarted.authoring.draft import Draft
from quickstarted.authoring.files import make_folder, refuse_taken, write_new, write_schema
from quickstarted.authoring.naming import name_for, usable_url
from quickstarted.authoring.page import PageLook, look_at
from quickstarted.authoring.scaffold import task_text
from quickstarted.cli.docs_flags import FetchFlags, docs_flags, library_for
from quickstarted.cli.task_args import METAVAR, docs_sites
from quickstarted.docs import DocsOptions, DocsRules, Site
from quickstarted.errors import TaskInvalid, UsageError
from quickstarted.task import load_task
from quickstarted.task.access import parse_site
from quickstarted.task.find import DEFAULT_FOLDER
from quickstarted.task.findings import warnings_for
from quickstarted.task.hosts import url_host, url_prefix

EPILOG = """\
\b
Exit codes: 0 the file is written, 3 the call is not valid or the file is there already.
With --record also: 2 no sandbox could be had, 130 interrupted.

\b
Examples:
  quickstarted init https://flask.palletsprojects.com/en/stable/quickstart/
  quickstarted init https://docs.example/start/ --name start --docs-site https://docs.example/=site
  quickstarted init https://docs.example/start/ --record
  quickstarted init https://docs.example/start/ --record --yes < commands.sh
"""


_PLACE = re.compile(r"^:\d+:\d+:? ")


@dataclass(frozen=True, kw_only=True)
class Sites:
    """`--docs-site`, as the reader of the page and as the file needs it."""

    readable: tuple[Site, ...]
    written: dict[str, str]
    """Prefix to what the file says; folders are relative to it."""
    hosts: tuple[str, ...]


@click.command("init", short_help="write a new task for a page", epilog=EPILOG)
@click.argument("url")
@click.option("--name", help="Name of the task; default: made from the URL.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file; default: tasks/NAME.yaml. One that is there is never written over.",
)
@click.option("--goal", help="What the agent is told; default: made from the page's title.")
@click.option(
    "--docs-site",
    multiple=True,
    metavar=METAVAR,
    help="Read pages below the URL PREFIX from a local folder or a preview, now and in the task.",
)
@click.option(
    "--upstream-ca",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="More CAs (PEM) that pages and upstreams may be served with.",
)
@docs_flags
@click.option(
    "--record",
    is_flag=True,
    help="Do the quickstart once in a sandbox's shell, and have it written down.",
)
@click.option(
    "--image", help="Container image for --record, and of the task. Default: the usual one."
)
@click.option(
    "--allow",
    multiple=True,
    metavar="HOST",
    help="With --record: let the shell reach HOST, and write it down as network.allow.",
)
@click.option(
    "--yes",
    is_flag=True,
    help="With --record: write hosts that were refused down as network.allow without asking.",
)
def command(*, url: str, name: str | None, out: Path | None, **flags: Any) -> int:
    """
    Write a task file for the page at URL: valid as it is, with comments on what is to be filled in.

    Its check fails until you have written one. With --record you go through the quickstart once,
    in the sandbox that the agent will get; the commands that worked become the task's `replay`,
    and a check is suggested from what they left behind. Commands are read from standard input
    where that is no terminal.
    """
    record = flags.pop("record")
    for flag in ("allow", "yes"):
        if flags[flag] and not record:
            raise UsageError(f"--{flag} goes with --record")
    fetching = FetchFlags.out_of(flags)
    url = usable_url(url)
    path = out or DEFAULT_FOLDER / f"{name or name_for(url)}.yaml"
    refuse_taken(path)
    make_folder(path)
    sites = _sites(flags["docs_site"], path)
    with library_for(fetching, note=lambda line: click.echo(line, err=True)) as library:
        rules = _rules(url, sites, flags["upstream_ca"], library.options)
        look = look_at(url, rules, library)
    draft = Draft(
        name=name or name_for(url),
        url=url,
        goal=flags["goal"] or "",
        title=look.title,
        image=flags["image"] or "",
        docs_allow=_docs_allow(url, look, sites),
        sites=sites.written,
        suggested=look.commands,
        problem=look.problem,
    )
    _text(draft, path)
    click.echo(_read_line(look), err=True)
    if record:
        # Sandboxes and all below are loaded only where they are asked for.
        from quickstarted.cli import recording  # noqa: PLC0415

        wanted = ("allow", "yes", "image", "upstream_ca")
        given = {name: flags[name] for name in wanted}
        draft = recording.record(draft, path, recording.RecordFlags(**given))
    text = _text(draft, path)
    try:
        write_new(path, text)
    except UsageError:
        if record:
            # Nobody should have to do the quickstart again for a full disk.
            click.echo(text)
        raise
    _say_written(path)
    return 0


def _text(draft: Draft, path: Path) -> str:
    try:
        return task_text(draft, path)
    except TaskInvalid as invalid:
        # The file is not there yet, so its lines say nothing; the keys do.
        reasons = [_PLACE.sub("", problem.removeprefix(str(path))) for problem in invalid.problems]
        raise UsageError("this would not be a valid task: " + "; ".join(reasons)) from invalid


def _sites(pairs: tuple[str, ...], path: Path) -> Sites:
    readable, written = [], {}
    for prefix, source in docs_sites(pairs).items():
        try:
            prefix_url, site = url_prefix(prefix), parse_site(source, Path.cwd())
        except ValueError as exc:
            raise UsageError(f"--docs-site: {exc}") from exc
        readable.append(Site(prefix=prefix_url, folder=site.folder, url=site.url))
        if site.folder is None:
            written[prefix_url] = source
        else:
            written[prefix_url] = os.path.relpath(site.folder, path.absolute().parent)
    hosts = tuple(dict.fromkeys(map(url_host, written)))
    return Sites(readable=tuple(readable), written=written, hosts=hosts)


def _rules(url: str, sites: Sites, upstream_ca: Path | None, options: DocsOptions) -> DocsRules:
    return DocsRules(
        allow_hosts=(url_host(url), *sites.hosts),
        sites=sites.readable,
        extra_ca_files=(upstream_ca,) if upstream_ca else (),
        respect_robots=options.respect_robots,
        min_interval_s=options.rate_limit_s,
    )


def _docs_allow(url: str, look: PageLook, sites: Sites) -> tuple[str, ...]:
    """Hosts that must be readable besides that of the page."""
    own = url_host(url)
    wanted = dict.fromkeys((*look.redirect_hosts, *sites.hosts))
    return tuple(host for host in wanted if host != own and not host.endswith(f".{own}"))


def _read_line(look: PageLook) -> str:
    if look.problem:
        return f"note: the page could not be read: {look.problem}"
    title = f'"{look.title}"' if look.title else "a page without a heading"
    found = len(look.commands)
    return f"read {title}: {found} shell command{'' if found == 1 else 's'}"


def _say_written(path: Path) -> None:
    task = load_task(path)
    click.echo(f"{path}: written")
    schema = write_schema(path.parent)
    if schema is not None:
        click.echo(f"{schema}: written, for completion in editors")
    for finding in warnings_for(task):
        if finding.code != "no-replay":
            click.echo(f"  {finding.severity}: {finding.line(task.source)}")
            click.echo(f"    {finding.advice}")
    click.echo("next: fill in what its comments ask for, then")
    click.echo(f"  quickstarted validate {shlex.quote(str(path))} --prove")
