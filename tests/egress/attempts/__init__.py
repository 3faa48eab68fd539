"""All attempts: a module a kind, a table for each thing that could be tried."""

from __future__ import annotations

from egress.attempts import (
    answers,
    authority,
    connect,
    outside,
    protocols,
    resolution,
    tools,
)
from egress.model import Attempt, Table

TABLES: tuple[Table, ...] = (
    *outside.TABLES,
    *resolution.TABLES,
    *connect.TABLES,
    *authority.TABLES,
    *protocols.TABLES,
    *answers.TABLES,
    *tools.TABLES,
)


def silent_rows() -> list[Attempt]:
    """The rows of all tables that leave no event."""
    return [row for table in TABLES if table.silent for row in table.rows]
