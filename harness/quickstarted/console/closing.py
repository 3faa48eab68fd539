"""What to look at after an attempt that did not pass: at most eight lines, unasked."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from quickstarted.console.text import last_line, last_paragraph, lines_of, shorten, visible
from quickstarted.console.words import exit_said, headline, why
from quickstarted.events import (
    AgentFinal,
    DocsFetch,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    EventBase,
    FetchBlocked,
    FetchError,
    ToolCall,
    ToolResult,
)
from quickstarted.results import RunResult
from quickstarted.verdict import Classification

MAX_LINES = 8
DEFAULT_WIDTH = 120
"""Of one line; longer commands and messages are cut in the middle."""
NAMED_HOSTS = 4
TO_DO = "to do"
CHECK_FAILED = "check failed: "
"""How the check's `qs_fail` begins."""


def closing_lines(
    events: Iterable[EventBase], result: RunResult, trace_path: Path | str
) -> list[str]:
    """
    The headline, and for an attempt that did not pass what to look at.

    Args:
        events: All events of the attempt.
        result: What it amounts to.
        trace_path: Its trace, as it should be named in the commands that show more.

    Returns:
        One to eight visible lines.

    """
    highlights = Highlights()
    for event in events:
        highlights.add(event)
    return highlights.lines(result, trace_path)


class Highlights:
    """The same, event by event, in memory that does not grow with what commands printed."""

    def __init__(self) -> None:
        self._call: ToolCall | None = None
        self._last_page: DocsFetch | None = None
        self._unread: dict[str, str] = {}
        """Pages that could not be read so far, each with the reason."""
        self._failed_command = ""
        self._failed: ToolResult | None = None
        self._docs_hosts: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._refused_paths: Counter[str] = Counter()
        self._upstream: dict[str, str] = {}
        self._account = ""

    def add(self, event: EventBase) -> None:
        """Take one event of the attempt."""
        match event:
            case ToolCall(command=str()):
                self._call = event
            case ToolResult() if self._failed is None and event.exit_code != 0:
                self._failed = event
                self._failed_command = (self._call and self._call.command) or event.tool
            case DocsFetch():
                self._last_page = event
                self._unread.pop(event.url, None)
            case FetchError():
                self._unread[event.url] = event.error
            case FetchBlocked():
                self._unread[event.url] = event.detail or event.reason
            case AgentFinal():
                self._account = event.text
            case _:
                self._add_egress(event)

    def _add_egress(self, event: EventBase) -> None:
        match event:
            case EgressBlocked(detail=str(detail)) if detail.startswith(
                ("model_path", "hosted_tool")
            ):
                # The agent's own program, on its way to its model: no author can mend that.
                pass
            case EgressBlocked(reason="not_allowlisted", detail="path"):
                self._refused_paths[f"{event.host}{event.path or ''}"] += 1
            case EgressBlocked(reason="not_allowlisted"):
                self._refused[event.host] += 1
            case EgressBlocked():
                self._docs_hosts[event.host] += 1
            case EgressError():
                self._upstream[event.host] = event.detail or event.error
            case EgressAllowed(status=int()):
                self._upstream.pop(event.host, None)
            case _:
                pass

    def lines(
        self, result: RunResult, trace_path: Path | str, *, width: int = DEFAULT_WIDTH
    ) -> list[str]:
        """One to eight visible lines of *width* characters; what is to be pasted is whole."""
        head = visible(headline(result))
        if result.classification is Classification.PASSED:
            return [head]
        room = width - len(_label(""))
        looks = [
            (0, "why", why(result)),
            (1, TO_DO, result.fault.hint if result.fault else ""),
            (6, "last page", self._page()),
            (7, "unread", self._unreadable() if self._last_page else ""),
            (2, "failed", self._command(room)),
            (3, "refused", self._refusals()),
            (5, "upstream", ", ".join(f"{host} ({what})" for host, what in self._upstream.items())),
            (4, "check", _check(result)),
            (8, "agent", last_paragraph(self._account)),
        ]
        kept = sorted(weight for weight, _, text in looks if text)[: MAX_LINES - 3]
        place = shlex.quote(visible(_shown_path(trace_path)))
        return [
            head,
            *(
                f"{_label(name)}{visible(text) if name == TO_DO else shorten(text, room)}"
                for weight, name, text in looks
                if text and weight in kept
            ),
            f"{_label('the run')}quickstarted show {place}",
            f"{_label('all of it')}quickstarted show {place} --verbose",
        ]

    def _page(self) -> str:
        page = self._last_page
        if page is None:
            return f"none was read; {self._unreadable()}" if self._unread else "none was read"
        return page.resolved_to + (" (too large to read at once)" if page.truncated else "")

    def _unreadable(self) -> str:
        if not self._unread:
            return ""
        url, reason = next(iter(self._unread.items()))
        more = f" (and {len(self._unread) - 1} more)" if len(self._unread) > 1 else ""
        return f"{url}: {reason.removeprefix(url).strip()}{more}"

    def _command(self, room: int) -> str:
        if self._failed is None:
            return ""
        ended = exit_said(self._failed.exit_code, timed_out=self._failed.timed_out)
        said = last_line(self._failed.output) or self._failed.note or "it printed nothing"
        command = shorten(self._failed_command.strip(), room // 2)
        return f"$ {command}  {ended}: {shorten(said, room - len(command) - len(ended) - 6)}"

    def _refusals(self) -> str:
        if self._refused:
            return f"{_named(self._refused)}; if the docs ask for it, add it to network.allow"
        if self._refused_paths:
            paths = _named(self._refused_paths)
            return f"{paths}; if the docs ask for it, add it to network.paths"
        if self._docs_hosts:
            return f"{_named(self._docs_hosts)}; the shell may not read documentation"
        return ""


def _check(result: RunResult) -> str:
    check = result.success_check
    if check is None:
        return "did not run"
    said = _said(check.output) or "it printed nothing"
    return f"{exit_said(check.exit_code, timed_out=check.timed_out)}: {said}"


def _said(output: str) -> str:
    """What `qs_fail` said, which authors and helpers use; else the last line."""
    lines = (line.strip() for line in lines_of(output))
    return next((line for line in lines if line.startswith(CHECK_FAILED)), last_line(output))


def _label(name: str) -> str:
    return f"  {name + ':' if name else '':<11}"


def _named(hosts: Counter[str]) -> str:
    names = [host for host, _ in hosts.most_common(NAMED_HOSTS)]
    more = len(hosts) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _shown_path(trace_path: Path | str) -> str:
    """An attempt is named by its folder."""
    path = Path(trace_path)
    return str(path.parent if path.name == "trace.jsonl" else path)
