"""
What the pages of a task say about it: whether they are there, and still have what `replay` runs.

Pages are read as an agent reads them, with robots.txt, allowlist and sites. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from quickstarted.agents.idle import IdleAgent
from quickstarted.docs import Blocked, DocsClient, DocsLibrary, Failed, Page
from quickstarted.errors import AttemptFault
from quickstarted.events import BlockReason
from quickstarted.page_steps.matching import Documented, files_written
from quickstarted.plan import AttemptPlan
from quickstarted.task import FROM_DOCS, Task
from quickstarted.task.findings import Finding, Rule
from quickstarted.task.source import KeyPath, quoted

_UNREADABLE = Rule(
    severity="error",
    code="url-unreadable",
    advice="Name a page that is there: a reader, and every agent, gets nothing from this one.",
)
_REFUSED = Rule(
    severity="error",
    code="url-refused",
    advice="Name the page where it is now, or add the host to `docs.allow`.",
)
_ADVICE: dict[BlockReason, str] = {
    "robots_disallowed": "Let robots.txt allow the page, or read it with --ignore-robots.",
    "offline_cache_miss": "Run once without --offline, so that the page is kept.",
    "private_address": "List the host under `network.private` if its page is meant to be there.",
    "scheme": "Name a page that is read over http or https.",
}
_FRONT_PAGE = Rule(
    severity="error",
    code="url-gone",
    advice="Name the page where it is now: this address only leads to the site's first page.",
)
_MOVED = Rule(
    severity="warning",
    code="url-moved",
    advice="Name the page where it is now.",
)
_NO_SECTION = Rule(
    severity="error",
    code="url-no-section",
    advice="Name a section that the page has, or leave the fragment out.",
)
_NOT_ON_PAGE = Rule(
    severity="warning",
    code="replay-not-on-page",
    advice="Correct the page or the command: a reader does not find it as `replay` has it.",
)
_NO_CODE = Rule(
    severity="warning",
    code="page-without-code",
    advice="`replay: from_docs` has nothing to run on these pages.",
)


def check_pages(
    task: Task,
    extra_ca_files: tuple[Path, ...],
    reading: Callable[[str], None],
    library: DocsLibrary | None = None,
) -> list[Finding]:
    """
    Read every page of the path of *task*, and compare its `replay` with their code.

    Args:
        task: With its sites.
        extra_ca_files: Certificates that documentation may be served with.
        reading: Told of each URL before it is read.
        library: What tasks share of documentation; None shares nothing.

    Returns:
        Errors and warnings in the order of the file. Nothing that a page does raises.

    """
    plan = AttemptPlan(
        task=task,
        agent=IdleAgent(),
        attempt=1,
        run_id="",
        extra_ca_files=extra_ca_files,
        library=library,
    )
    try:
        rules = plan.docs_rules
    except AttemptFault as fault:
        return [_UNREADABLE.finding(task.source, ("docs", "headers"), str(fault))]
    found: list[Finding] = []
    documented = Documented()
    is_whole = True
    with DocsClient(rules, library) as client:
        for key, url in _urls(task):
            reading(url)
            text = _whole_text(client, url)
            if isinstance(text, str):
                documented.add(url, text)
            is_whole = is_whole and isinstance(text, str)
            found += _about(task, key, client, url)
    found += _about_replay(task, documented, is_whole=is_whole)
    return sorted(found, key=lambda one: one.position)


def _urls(task: Task) -> list[tuple[KeyPath, str]]:
    if task.docs.entrypoint is not None:
        return [(("docs", "entrypoint"), url) for url in task.route]
    return [(("docs", "path", at), url) for at, url in enumerate(task.route)]


def _whole_text(client: DocsClient, url: str) -> str | None:
    """All parts of a page; None where it cannot be read."""
    parts: list[str] = []
    number = pages = 1
    while number <= pages:
        outcome = client.read(url, page=number).outcome
        if not isinstance(outcome, Page):
            return None
        parts.append(outcome.own_text)
        pages, number = outcome.pages, number + 1
    return "".join(parts)


def _about(task: Task, key: KeyPath, client: DocsClient, url: str) -> Iterator[Finding]:
    """What is to be said of one page; it is in the client's cache."""
    outcome = client.read(url).outcome
    match outcome:
        case Failed():
            at = "" if outcome.url == url else f" (at {outcome.url})"
            yield _UNREADABLE.finding(task.source, key, f"{url}: {outcome.error.strip()}{at}")
        case Blocked():
            where = "is refused" if outcome.url == url else f"leads to {outcome.url}"
            said = outcome.detail or outcome.reason
            rule = replace(_REFUSED, advice=_ADVICE.get(outcome.reason, _REFUSED.advice))
            yield rule.finding(task.source, key, f"{url} {where}: {said}")
        case Page():
            if "#" in url and outcome.section_start is None:
                _, _, fragment = url.partition("#")
                message = f"{url}: the page has no section {quoted(f'#{fragment}')}"
                yield _NO_SECTION.finding(task.source, key, message)
            yield from _about_move(task, key, url, outcome.resolved_to)


def _about_move(task: Task, key: KeyPath, url: str, resolved: str) -> Iterator[Finding]:
    asked, reached = urlsplit(url), urlsplit(resolved)
    if (asked.hostname, _bare(asked.path)) == (reached.hostname, _bare(reached.path)):
        return
    is_front = _bare(reached.path) == "" and _bare(asked.path) != ""
    rule = _FRONT_PAGE if is_front else _MOVED
    yield rule.finding(task.source, key, f"{url} leads to {resolved}")


def _bare(path: str) -> str:
    """Without what makes no other page: a slash at the end, the name of an index."""
    return path.removesuffix("index.html").rstrip("/")


def _about_replay(task: Task, documented: Documented, *, is_whole: bool) -> Iterator[Finding]:
    """Silent where a page could not be read: what it has is not known."""
    if not is_whole:
        return
    if task.replay == FROM_DOCS:
        if not documented.commands:
            yield _NO_CODE.finding(task.source, ("replay",), "no page has shell code")
        return
    made = set(files_written(task.replay))
    for at, command in enumerate(task.replay):
        missing = [one for one in documented.missing(command) if not made & set(one.split())]
        if missing:
            yield _NOT_ON_PAGE.finding(task.source, ("replay", at), _said(documented, missing))


def _said(documented: Documented, missing: list[str]) -> str:
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    message = f"{quoted(missing[0])}{more} stands in no code block of the path's pages"
    place = documented.closest(missing[0])
    if place is None:
        return message
    line = f", line {place.line}" if place.line else ""
    return f"{message}; the closest is {quoted(place.text)} ({place.url}{line})"
