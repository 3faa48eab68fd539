"""
YAML as task files use it: plain data with a position for every key, read from the parser's events.

PyYAML's own loaders are not used beyond its events: they keep no positions, take the last of two
equal keys, expand aliases without a bound, and read `on`, `3:00` and `2024-01-01` as YAML 1.1 does.
Here plain scalars follow the core schema of YAML 1.2.2 (section 10.3), numbers remember how they
were written, and what is ambiguous between the two stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from quickstarted.task.loading import MAX_FILE_BYTES
from quickstarted.task.source import KeyPath, Position, quoted

MAX_DEPTH = 40
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_INT = re.compile(r"[-+]?(0|[1-9][0-9_]{0,200})")
_FLOAT = re.compile(r"[-+]?([0-9]{1,200})?(\.[0-9]{0,200})?([eE][-+]?[0-9]{1,4})?")
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


class WrittenInt(int):
    """A whole number that remembers its text."""

    text: str


class WrittenFloat(float):
    """A number that remembers its text."""

    text: str


class Flaw(NamedTuple):
    """One thing wrong with a document."""

    position: Position
    key: KeyPath
    message: str


class YamlBroken(Exception):
    """Nothing after this flaw can be read."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.message)
        self.flaw = flaw


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
        root = _Composer(text).document()
    except yaml.MarkedYAMLError as exc:
        raise YamlBroken(_syntax_flaw(exc, text)) from exc
    except (yaml.YAMLError, RecursionError) as exc:
        raise YamlBroken(Flaw(Position(1, 1), (), f"not YAML: {exc}")) from exc
    document = Document()
    if root is not None:
        document.value = _Builder(document).value(root, ())
    return document


@dataclass(slots=True)
class _Node:
    position: Position
    size: int = 1
    """Characters with all aliases written out."""
    height: int = 1


@dataclass(slots=True)
class _Scalar(_Node):
    text: str = ""
    plain: bool = False


@dataclass(slots=True)
class _List(_Node):
    items: list[_Node] = field(default_factory=list)


@dataclass(slots=True)
class _Map(_Node):
    pairs: list[tuple[_Node, _Node]] = field(default_factory=list)


class _Composer:
    """Events to nodes, with bounds on depth and on what aliases make of the file."""

    def __init__(self, text: str) -> None:
        self.events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self.anchors: dict[str, _Node | None] = {}

    def document(self) -> _Node | None:
        root: _Node | None = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _broken(event, "a second document starts here: one task a file")
            elif isinstance(event, yaml.NodeEvent):
                root = self.node(event, 1)
        return root

    def node(self, event: Any, depth: int) -> _Node:
        if isinstance(event, yaml.AliasEvent):
            node = self.alias(event)
        else:
            if event.anchor is not None:
                self.anchors[event.anchor] = None
            node = self.fresh(event, depth)
            if event.anchor is not None:
                self.anchors[event.anchor] = node
        if depth + node.height - 1 > MAX_DEPTH:
            raise _broken(event, f"nested deeper than {MAX_DEPTH} levels")
        return node

    def alias(self, event: Any) -> _Node:
        if event.anchor not in self.anchors:
            raise _broken(
                event, f"*{event.anchor} refers to an anchor that does not stand above it"
            )
        node = self.anchors[event.anchor]
        if node is None:
            raise _broken(event, f"*{event.anchor} stands inside the value that it refers to")
        return node

    def fresh(self, event: Any, depth: int) -> _Node:
        if depth > MAX_DEPTH:
            raise _broken(event, f"nested deeper than {MAX_DEPTH} levels")
        position = _position(event.start_mark)
        _check_tag(event)
        if isinstance(event, yaml.ScalarEvent):
            size = len(event.value) + 1
            return _Scalar(position, size, text=event.value, plain=event.implicit[0])
        collection: _List | _Map
        if isinstance(event, yaml.SequenceStartEvent):
            collection = _List(position)
            for item in self.until(yaml.SequenceEndEvent):
                node = self.node(item, depth + 1)
                collection.items.append(node)
                _grow(collection, node, item)
            return collection
        collection = _Map(position)
        for item in self.until(yaml.MappingEndEvent):
            key = self.node(item, depth + 1)
            value_event = next(self.events)
            value = self.node(value_event, depth + 1)
            collection.pairs.append((key, value))
            _grow(collection, key, item)
            _grow(collection, value, value_event)
        return collection

    def until(self, end: type[yaml.Event]) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event


