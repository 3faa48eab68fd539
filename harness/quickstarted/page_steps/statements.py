"""Shell code taken apart: one statement after the other, each as it stands, with its comment."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from quickstarted.task.findings.endless import never_ends
from quickstarted.task.findings.shell import calls, parse, text_of


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script."""

    text: str
    comment: str
    """The comment just before it, without its signs; one comment may stand before several."""


def statements_of(code: str) -> list[Statement]:
    """
    The statements of *code*, comments left out.

    Code that the grammar does not understand stays in one piece.
    """
    root = parse(code)
    if root.has_error:
        return [Statement(code.strip("\n"), "")] if code.strip() else []
    found: list[Statement] = []
    comment = ""
    previous: Node | None = None
    for node in root.children:
        if node.type == "comment":
            if previous is None or node.start_point[0] > previous.end_point[0]:
                comment = text_of(node).lstrip("# ")
        elif node.type == "&" and found:
            found[-1] = Statement(found[-1].text + " &", found[-1].comment)
        elif node.is_named and (text := text_of(node).strip()):
            found.append(Statement(text, comment))
        previous = node
    return found


def before_server(command: str) -> tuple[str, str]:
    """
    Split `a && b`, where `b` never ends, into both.

    Returns:
        What ends, and what does not; one of them is empty where there is no such list.

    """
    root = parse(command)
    own = calls(command)
    if not own or not never_ends(own[-1]):
        return command, ""
    node = root.named_children[0] if root.named_child_count == 1 else None
    if node is None or node.type != "list" or any(never_ends(call) for call in own[:-1]):
        return "", command
    operands = node.named_children
    if len(operands) != 2 or not any(text_of(child) == "&&" for child in node.children):
        return "", command
    return text_of(operands[0]), text_of(operands[1])
