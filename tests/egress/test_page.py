"""The guide's page on egress shows what the suite holds the sidecar to."""

import os

from egress.attempts import TABLES
from egress.decisions import ROWS
from egress.page import tables, with_tables
from fakes.pages import CHECKOUT

PAGE = CHECKOUT / "docs" / "egress.md"


def test_the_page_has_the_tables_of_the_suite():
    page = PAGE.read_text()
    if os.environ.get("QS_UPDATE_GOLDEN"):
        page = with_tables(page)
        PAGE.write_text(page)

    assert tables() in page


def test_every_row_is_one_line_of_the_tables():
    lines = tables().splitlines()

    assert len(ROWS) + sum(len(table.rows) for table in TABLES) == sum(
        line.startswith("| ") and not line.startswith(("| attempt", "| ---")) for line in lines
    )
