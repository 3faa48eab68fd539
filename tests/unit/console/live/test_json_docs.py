"""docs/progress.md has every JSON line as the models say, and the screens as they are."""

import os
from pathlib import Path

import pytest

from fakes.golden import GOLDEN
from quickstarted.console.live.json_lines.lines import Line
from quickstarted.console.live.json_lines.schema import LINES, line_tables
from quickstarted.field_docs import field_docs

PAGE = Path(__file__).parents[4] / "docs" / "progress.md"
MARKER = (
    "<!-- below: made from console/live/json_lines/lines.py by"
    " tests/unit/console/live/test_json_docs.py -->"
)


def test_the_page_has_every_line_and_field_as_the_models_say():
    head, _, tables = PAGE.read_text().partition(MARKER)
    if os.environ.get("QS_UPDATE_GOLDEN"):
        PAGE.write_text(f"{head}{MARKER}\n\n{line_tables()}\n")
        _, _, tables = PAGE.read_text().partition(MARKER)

    assert line_tables() == tables.strip(), "QS_UPDATE_GOLDEN=1 writes it again"


@pytest.mark.parametrize("model", LINES)
def test_every_field_says_what_it_means(model: type[Line]):
    assert set() == set(model.model_fields) - {"type"} - set(field_docs(model))


def test_the_table_on_the_page_is_one_that_was_drawn():
    screen = (GOLDEN / "screens" / "6-attempts-80x20.txt").read_text()
    page = PAGE.read_text()

    assert [] == [line for line in screen.splitlines() if line not in page]
