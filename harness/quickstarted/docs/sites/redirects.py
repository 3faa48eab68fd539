"""
`_redirects` files, in the form that Netlify and Cloudflare Pages share.

    /old            /new            301
    /news/*         /blog/:splat
    /:year/:slug    /posts/:slug    302!
    /store id=:id   /shop/:id

One rule a line; the first that fits is taken, and without `!` only where there is no page at its
path. A rule whose conditions depend on the visitor (country, language, role, cookie) is left out.

Sources: https://docs.netlify.com/routing/redirects/ and
https://developers.cloudflare.com/pages/configuration/redirects/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlsplit

REDIRECTING = frozenset({301, 302, 303, 307, 308})
REWRITING = 200
MAX_RULES = 10_000
MAX_LINE_CHARS = 2_000

_NAME = re.compile(r":([A-Za-z][A-Za-z0-9_]*)")
_STATUS = re.compile(r"([0-9]{3})(!?)")
_QUERY = re.compile(r"[^/=:][^/=]*=\S*")
_SAFE = "/%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line."""

    line: int
    """Counts from 1."""
    host: str | None
    """The only host for which it is meant; None means any."""
    path: re.Pattern[str]
    query: tuple[tuple[str, str], ...]
    """Parameters that must be there, each with its value or with `:name`."""
    target: str
    status: int
    forced: bool
    """Whether it is taken even where there is a page."""
    conditions: str = ""
    """What it asks of the visitor; a rule with conditions is never taken."""


@dataclass(frozen=True, slots=True)
class Match:
    """The rule that is taken, and where it leads."""

    rule: Rule
    target: str
    """A path with a leading slash, or a URL; with a query where it has one."""


@dataclass(frozen=True, slots=True)
class Redirects:
    """One file."""

    rules: tuple[Rule, ...] = ()
    unread: tuple[int, ...] = field(default=())
    """Numbers of the lines that are no rules."""

    def match(self, host: str, paths: Sequence[str], query: str) -> Match | None:
        """
        The first rule for a request.

        Args:
            host: Its host.
            paths: Raw paths under which the page is known, with leading slashes.
            query: Without the question mark.

        """
        rules = (rule for rule in self.rules if not rule.conditions)
        return next(_matches(rules, host, paths, query), None)

    def left_out(self, host: str, paths: Sequence[str], query: str) -> Rule | None:
        """The first rule that only its conditions have kept from being taken."""
        rules = (rule for rule in self.rules if rule.conditions)
        found = next(_matches(rules, host, paths, query), None)
        return found.rule if found else None


def parse_redirects(text: str) -> Redirects:
    """Read a file; lines that are no rules are counted and otherwise ignored, as hosts do."""
    rules: list[Rule] = []
    unread: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = _words(line)
        if not words:
            continue
        rule = _rule(number, words) if len(line) <= MAX_LINE_CHARS else None
        if rule is None or len(rules) >= MAX_RULES:
            unread.append(number)
        else:
            rules.append(rule)
    return Redirects(tuple(rules), tuple(unread))


def _words(line: str) -> list[str]:
    words = line.split()
    comment = next((at for at, word in enumerate(words) if word.startswith("#")), None)
    return words[:comment]


def _rule(number: int, words: list[str]) -> Rule | None:
    source, *rest = words
    query: list[tuple[str, str]] = []
    while rest and _QUERY.fullmatch(rest[0]):
        name, _, value = rest.pop(0).partition("=")
        query.append((name, value))
    target = rest.pop(0) if rest and _is_place(rest[0]) else None
    found = _STATUS.fullmatch(rest[0]) if rest else None
    status = int(found[1]) if found else 301
    conditions = rest[1:] if found else rest
    path = _path_pattern(urlsplit(source).path or "/") if _is_place(source) else None
    if path is None or (target is None and found is None):
        return None
    if not all("=" in word for word in conditions):
        return None
    if status not in REDIRECTING | {REWRITING} and not 400 <= status < 500:
        return None
    return Rule(
        line=number,
        host=urlsplit(source).hostname,
        path=path,
        query=tuple(query),
        target=target or source,
        status=status,
        forced=found is not None and found[2] == "!",
        conditions=" ".join(conditions),
    )


def _is_place(word: str) -> bool:
    if word.startswith("/"):
        return True
    try:
        return urlsplit(word).scheme in {"http", "https"} and bool(urlsplit(word).hostname)
    except ValueError:
        return False


def _path_pattern(path: str) -> re.Pattern[str] | None:
    """A splat once; placeholders are whole segments, so that matching takes linear time."""
    if path.count("*") > 1:
        return None
    parts: list[str] = []
    names: set[str] = set()
    for segment in unquote(path).strip("/").split("/"):
        if segment == "*":
            parts.append("(?:/(?P<splat>.*))?")
        elif (name := _NAME.fullmatch(segment)) and name[1] not in names | {"splat"}:
            names.add(name[1])
            parts.append(f"/(?P<{name[1]}>[^/]+)")
        else:
            before, star, after = segment.partition("*")
            splat = "(?P<splat>.*)" if star else ""
            parts.append(f"/{re.escape(before)}{splat}{re.escape(after)}")
    return re.compile("".join(parts), re.DOTALL)


def _matches(rules: Iterator[Rule], host: str, paths: Sequence[str], query: str) -> Iterator[Match]:
    given = dict(parse_qsl(query, keep_blank_values=True))
    normal = [f"/{unquote(path).strip('/')}" for path in paths]
    for rule in rules:
        if rule.host not in {None, host}:
            continue
        captured = _query_values(rule, given)
        found = next(filter(None, map(rule.path.fullmatch, normal)), None)
        if found is not None and captured is not None:
            values = {**captured, **{name: text or "" for name, text in found.groupdict().items()}}
            yield Match(rule, _filled(rule, values, query))


def _query_values(rule: Rule, given: dict[str, str]) -> dict[str, str] | None:
    """What the placeholders of the query stand for; None where a parameter is not as it must be."""
    captured: dict[str, str] = {}
    for name, wanted in rule.query:
        if name not in given:
            return None
        if placeholder := _NAME.fullmatch(wanted):
            captured[placeholder[1]] = given[name]
        elif wanted != given[name]:
            return None
    return captured


def _filled(rule: Rule, values: dict[str, str], query: str) -> str:
    def value(name: re.Match[str]) -> str:
        return quote(values[name[1]], safe=_SAFE) if name[1] in values else name[0]

    target = _NAME.sub(value, rule.target)
    if query and not rule.query and "?" not in target:
        before, mark, fragment = target.partition("#")
        return f"{before}?{query}{mark}{fragment}"
    return target
