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
from quickstarted.docs.text.tree import TEXT, Element, Node, children, element
from quickstarted.docs.text.writer import Prefix, Writer

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
        is_dropped: Whether an element is left out with all that is in it.

    """

    def __init__(self, base_url: str, is_dropped: Callable[[Element], bool]) -> None:
        self.writer = Writer()
        self.inline = Inline()
        self.lists: list[int | None] = []
        """The next number of each open list; None for one without numbers."""
        self.has_h1 = False
        self.in_heading = False
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
        self.writer.prefixes.append(prefix)

        def leave() -> None:
            self.flush()
            self.writer.prefixes.pop()
            self.writer.gap(lines)

        return leave

    def target_of(self, link: Element) -> str:
        """Where a link leads: absolute, or `#section` of this page; empty where nowhere."""
        href = urls.clean(link.get("href"))
        if not href or href == "#" or href.lower().startswith(_NO_LINKS):
            return ""
        if href.startswith("#"):
            return "" if self.in_heading else href.translate(_LINK_CODES)
        return urls.absolute(self._base_url, href).translate(_LINK_CODES)

    def plain(self, node: Node) -> str:
        """The text in *node* without any mark-up."""
        return "".join(self._texts(node))

    def _texts(self, node: Node) -> Iterator[str]:
        pending = [node]
        while pending:
            item = pending.pop()
            if item.tag == TEXT:
                yield item.text_content or ""
            elif item.mem_id == node.mem_id or not self._is_dropped(element(item)):
                pending.extend(reversed(list(children(item))))

    # Tables

    @property
    def is_in_grid(self) -> bool:
        """Whether what comes now goes into a cell that is one line."""
        return bool(self._tables) and self._tables[-1].takes_cells

    def open_table(self, table: Table) -> Leave:
        """Collect rows until the returned function is called."""
        self._tables.append(table)
        self.writer.gap(2)

        def leave() -> None:
            self.flush()
            self._tables.pop()
            if rows := table.filled_rows():
                self.writer.table(rows, has_header=table.has_header())
            self.writer.gap(2)

        return leave

    def open_row(self) -> Leave:
        """Start a row of the innermost table."""
        if self._tables and self._tables[-1].is_grid:
            self._tables[-1].start_row()
        else:
            self.writer.gap(2)
        return self.flush

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
