"""What the page itself says that a task could begin with: its title and its shell commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from quickstarted.authoring.plain import is_plain, one_line
from quickstarted.docs import Blocked, DocsClient, DocsLibrary, DocsRules, Failed, Page
from quickstarted.docs.code_blocks import code_blocks
from quickstarted.page_steps import commands_in

TITLE_CHARS = 120
MOST_COMMANDS = 40
MOST_COMMAND_CHARS = 2000
MOST_HOSTS = 3
"""Hosts that redirects may lead through."""

_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLook:
    """What was found; everything is empty where nothing was."""

    title: str = ""
    commands: tuple[str, ...] = ()
    """Of its shell code blocks, in order."""
    redirect_hosts: tuple[str, ...] = ()
    """Further hosts that the page is only reached through; none where it could not be read."""
    problem: str = ""
    """Why the page could not be read."""


def look_at(url: str, rules: DocsRules, library: DocsLibrary | None = None) -> PageLook:
    """
    Read the page at *url* as an agent will, and hosts that it redirects to.

    Never fails: what goes wrong is in `problem`.
    """
    hosts: list[str] = []
    while True:
        allowed = replace(rules, allow_hosts=(*rules.allow_hosts, *hosts))
        with DocsClient(allowed, library) as client:
            outcome = client.read(url).outcome
        match outcome:
            case Page():
                return replace(_found(outcome.text), redirect_hosts=tuple(hosts))
            case Failed():
                return PageLook(problem=one_line(outcome.error, 300))
            case Blocked():
                host = urlsplit(outcome.url).hostname or ""
                known = outcome.reason != "not_allowlisted" or host in allowed.allow_hosts
                if known or not host or len(hosts) == MOST_HOSTS:
                    detail = one_line(outcome.detail or outcome.reason, 300)
                    return PageLook(problem=detail)
                hosts.append(host)


def _found(text: str) -> PageLook:
    return PageLook(title=title_of(text), commands=tuple(documented_commands(text)))


def title_of(text: str) -> str:
    """The first heading of a page's text, without mark-up; empty where it has none."""
    inside = ""
    for line in text.splitlines():
        if match := _FENCE.match(line):
            inside = _after_fence(inside, match["fence"])
        elif not inside and line.startswith("# "):
            plain = _LINK.sub(r"\1", line[2:]).replace("`", "").replace("**", "")
            return one_line(plain, TITLE_CHARS)
    return ""


def documented_commands(text: str) -> list[str]:
    """The commands of all shell code blocks, in order, those left out that no file should have."""
    commands = [command for block in code_blocks(text) for command in commands_in(block)]
    fit = [
        command for command in commands if len(command) <= MOST_COMMAND_CHARS and is_plain(command)
    ]
    return fit[:MOST_COMMANDS]


def _after_fence(inside: str, fence: str) -> str:
    """The fence that is open after *fence* was met; empty when none is."""
    if not inside:
        return fence
    closes = fence[0] == inside[0] and len(fence) >= len(inside)
    return "" if closes else inside
