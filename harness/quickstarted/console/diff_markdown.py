"""A comparison of two runs as Markdown, for a pull request or a job summary."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.comparison import CellComparison, CellName, Comparison
from quickstarted.console.diff_words import (
    METRICS,
    SHOWN,
    about,
    amount,
    amount_interval,
    cell_name,
    detectable,
    effort_rows,
    group_name,
    headline,
    mismatch,
    no_difference,
    ordered,
    p_said,
    rate,
    rate_change,
)
from quickstarted.console.markdown import code, details, table
from quickstarted.console.text import visible
from quickstarted.console.words import count

ROWS = 50
"""A comment holds 65,536 characters."""
CELL_HEAD = ("cell", "before", "after", "change", "p", "shown", "detects")
GROUP_HEAD = ("over tasks", "tasks", "change", "p", "shown")
EFFORT_HEAD = ("cell", "effort", "before", "after", "change", "95% interval")


def diff_markdown(comparison: Comparison) -> str:
    """All of *comparison* that a reader needs; tables hold `ROWS` rows, changes first."""
    return "\n\n".join(_sections(comparison)) + "\n"


def _sections(comparison: Comparison) -> Iterator[str]:
    yield f"**{visible(headline(comparison))}**"
    if comparison.groups:
        yield table(
            GROUP_HEAD,
            (
                (
                    code(group_name(one.group)),
                    f"{one.tasks:,}",
                    rate_change(one),
                    p_said(one.p_adjusted),
                    SHOWN[one.shown],
                )
                for one in comparison.groups
            ),
        )
    cells = ordered(comparison.compared)
    if cells:
        yield table(CELL_HEAD, (list(_cell(cell)) for cell in cells[:ROWS]))
        yield from _more(len(cells))
        if len(cells) == 1 and cells[0].shown == "no_difference":
            yield f"{no_difference(cells[0]).capitalize()}."
    yield from _effort(comparison)
    yield from _left_out(comparison)
    yield from (f"Note: {visible(note)}." for note in comparison.notes)
    explained = " ".join(about(comparison))
    if explained:
        yield details("What the figures are", explained)


def _cell(cell: CellComparison) -> Iterator[str]:
    shown = SHOWN[cell.shown or "no_difference"]
    yield code(cell_name(cell.cell))
    yield rate(cell.before)
    yield rate(cell.after)
    yield rate_change(cell)
    yield p_said(cell.p_adjusted or 0.0)
    yield shown if cell.shown == "no_difference" else f"**{shown}**"
    yield detectable(cell)


def _effort(comparison: Comparison) -> Iterator[str]:
    rows = effort_rows(comparison)
    if not rows:
        return
    body = table(
        EFFORT_HEAD,
        (
            (
                code(cell_name(row.cell)),
                METRICS[row.change.metric],
                amount(row.change, row.change.before),
                amount(row.change, row.change.after),
                amount(row.change, row.change.difference, signed=True),
                amount_interval(row.change),
            )
            for row in rows[:ROWS]
        ),
    )
    yield details("Effort", "\n\n".join((body, *_more(len(rows)))))


def _left_out(comparison: Comparison) -> Iterator[str]:
    refused = comparison.refused
    if refused:
        lines = [
            f"- {code(cell_name(cell.cell))}: {_code_mismatches(cell)}" for cell in refused[:ROWS]
        ]
        yield "\n".join((f"Not comparable ({count(len(refused), 'cell')}):", "", *lines))
        yield from _more(len(refused))
    yield from _named("Without evidence on one side", [c.cell for c in comparison.without_evidence])
    yield from _named("Only before", comparison.only_before)
    yield from _named("Only after", comparison.only_after)


def _code_mismatches(cell: CellComparison) -> str:
    return "; ".join(code(mismatch(one)) for one in cell.mismatches)


def _named(title: str, cells: list[CellName]) -> Iterator[str]:
    if cells:
        names = ", ".join(code(cell_name(cell)) for cell in cells[:ROWS])
        yield f"{title} ({count(len(cells), 'cell')}): {names}."
        yield from _more(len(cells))


def _more(total: int) -> Iterator[str]:
    if total > ROWS:
        yield f"And {total - ROWS:,} more: `quickstarted diff --json` has all."
