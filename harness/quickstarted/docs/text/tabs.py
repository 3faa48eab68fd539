"""
Names of tabs: which panel of a group of tabs belongs to which label.

All panels are in the text, one after the other, each under its name; a reader with JavaScript can
open every one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.docs.text.tree import Node, collapse

_SETS: tuple[tuple[str, str, str], ...] = (
    # group, labels in it, panels in it: MkDocs Material, VitePress, ReadMe, Django
    (
        "div.tabbed-set",
        ".tabbed-set label",
        ".tabbed-block, .tabbed-content:not(:has(.tabbed-block))",
    ),
    ("div.vp-code-group", ".tabs > label", ".blocks > div"),
    ("div.CodeTabs", ".CodeTabs-toolbar > button", ".CodeTabs-inner > pre"),
    ("div.console-block", ".console-block > label", ".console-block > section"),
)
# WAI-ARIA, then Bootstrap, then asciidoctor-tabs, which gives its roles by script.
_TAB = "[role=tab], a[data-toggle=tab], [data-bs-toggle=tab], .tablist li.tab"
_PANEL = "[role=tabpanel], .tabpanel[aria-labelledby]"
_BOOTSTRAP_PANEL = ".tab-content > .tab-pane[id]"
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "href")
_MAX_DEPTH_IN_A_GROUP = 12
_RADIO = "input[type=radio] + label"


class Tabs:
    """
    The groups of one page.

    Args:
        root: Where to look for them.

    """

    def __init__(self, root: Node) -> None:
        self._names: dict[int, str] = {}
        self._labels: set[int] = set()
        for group, labels, panels in _SETS:
            if groups := {node.mem_id for node in root.css(group)}:
                for owned in _by_owner(groups, root.css(labels), root.css(panels)):
                    self._pair(*owned)
        self._by_role(root)
        for label in root.css(_RADIO):
            self._behind_radio(label)

    def name_of(self, node: Node) -> str:
        """The label of a panel; empty for every other element."""
        return self._names.get(node.mem_id, "") if self._names else ""

    def is_label(self, node: Node) -> bool:
        """Whether the element's text is written with its panel instead of where it stands."""
        return node.mem_id in self._labels if self._labels else False

    def _by_role(self, root: Node) -> None:
        panels = root.css(_PANEL) or root.css(_BOOTSTRAP_PANEL)
        if not panels:
            return
        # A node that two of the selectors match is found twice.
        found = {tab.mem_id: tab for tab in root.css(_TAB)}
        tabs = [tab for place, tab in found.items() if place not in self._labels]
        by_id = {tab.attributes.get("id"): tab for tab in tabs if tab.attributes.get("id")}
        by_panel: dict[str, list[Node]] = {}
        for tab in tabs:
            for target in _targets(tab):
                by_panel.setdefault(target, []).append(tab)
        rest: list[Node] = []
        for panel in panels:
            controls = by_panel.get(panel.attributes.get("id") or "", [])
            label = by_id.get(panel.attributes.get("aria-labelledby"))
            owner = label if label is not None else next(iter(controls), None)
            if len(controls) > 1:
                # Several filters of one table (javadoc): no tab names what it shows.
                self._labels.update(control.mem_id for control in controls)
            elif owner is None:
                rest.append(panel)
            else:
                self._pair([owner], [panel])
        free = [tab for tab in tabs if tab.mem_id not in self._labels]
        self._pair(free, [panel for panel in rest if panel.mem_id not in self._names])

    def _behind_radio(self, label: Node) -> None:
        """Tabs by style sheet alone: a radio button, its label, its panel, and so on."""
        panel: Node | None = label.next
        while panel is not None and (panel.tag or "-").startswith("-"):
            panel = panel.next
        is_panel = panel is not None and panel.tag in {"div", "section", "pre"}
        if panel is not None and is_panel and label.mem_id not in self._labels:
            self._pair([label], [panel])

    def _pair(self, labels: list[Node], panels: list[Node]) -> None:
        if len(labels) != len(panels):
            return
        for label, panel in zip(labels, panels, strict=True):
            if name := _name_of(label):
                self._names[panel.mem_id] = name
                self._labels.add(label.mem_id)


def _name_of(label: Node) -> str:
    """What a label says; of one that shows a picture of an icon font, what it is titled."""
    text = collapse(label.text(deep=True)).strip()
    if any(character.isalnum() for character in text):
        return text
    titles = (label.attributes.get(name) or "" for name in ("title", "aria-label"))
    return next((title.strip() for title in titles if title.strip()), text)


def _targets(tab: Node) -> Iterator[str]:
    """Ids of the panels that a tab says it opens."""
    seen: set[str] = set()
    for name in _TARGETS:
        target = (tab.attributes.get(name) or "").removeprefix("#")
        if target and target not in seen:
            seen.add(target)
            yield target


def _by_owner(
    groups: set[int], labels: list[Node], panels: list[Node]
) -> Iterator[tuple[list[Node], list[Node]]]:
    """Labels and panels of each group, without those of the groups inside it."""
    owned: dict[int, tuple[list[Node], list[Node]]] = {place: ([], []) for place in groups}
    for kind, nodes in enumerate((labels, panels)):
        for node in nodes:
            if (owner := _owner(node, groups)) is not None:
                owned[owner][kind].append(node)
    yield from owned.values()


def _owner(node: Node, groups: set[int]) -> int | None:
    parent = node.parent
    for _ in range(_MAX_DEPTH_IN_A_GROUP):
        if parent is None or parent.mem_id in groups:
            break
        parent = parent.parent
    return parent.mem_id if parent is not None and parent.mem_id in groups else None
