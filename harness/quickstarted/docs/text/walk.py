"""
Walks the elements of a page once and writes its text.

Without recursion, since pages decide how deeply they nest: what is to be done at the end of an
element lies below its children on the stack.
"""

from __future__ import annotations

from quickstarted.docs.text import blocks, running
from quickstarted.docs.text.code import is_language_label, is_line_number_column
from quickstarted.docs.text.generators import NO_FRAME, Frame
from quickstarted.docs.text.output import Handler, Leave, Output, nothing
from quickstarted.docs.text.tabs import Tabs
from quickstarted.docs.text.tree import BLOCKS, TEXT, Element, Holders, Node, children, element
from quickstarted.docs.text.visible import is_furniture, is_never_text

_HANDLERS: dict[str, Handler] = {**blocks.HANDLERS, **running.HANDLERS}


class Walk:
    """
    One walk.

    Args:
        root: The element whose text is wanted.
        base_url: What relative links are relative to.
        drop_furniture: Whether navigation and the like inside *root* is left out.
        drop_noscript: Whether what is meant for readers without JavaScript is left out.
        frame: What else leads round the site.

    """

    def __init__(
        self,
        root: Node,
        base_url: str,
        *,
        drop_furniture: bool = False,
        drop_noscript: bool = False,
        frame: Frame = NO_FRAME,
    ) -> None:
        self._root = root
        self._frame = frame
        self._drop_furniture = drop_furniture
        self._drop_noscript = drop_noscript
        self._tabs = Tabs(root)
        self._holders = Holders(root)
        self._out = Output(base_url, self._holders, self._is_dropped)

    def run(self) -> Output:
        """Write everything below the root."""
        pending: list[Node | Leave] = [self._root]
        while pending:
            item = pending.pop()
            if not isinstance(item, Node):
                item()
            elif item.tag == TEXT:
                self._out.inline.text(item.text_content or "")
            elif (leave := self._enter(element(item))) is not None:
                pending.append(leave)
                pending.extend(reversed(list(children(item))))
        self._out.flush()
        return self._out

    def _enter(self, found: Element) -> Leave | None:
        if self._is_dropped(found):
            return None
        out = self._out
        is_block = found.tag in BLOCKS
        if is_block and not out.is_one_line:
            out.flush()
        if found.attributes:
            self._mark(found)
        if name := self._tabs.name_of(found.node):
            out.end(2)
            out.writer.paragraph(f"**Tab: {name}**")
            out.writer.gap(2)
        if handler := _HANDLERS.get(found.tag):
            return handler(out, found)
        if not is_block:
            return nothing
        return running.apart(out, found) if out.is_one_line else blocks.block(out, found)

    def _mark(self, found: Element) -> None:
        """Note the place of an anchor."""
        anchor = found.get("id")
        if anchor:
            self._out.writer.anchor(anchor)
        if found.tag == "a" and (name := found.get("name")) and name != anchor:
            self._out.writer.anchor(name)

    def _is_dropped(self, found: Element) -> bool:
        if found.tag.startswith("-") or is_never_text(found, self._holders):
            return True
        if found.classes and (is_line_number_column(found) or is_language_label(found)):
            return True
        if self._drop_noscript and found.tag == "noscript":
            return True
        if self._tabs.is_label(found.node):
            return True
        return self._drop_furniture and self._is_furniture(found)

    def _is_furniture(self, found: Element) -> bool:
        if found.node.mem_id == self._root.mem_id:
            return False
        return is_furniture(found, self._holders) or self._frame.holds(found)
