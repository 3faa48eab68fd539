"""
From YAML events to nodes with positions, within bounds.

Aliases share the node of their anchor; depth and size are those of the document with all aliases
written out, so that no file makes more of itself than a file of the largest size could hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from quickstarted.task.loading import MAX_FILE_BYTES
from quickstarted.task.source import KeyPath, Position, quoted

MAX_DEPTH = 40
_VALUE_COST = 50
"""What a value counts beside its characters, so that a file of nothing but commas is bounded."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
class Node:
    """A value of the document."""

    position: Position
    size: int = _VALUE_COST
    """Characters and values, with all aliases written out."""
    height: int = 1


@dataclass(slots=True)
class Scalar(Node):
    """Text as written; plain text may stand for a number, a truth value or nothing."""

    text: str = ""
    plain: bool = False


@dataclass(slots=True)
class List(Node):
    """A list."""

    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Map(Node):
    """A map; keys in the order of the file, equal ones too."""

    pairs: list[tuple[Node, Node]] = field(default_factory=list)


class Composer:
    """Events to nodes, with bounds on depth and on what aliases make of the file."""

    def __init__(self, text: str) -> None:
        self.events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self.anchors: dict[str, Node | None] = {}

    def document(self) -> Node | None:
        """Read the whole stream; None when there is no document in it."""
        root: Node | None = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise broken(event, "a second document starts here: a file holds one")
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, 1)
        return root

    def _node(self, event: Any, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            node = self._alias(event)
        else:
            if event.anchor is not None:
                self.anchors[event.anchor] = None
            node = self._fresh(event, depth)
            if event.anchor is not None:
                self.anchors[event.anchor] = node
        if depth + node.height - 1 > MAX_DEPTH:
            raise broken(event, f"nested deeper than {MAX_DEPTH} levels")
        return node

    def _alias(self, event: Any) -> Node:
        if event.anchor not in self.anchors:
            raise broken(event, f"*{event.anchor} refers to an anchor that does not stand above it")
        node = self.anchors[event.anchor]
        if node is None:
            raise broken(event, f"*{event.anchor} stands inside the value that it refers to")
        return node

    def _fresh(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise broken(event, f"nested deeper than {MAX_DEPTH} levels")
        position = mark_position(event.start_mark)
        _check_tag(event)
        if isinstance(event, yaml.ScalarEvent):
            size = len(event.value) + _VALUE_COST
            return Scalar(position, size, text=event.value, plain=event.implicit[0])
        collection: List | Map
        if isinstance(event, yaml.SequenceStartEvent):
            collection = List(position)
            for item in self._until(yaml.SequenceEndEvent):
                node = self._node(item, depth + 1)
                collection.items.append(node)
                _grow(collection, node, item)
            return collection
        collection = Map(position)
        for item in self._until(yaml.MappingEndEvent):
            key = self._node(item, depth + 1)
            value_event = next(self.events)
            value = self._node(value_event, depth + 1)
            collection.pairs.append((key, value))
            _grow(collection, key, item)
            _grow(collection, value, value_event)
        return collection

    def _until(self, end: type[yaml.Event]) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event


def _grow(collection: List | Map, child: Node, event: Any) -> None:
    collection.size += child.size
    collection.height = max(collection.height, child.height + 1)
    if collection.size > 2 * MAX_FILE_BYTES:
        raise broken(event, "too many values, aliases written out")


def _check_tag(event: Any) -> None:
    """`!!str` and `!` say what a plain reading says too; anything else is not data of ours."""
    allowed = {None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
    if event.tag not in allowed:
        raise broken(event, f"tags are not used: remove {quoted(event.tag)}")


def mark_position(mark: Any) -> Position:
    """Turn a mark of PyYAML, which counts from 0, into a position."""
    return Position(mark.line + 1, mark.column + 1)


def broken(event: Any, message: str) -> YamlBroken:
    """What to raise for an *event* after which nothing can be read."""
    return YamlBroken(Flaw(mark_position(event.start_mark), (), message))
