"""
What a job summary and a comment say: the figures, and what to look at in each attempt that failed.

Both places have a limit beyond which GitHub takes nothing at all, so that the text is cut here,
and says what was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quickstarted.ci.outcomes import Outcome
from quickstarted.console.markdown import code, details, fenced
from quickstarted.console.tables import figures
from quickstarted.console.text import visible
from quickstarted.console.words import count, label
from quickstarted.results import SuiteResult
from quickstarted.verdict import Classification

RESERVED_BYTES = 600
"""For the note on what was cut."""
OPEN_FAILURES = 5
"""So many are shown unfolded."""
_FIRST = (Classification.DOCS_GAP, Classification.HARNESS_ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What stands around the figures."""

    title: str = "quickstarted"
    link: str = ""
    """URL of the job or of its artefacts; empty where there is none."""
    changes: str = ""
    """Markdown on what has changed since an earlier result."""


def report_markdown(
    suite: SuiteResult, outcomes: Sequence[Outcome], around: Surroundings, *, limit_bytes: int
) -> str:
    """
    The text, in at most *limit_bytes* of UTF-8.

    Failed attempts come first, those that show a gap before those that give no evidence; what has
    no room is counted.
    """
    head = [f"## {visible(around.title)}", *([around.changes] if around.changes else [])]
    body = figures(suite)
    failed = sorted(
        (one for one in outcomes if one.run.classification is not Classification.PASSED), key=_rank
    )
    tail = [f"[The job, with all results]({around.link})"] if around.link else []
    room = limit_bytes - RESERVED_BYTES - _bytes([*head, *tail])
    kept, cut_lines = _cut_to(body, room)
    room -= _bytes(kept)
    looks, left_out = _looks(failed, room)
    notes = list(_left_out(cut_lines, left_out))
    text = "\n\n".join([*head, *kept, *looks, *notes, *tail]) + "\n"
    return _whole_lines(text, limit_bytes)


def _rank(outcome: Outcome) -> int:
    kind = outcome.run.classification
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)


def _looks(failed: Sequence[Outcome], room: int) -> tuple[list[str], int]:
    """Sections on *failed* that *room* bytes hold, and how many were left out."""
    if not failed:
        return [], 0
    heading = "### What to look at"
    room -= _bytes([heading])
    shown: list[str] = []
    for number, outcome in enumerate(failed):
        one = _look(outcome, is_open=number < OPEN_FAILURES)
        room -= _bytes([one])
        if room < 0:
            break
        shown.append(one)
    return ([heading, *shown] if shown else []), len(failed) - len(shown)


def _look(outcome: Outcome, *, is_open: bool) -> str:
    title = f"{label(outcome.run)}: {code(outcome.name)}"
    body = fenced(outcome.lines[1:] or outcome.lines)
    # A summary element holds HTML, in which backticks are no code.
    if is_open:
        return f"**{title}**\n\n{body}"
    return details(f"{label(outcome.run)}: {_html(outcome.name)}", body)


def _html(text: str) -> str:
    """*text* in an HTML element, with nothing that GitHub makes a mention or a link of."""
    escaped = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<code>{escaped}</code>"


def _cut_to(sections: Sequence[str], room: int) -> tuple[list[str], int]:
    """As many lines of *sections* as *room* bytes hold, and how many are gone."""
    if _bytes(sections) <= room:
        return list(sections), 0
    lines = "\n\n".join(sections).split("\n")
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return ["\n".join(kept).rstrip()], len(lines) - len(kept)


def _left_out(lines: int, attempts: int) -> Iterable[str]:
    if lines:
        yield f"**{count(lines, 'line')} of the tables had no room here**; `suite.md` has them."
    if attempts:
        further = count(attempts, "further attempt")
        yield f"**Of {further} without a pass there was no room here**; see `suite.md`."


def _whole_lines(text: str, limit_bytes: int) -> str:
    """The last resort, for a title or a comparison that is too long by itself."""
    content = text.encode()
    if len(content) <= limit_bytes:
        return text
    kept = content[:limit_bytes].decode("utf-8", "ignore").rpartition("\n")[0]
    return f"{kept}\n" if kept else ""


def _bytes(sections: Iterable[str]) -> int:
    return sum(len(section.encode()) + 2 for section in sections)
