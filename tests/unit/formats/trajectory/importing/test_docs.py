"""docs/trajectory.md lists the formats that are read, in the order in which they are asked."""

import os

from fakes.imports import imported_bytes
from fakes.pages import CHECKOUT
from quickstarted.formats.trajectory.importing import IMPORTERS

PAGE = CHECKOUT / "docs" / "trajectory.md"
START = "<!-- formats: made by tests/unit/formats/trajectory/importing/test_docs.py -->"
END = "<!-- end of formats -->"
WEAK = {"messages", "openai-responses", "event-list"}


def table():
    rows = [
        f"| `{one.name}`{' *' if one.name in WEAK else ''} | {one.title} | {summary(one)} |"
        for one in IMPORTERS
    ]
    return "\n".join(["| `--format` | what it is | known by |", "| --- | --- | --- |", *rows])


def summary(importer):
    return importer.detects.__doc__.strip()


def test_the_page_lists_every_format_in_the_order_in_which_they_are_asked():
    head, _, rest = PAGE.read_text().partition(START)
    between, marker, tail = rest.partition(END)
    if os.environ.get("QS_UPDATE_GOLDEN"):
        between = f"\n\n{table()}\n\n"
        PAGE.write_text(f"{head}{START}{between}{END}{tail}")

    assert marker
    assert table() == between.strip(), "QS_UPDATE_GOLDEN=1 writes it again"


def test_the_formats_with_a_star_are_those_that_wait():
    streams = {
        "messages": {"role": "user", "content": "x"},
        "openai-responses": {"type": "function_call", "call_id": "c"},
        "event-list": {"type": "x"},
    }

    assert WEAK == set(streams)
    for name, record in streams.items():
        importer = next(one for one in IMPORTERS if one.name == name)
        assert importer.detects(record).is_weak
        assert imported_bytes(b"[]", name)[1].problems
