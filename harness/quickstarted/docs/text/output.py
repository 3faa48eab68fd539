"""
The page as it is being written: running text, nesting, lists and tables that are open.

Handlers of elements (`blocks`, `running`) work on it. Each answers with what is to be done at the
end of its element, or with None where the element's children are not to be walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quickstarted.docs import urls
from quickstarted.docs.text.inline import Inline
from quickstarted.docs.text.tables import Table
from quickstarted.docs.text.tree import TEXT, Element, Holders, Node, children, element
from quickstarted.docs.text.writer import Prefix, Writer, guarded

Leave = Callable[[], None]
Handler = Callable[["Output", Element], Leave | None]

_LINK_CODES = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})
_NO_LINKS = ("javascript:", "data:")


def nothing() -> None:
    """Nothing is to be done at the end of an element."""


class Output:
    """
    What the handlers share.

    Args:
        base_url: What relative links are relative to.
        holders: Which elements hold what.
        is_dropped: Whether an element is left out with all that is in it.

    """

    def __init__(
        self, base_url: str, holders: Holders, is_dropped: Callable[[Element], bool]
    ) -> None:
        self.holders = holders
        self.writer = Writer()
        self.inline = Inline()
        self.definitions = 0
        """How many definitions are open."""
        self.lists: list[int | None] = []
        """The next number of each open list; None for one without numbers."""
        self.has_h1 = False
        self.in_heading = False
        self.is_one_line = False
        """Whether blocks and line breaks are spaces now: in a heading, which is one line."""
        self._base_url = base_url
        self._is_dropped = is_dropped
        self._tables: list[Table] = []

    def flush(self) -> None:
        """End the paragraph that is being collected."""
        if text := self.inline.take():
            self.writer.paragraph(text)

    def end(self, lines: int) -> None:
        """End a block; what follows stands *lines* line breaks away."""
        self.flush()
        self.writer.gap(lines)

    def prefixed(self, prefix: Prefix, lines: int) -> Leave:
        """Put *prefix* before every line until the returned function is called."""
        self.writer.gap(lines)
        self.writer.push(prefix)

        def leave() -> None:
            self.flush()
            self.writer.pop()
            self.writer.gap(lines)

        return leave

    def item(self, prefix: Prefix) -> Leave:
        """Write an item of a list; one that is a single paragraph has no blank line behind it."""
        end = self.prefixed(prefix, 1)
        before = len(self.writer.chunks)

        def leave() -> None:
            self.flush()
            if len(self.writer.chunks) <= before + 1:
                self.writer.tighten()
            end()

        return leave

    def target_of(self, link: Element) -> str:
        """Where a link leads: absolute, or `#section` of this page; empty where nowhere."""
        href = urls.clean(link.get("href"))
        if not href or href == "#" or href.lower().startswith(_NO_LINKS):
            return ""
        target = (href if href[0] == "#" else urls.absolute(self._base_url, href)).translate(
            _LINK_CODES
        )
        if target.startswith(f"{self._base_url}#"):
            target = target.removeprefix(self._base_url)
        return "" if self.in_heading and target[0] == "#" else target

    def plain(self, node: Node) -> str:
        """The text in *node* without any mark-up."""
        return "".join(self.texts(node))

    def texts(self, node: Node) -> Iterator[str]:
        """The pieces of text in *node*."""
        pending = [node]
        while pending:
            item = pending.pop()
            if item.tag == TEXT:
                yield item.text_content or ""
            elif item.tag == "svg":
                continue
            elif item.mem_id == node.mem_id or not self._is_dropped(element(item)):
                pending.extend(reversed(list(children(item))))

    # Tables

    @property
    def has_table(self) -> bool:
        """Whether a table that is a grid is open."""
        return bool(self._tables) and self._tables[-1].is_grid

    @property
    def is_in_grid(self) -> bool:
        """Whether what comes now goes into a cell that is one line."""
        return bool(self._tables) and self._tables[-1].takes_cells

    def open_table(self, table: Table) -> Leave:
        """Collect rows until the returned function is called."""
        self._tables.append(table)
        self.writer.gap(2)
        if table.columns:
            self.writer.before_list()

        def leave() -> None:
            self.flush()
            self._tables.pop()
            if rows := table.filled_rows():
                self.writer.table(rows, has_header=table.has_header())
            self.writer.gap(2)

        return leave

    def open_row(self) -> Leave | None:
        """Start a row of the innermost table; None for one that only names the columns."""
        table = self._tables[-1] if self._tables else None
        if table is None or table.is_layout:
            return self.flush
        table.start_row()
        if table.is_grid:
            return self.flush
        if table.columns:
            return None if len(table.rows) == 1 else self.prefixed(Prefix("- ", "  "), 2)
        self.writer.gap(2)
        return self.flush

    def open_block_cell(self, width: int) -> Leave:
        """Write what comes now as blocks, named after the column of a table that is no grid."""
        name = self._tables[-1].next_column(width) if self._tables else ""
        if name:
            return self.item(Prefix(f"{guarded(name)}: ", "", is_name=True))
        self.writer.gap(1)
        return lambda: self.end(1)

    @property
    def is_in_layout(self) -> bool:
        """Whether the innermost table puts the sign of an admonition beside its text."""
        return bool(self._tables) and self._tables[-1].is_layout

    def open_summary_cell(self, found: Element) -> Leave:
        """Write a cell of a table that javadoc writes as a row of `<div>`."""
        table = self._tables[-1]
        if not table.is_row_open:
            table.start_row()
        table.is_row_open = "col-last" not in found.classes
        return self.open_cell("th" if "table-header" in found.classes else "td")

    def open_cell(self, tag: str) -> Leave:
        """Write what comes now into a cell of the innermost table, which is a grid."""
        table = self._tables[-1]
        table.start_cell(tag)
        outer = self.writer, self.inline, self.lists
        self.writer, self.inline, self.lists = Writer(), Inline(), []

        def leave() -> None:
            self.flush()
            text, ids = self.writer.text(), self.writer.take_ids()
            self.writer, self.inline, self.lists = outer
            table.end_cell(text)
            for name in ids:
                self.writer.anchor(name)

        return leave
