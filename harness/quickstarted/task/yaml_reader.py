"""
YAML as task files use it: plain data with a position for every key, read from the parser's events.

PyYAML's own loaders are not used beyond its events: they keep no positions, take the last of two
equal keys, expand aliases without a bound, and read `on`, `3:00` and `2024-01-01` as YAML 1.1 does.
Here plain scalars follow the core schema of YAML 1.2.2 (section 10.3), numbers remember how they
were written, and what is ambiguous between the two stays text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from quickstarted.task.source import KeyPath, Position
from quickstarted.task.yaml_nodes import (
    MAX_DEPTH,
    Composer,
    Flaw,
    List,
    Map,
    Node,
    Scalar,
    YamlBroken,
    mark_position,
)

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_INT = re.compile(r"[-+]?(0|[1-9][0-9_]{0,200})")
_FLOAT = re.compile(r"[-+]?(\.[0-9]{1,200}|[0-9]{1,200}(\.[0-9]{0,200})?)([eE][-+]?[0-9]{1,4})?")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


class WrittenInt(int):
    """A whole number that remembers its text."""

    text: str


class WrittenFloat(float):
    """A number that remembers its text."""

    text: str


@dataclass(slots=True)
class Document:
    """What a file says, and where."""

    value: Any = None
    positions: dict[KeyPath, Position] = field(default_factory=dict)
    flaws: list[Flaw] = field(default_factory=list)


def read_yaml(text: str) -> Document:
    """
    Read the one document of a file.

    Raises:
        YamlBroken: It is not YAML, has more than one document, or is too deep or too large.

    """
    try:
        root = Composer(text).document()
    except yaml.MarkedYAMLError as exc:
        raise YamlBroken(_syntax_flaw(exc, text)) from exc
    except (yaml.YAMLError, RecursionError) as exc:
        raise YamlBroken(Flaw(Position(1, 1), (), f"not YAML: {exc}")) from exc
    document = Document()
    if root is not None:
        document.value = _Builder(document).value(root, ())
    return document


class _Builder:
    """Nodes to plain data; flaws that leave the rest readable are collected."""

    def __init__(self, document: Document) -> None:
        self.positions = document.positions
        self.flaws = document.flaws

    def value(self, node: Node, path: KeyPath) -> Any:
        if isinstance(node, Scalar):
            if bad := _NO_TEXT.search(node.text):
                message = f"contains U+{ord(bad.group()):04X}, which no text or command can hold"
                self.flaws.append(Flaw(node.position, path, message))
                return ""
            return resolve(node.text) if node.plain else node.text
        if isinstance(node, List):
            items = []
            for index, item in enumerate(node.items):
                self.positions[*path, index] = item.position
                items.append(self.value(item, (*path, index)))
            return items
        assert isinstance(node, Map)
        return self.mapping(node, path)

    def mapping(self, node: Map, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: list[Node] = []
        for key_node, value_node in node.pairs:
            if not isinstance(key_node, Scalar):
                message = "a key must be text: quote it if it starts with [ or {"
                self.flaws.append(Flaw(key_node.position, path, message))
            elif key_node.plain and key_node.text == "<<":
                merged.append(value_node)
            else:
                self.entry(result, key_node, value_node, path)
        for source in merged:
            self.merge(result, source, path)
        return result

    def entry(
        self, result: dict[str, Any], key_node: Scalar, value_node: Node, path: KeyPath
    ) -> None:
        key = self.value(Scalar(key_node.position, text=key_node.text), path)
        if key in result:
            first = self.positions[*path, key].line
            message = f"this key is given twice; the first is on line {first}"
            self.flaws.append(Flaw(key_node.position, (*path, key), message))
            return
        self.positions[*path, key] = key_node.position
        result[key] = self.value(value_node, (*path, key))

    def merge(self, result: dict[str, Any], source: Node, path: KeyPath) -> None:
        """`<<`: keys that the map does not have itself (YAML merge key type, 2005)."""
        sources = source.items if isinstance(source, List) else [source]
        for one in sources:
            if not isinstance(one, Map):
                self.flaws.append(Flaw(one.position, path, "<< takes a map or a list of maps"))
                continue
            own = self.positions
            self.positions = {}
            values = self.mapping(one, path)
            new, self.positions = self.positions, own
            missing = {key for key in values if key not in result}
            depth = len(path)
            own.update({at: mark for at, mark in new.items() if at[depth] in missing})
            result.update({key: values[key] for key in missing})


def resolve(text: str) -> Any:
    """Read a plain scalar by the core schema; whole numbers may have `_` between digits."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text) and not text.endswith("_"):
        whole = WrittenInt(text.replace("_", ""))
        whole.text = text
        return whole
    if _FLOAT.fullmatch(text) and not _octal(text):
        number = WrittenFloat(text)
        number.text = text
        return number
    return text


def _octal(text: str) -> bool:
    """Whole numbers with a leading zero: 8 in YAML 1.1 and 10 in YAML 1.2, so `010` stays text."""
    return text.lstrip("+-").isdigit()


def _syntax_flaw(exc: yaml.MarkedYAMLError, text: str) -> Flaw:
    mark = exc.problem_mark or exc.context_mark
    if mark is None:
        return Flaw(Position(1, 1), (), f"not YAML: {exc}")
    position = mark_position(mark)
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        column = indent.index("\t") + 1
        message = "a tab is used for indentation: YAML wants spaces"
        return Flaw(Position(position.line, column), (), message)
    if "nesting depth" in str(exc.problem):
        return Flaw(position, (), f"nested deeper than {MAX_DEPTH} levels")
    where = f" ({exc.context})" if exc.context else ""
    return Flaw(position, (), f"not YAML: {exc.problem}{where}")
