"""
What the Messages API refuses in the messages of a request: roles, blocks, tool calls and their
results, and thinking that is not as the service sent it.

Consecutive messages of one role are one turn to the service, and so they are here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fakes.messages_api_checks import Model, Problem, check_text, only_keys, require
from fakes.messages_api_wire import Sent

THINKING = ("thinking", "redacted_thinking")

_FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller", "toolset_name"},
    "tool_result": {
        *("type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"),
    },
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "image": {"type", "source", "cache_control", "transformations"},
    "document": {"type", "source", "cache_control", "citations", "context", "title"},
}
_REQUIRED: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "image": {"source": dict},
    "document": {"source": dict},
}
_ONLY_USER = {"tool_result", "image", "document"}


@dataclass(frozen=True)
class Turn:
    """Messages of one role in a row; each block with its path."""

    role: str
    messages: list[str]
    """Their paths."""
    blocks: list[tuple[str, dict[str, Any]]]

    @property
    def path(self) -> str:
        """Of the last of the messages."""
        return self.messages[-1]

    def of(self, *kinds: str) -> list[tuple[str, dict[str, Any]]]:
        """The blocks of these kinds."""
        return [one for one in self.blocks if one[1]["type"] in kinds]


def check_messages(body: dict[str, Any], model: Model, sent: Sent) -> None:
    """All that is wrong in `messages`. Raises Problem."""
    require("messages" in body, "messages", "Field required")
    messages = body["messages"]
    require(isinstance(messages, list), "messages", "Input should be a valid list")
    require(messages, "messages", "at least one message is required")
    for n, message in enumerate(messages):
        _check_message(message, f"messages.{n}", last=n == len(messages) - 1)
    said = 'first message must use the "user" role'
    require(messages[0]["role"] == "user", "messages.0.role", said)
    turns = list(_turns(messages))
    _check_system_turns(turns, model)
    _check_pairs(turns)
    _check_tools_there(turns, body)
    _check_end(turns[-1], messages[-1], model, sent)
    _check_thinking(turns, body, sent)


def _check_message(message: Any, path: str, *, last: bool) -> None:
    require(isinstance(message, dict), path, "Input should be an object")
    role = message.get("role")
    said = f'Unexpected role "{role}". Allowed roles are "user", "assistant" or "system".'
    require(role in ("user", "assistant", "system"), f"{path}.role", said)
    require("content" in message, f"{path}.content", "Field required")
    only_keys(message, {"role", "content"}, path)
    content = message["content"]
    said = "Input should be a valid string or list"
    require(isinstance(content, str | list), f"{path}.content", said)
    said = (
        "all messages must have non-empty content except for the optional final assistant message"
    )
    require(content or (last and role == "assistant"), path, said)
    if isinstance(content, str):
        require(not content or content.strip(), path, "text must contain non-whitespace text")
        return
    for n, block in enumerate(content):
        _check_block(block, role, f"{path}.content.{n}")


def _check_block(block: Any, role: str, path: str) -> None:
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    said = f"Input tag '{kind}' found using 'type' does not match any of the expected tags"
    require(kind in _FIELDS, path, said)
    allowed = "user" if kind in _ONLY_USER else "assistant"
    said = f"`{kind}` blocks can only be in `{allowed}` messages"
    require(kind == "text" or role == allowed, path, said)
    only_keys(block, _FIELDS[kind], f"{path}.{kind}")
    for name, expected in _REQUIRED[kind].items():
        where = f"{path}.{kind}.{name}"
        require(name in block, where, "Field required")
        noun = "dictionary" if expected is dict else "string"
        require(isinstance(block[name], expected), where, f"Input should be a valid {noun}")
    match kind:
        case "text":
            check_text(block, path)
            said = "citations are not permitted in `user` messages"
            require(role != "user" or not block.get("citations"), f"{path}.text.citations", said)
        case "tool_use":
            said = "String should match pattern '^[a-zA-Z0-9_-]+$'"
            require(re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]), f"{path}.tool_use.id", said)
            named = 0 < len(block["name"]) <= 200
            require(named, f"{path}.tool_use.name", "String should have 1 to 200 characters")
        case "tool_result":
            _check_result(block, f"{path}.tool_result")


def _check_result(block: dict[str, Any], path: str) -> None:
    failed = block.get("is_error")
    require(
        failed is None or isinstance(failed, bool),
        f"{path}.is_error",
        "Input should be a valid boolean",
    )
    content = block.get("content")
    said = "Input should be a valid string or list"
    require(content is None or isinstance(content, str | list), f"{path}.content", said)
    require(content or not failed, path, "content cannot be empty if `is_error` is true")
    if isinstance(content, list):
        for n, inner in enumerate(content):
            where = f"{path}.content.{n}"
            kind = str(inner.get("type")) if isinstance(inner, dict) else ""
            said = f"Input tag '{kind}' does not match any of the expected tags"
            require(kind in {"text", "image", "document", "search_result"}, where, said)
            if kind == "text":
                check_text(inner, where)


def _turns(messages: list[dict[str, Any]]) -> Iterator[Turn]:
    turn = Turn(messages[0]["role"], [], [])
    for n, message in enumerate(messages):
        if message["role"] != turn.role:
            yield turn
            turn = Turn(message["role"], [], [])
        path, content = f"messages.{n}", message["content"]
        plain = [{"type": "text", "text": content}] if isinstance(content, str) else content
        turn.messages.append(path)
        turn.blocks.extend((f"{path}.content.{at}", block) for at, block in enumerate(plain))
    yield turn


def _check_system_turns(turns: list[Turn], model: Model) -> None:
    """
    After a user's turn, and last or before an assistant's
    (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages).
    """
    for before, turn, after in zip(turns, turns[1:], [*turns[2:], None], strict=False):
        if turn.role != "system":
            continue
        require(model.system_messages, turn.path, "role 'system' is not supported on this model")
        require(before.role == "user", turn.path, "a system message must follow a user message")
        said = "a system message must be last or followed by an assistant message"
        require(after is None or after.role == "assistant", turn.path, said)
        require(len(turn.messages) == 1, turn.path, "consecutive system messages are not allowed")


# Tool calls and their results.


def _check_pairs(turns: list[Turn]) -> None:
    calls = [block["id"] for turn in turns for _, block in turn.of("tool_use")]
    require(len(set(calls)) == len(calls), "messages", "`tool_use` ids must be unique")
    asked: list[str] = []
    for turn in turns:
        _check_results(turn, asked)
        asked = [block["id"] for _, block in turn.of("tool_use")]
        if asked and turn is turns[-1]:
            raise Problem(_unanswered(turn.path, asked))
        if asked:
            answered = _leading_results(turns[turns.index(turn) + 1])
            missing = [one for one in asked if one not in answered]
            require(not missing, turn.path, _unanswered("", missing))


def _unanswered(path: str, ids: list[str]) -> str:
    said = (
        f"`tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` block in "
        f"the next message."
    )
    return f"{path}: {said}" if path else said


def _leading_results(turn: Turn) -> list[str]:
    """Results count only before any other block."""
    found = []
    for _, block in turn.blocks:
        if block["type"] != "tool_result":
            break
        found.append(block["tool_use_id"])
    return found


def _check_results(turn: Turn, asked: list[str]) -> None:
    seen: set[str] = set()
    for path, block in turn.of("tool_result"):
        known = block["tool_use_id"]
        said = (
            f"unexpected `tool_use_id` found in `tool_result` blocks: {known}. Each `tool_result` "
            f"block must have a corresponding `tool_use` block in the previous message."
        )
        require(known in asked, path, said)
        said = "each tool_use must have a single result. Found multiple `tool_result` blocks"
        require(known not in seen, path, f"{said} with id: {known}")
        seen.add(known)


def _check_tools_there(turns: list[Turn], body: dict[str, Any]) -> None:
    used = [path for turn in turns for path, _ in turn.of("tool_use", "tool_result")]
    said = "Requests which include `tool_use` or `tool_result` blocks must define tools."
    require(not used or body.get("tools"), "tools", said)


# The end, and thinking.


def _check_end(turn: Turn, message: dict[str, Any], model: Model, sent: Sent) -> None:
    if turn.role != "assistant" or message["content"] in sent.paused:
        return
    last = turn.blocks[-1][1] if turn.blocks else {"type": "text", "text": ""}
    trailing = last["type"] == "text" and last["text"] != last["text"].rstrip()
    said = "final assistant content cannot end with trailing whitespace"
    require(not trailing, turn.path, said)
    said = (
        "This model does not support assistant message prefill. "
        "The conversation must end with a user message."
    )
    require(model.prefill, turn.path, said)


def _check_thinking(turns: list[Turn], body: dict[str, Any], sent: Sent) -> None:
    for turn in turns:
        for path, block in turn.of(*THINKING):
            signature = block.get("signature", block.get("data"))
            said = f"Invalid `signature` in `{block['type']}` block"
            require(signature in sent.signatures, path, said)
    spoken = [turn for turn in turns if turn.role == "assistant"]
    off = (body.get("thinking") or {"type": "disabled"})["type"] == "disabled"
    if spoken and not off:
        _check_unchanged(spoken[-1], sent)


def _check_unchanged(turn: Turn, sent: Sent) -> None:
    """The thinking that led to the calls of the last turn comes back as it was, all of it."""
    expected: list[Any] = []
    for _, call in turn.of("tool_use"):
        for one in sent.thinking_by_tool.get(call["id"], []):
            if one not in expected:
                expected.append(one)
    found = [block for _, block in turn.of(*THINKING)]
    if expected and found != expected:
        path = next(
            (path for n, (path, block) in enumerate(turn.of(*THINKING)) if block not in expected),
            f"{turn.path}.content.0",
        )
        said = (
            "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
            "modified. These blocks must remain as they were in the original response."
        )
        raise Problem(f"{path}: {said}")