def _grow(collection: _List | _Map, child: _Node, event: Any) -> None:
    collection.size += child.size
    collection.height = max(collection.height, child.height + 1)
    if collection.size > 2 * MAX_FILE_BYTES:
        raise _broken(event, "with its aliases written out, the file is too large")


def _check_tag(event: Any) -> None:
    """`!!str` and `!` say what a plain reading says too; anything else is not data of ours."""
    allowed = {None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
    if event.tag not in allowed:
        raise _broken(event, f"tags are not used in task files: remove {quoted(event.tag)}")


class _Builder:
    """Nodes to plain data; flaws that leave the rest readable are collected."""

    def __init__(self, document: Document) -> None:
        self.positions = document.positions
        self.flaws = document.flaws

    def value(self, node: _Node, path: KeyPath) -> Any:
        if isinstance(node, _Scalar):
            if bad := _NO_TEXT.search(node.text):
                message = f"contains U+{ord(bad.group()):04X}, which no text or command can hold"
                self.flaws.append(Flaw(node.position, path, message))
                return ""
            return resolve(node.text) if node.plain else node.text
        if isinstance(node, _List):
            items = []
            for index, item in enumerate(node.items):
                self.positions[*path, index] = item.position
                items.append(self.value(item, (*path, index)))
            return items
        assert isinstance(node, _Map)
        return self.mapping(node, path)

    def mapping(self, node: _Map, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: list[_Node] = []
        for key_node, value_node in node.pairs:
            if not isinstance(key_node, _Scalar):
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
        self, result: dict[str, Any], key_node: _Scalar, value_node: _Node, path: KeyPath
    ) -> None:
        key = self.value(_Scalar(key_node.position, text=key_node.text), path)
        if key in result:
            first = self.positions[*path, key].line
            message = f"this key is given twice; the first is on line {first}"
            self.flaws.append(Flaw(key_node.position, (*path, key), message))
            return
        self.positions[*path, key] = key_node.position
        result[key] = self.value(value_node, (*path, key))

    def merge(self, result: dict[str, Any], source: _Node, path: KeyPath) -> None:
        """`<<`: keys that the map does not have itself (YAML merge key type, 2005)."""
        sources = source.items if isinstance(source, _List) else [source]
        for one in sources:
            if not isinstance(one, _Map):
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
    if any(char.isdigit() for char in text) and _FLOAT.fullmatch(text) and not _octal(text):
        number = WrittenFloat(text)
        number.text = text
        return number
    return text


def _octal(text: str) -> bool:
    """Whole numbers with a leading zero: 8 in YAML 1.1 and 10 in YAML 1.2, so `010` stays text."""
    return text.lstrip("+-").isdigit()


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _broken(event: Any, message: str) -> YamlBroken:
    return YamlBroken(Flaw(_position(event.start_mark), (), message))


def _syntax_flaw(exc: yaml.MarkedYAMLError, text: str) -> Flaw:
    mark = exc.problem_mark or exc.context_mark
    if mark is None:
        return Flaw(Position(1, 1), (), f"not YAML: {exc}")
    position = _position(mark)
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        column = indent.index("\t") + 1
        message = "a tab is used for indentation: YAML wants spaces"
        return Flaw(Position(position.line, column), (), message)
    where = f" ({exc.context})" if exc.context else ""
    return Flaw(position, (), f"not YAML: {exc.problem}{where}")
