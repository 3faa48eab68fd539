"""Passes and attempts of imagined tasks on both sides of a comparison."""

from __future__ import annotations

from hypothesis import strategies as st

from quickstarted.comparison.exact import Table


@st.composite
def tables(draw: st.DrawFn, most: int = 8) -> Table:
    """Any, with up to *most* attempts a side."""
    before, after = draw(st.integers(1, most)), draw(st.integers(1, most))
    return Table(draw(st.integers(0, before)), before, draw(st.integers(0, after)), after)


def mirrored(table: Table) -> Table:
    """The same with exchanged sides."""
    return Table(
        table.passes_after, table.attempts_after, table.passes_before, table.attempts_before
    )
