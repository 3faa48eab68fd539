"""
Names of tabs: which panel of a group of tabs belongs to which label.

All panels are in the text, one after the other, each under its name; a reader with JavaScript can
open every one of them.
"""

from __future__ import annotations

from quickstarted.docs.text.tree import Node, collapse

_SETS: tuple[tuple[str, str, str], ...] = (
    # group, labels in it, panels in it: WAI-ARIA, MkDocs Material, VitePress, Hugo Docsy and kin
    ("div.tabbed-set", "label", ".tabbed-block, .tabbed-content:not(:has(.tabbed-block))"),
    ("div.vp-code-group", ".tabs > label", ".blocks > div"),
)
_TAB = "[role=tab]"
_PANEL = "[role=tabpanel]"


class Tabs:
    """
    The groups of one page.

    Args:
        root: Where to look for them.

    """

    def __init__(self, root: Node) -> None:
        self._names: dict[int, str] = {}
        self._labels: set[int] = set()
        self._by_role(root)
        for group, labels, panels in _SETS:
            for found in root.css(group):
                self._pair(_own(found, group, labels), _own(found, group, panels))

    def name_of(self, node: Node) -> str:
        """The label of a panel; empty for every other element."""
        return self._names.get(node.mem_id, "") if self._names else ""

    def is_label(self, node: Node) -> bool:
        """Whether the element's text is written with its panel instead of where it stands."""
        return node.mem_id in self._labels if self._labels else False

    def _by_role(self, root: Node) -> None:
        panels = root.css(_PANEL)
        if not panels:
            return
        tabs = root.css(_TAB)
        by_id = {tab.attributes.get("id"): tab for tab in tabs if tab.attributes.get("id")}
        by_panel = {tab.attributes.get("aria-controls"): tab for tab in tabs}
        rest: list[Node] = []
        for panel in panels:
            tab = by_id.get(panel.attributes.get("aria-labelledby")) or (
                by_panel.get(panel.attributes["id"]) if panel.attributes.get("id") else None
            )
            if tab is None:
                rest.append(panel)
            else:
                self._pair([tab], [panel])
        free = [tab for tab in tabs if tab.mem_id not in self._labels]
        if len(free) == len(rest):
            self._pair(free, rest)

    def _pair(self, labels: list[Node], panels: list[Node]) -> None:
        if len(labels) != len(panels):
            return
        for label, panel in zip(labels, panels, strict=True):
            if name := collapse(label.text(deep=True)).strip():
                self._names[panel.mem_id] = name
                self._labels.add(label.mem_id)


def _own(group: Node, selector: str, wanted: str) -> list[Node]:
    """Matches in *group* that belong to no group inside it."""
    inner = {
        node.mem_id
        for nested in group.css(selector)
        if nested.mem_id != group.mem_id
        for node in nested.css(wanted)
    }
    return [node for node in group.css(wanted) if node.mem_id not in inner]
