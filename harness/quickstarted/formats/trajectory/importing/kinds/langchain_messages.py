"""Messages as LangChain dumps them (`lc`, `constructor`), as plain messages with a role."""

from __future__ import annotations

from typing import Any

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
}
_CLASSES = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
}


def plain_messages(value: Any) -> Any:
    """*value* with every message that LangChain has dumped in it made plain; the rest as it is."""
    if isinstance(value, list):
        return [plain_messages(one) for one in value]
    if not isinstance(value, dict):
        return value
    if is_dump(value):
        return _plain(value)
    return {key: plain_messages(item) for key, item in value.items()}


def is_dump(value: Any) -> bool:
    """Whether *value* is what `dumpd` makes of an object."""
    return (
        isinstance(value, dict)
        and value.get("type") == "constructor"
        and isinstance(value.get("kwargs"), dict)
    )


def text_of(value: Any) -> str | None:
    """The text of a message or a piece of one."""
    if is_dump(value):
        value = value["kwargs"]
    content = value.get("content", value.get("text")) if isinstance(value, dict) else None
    if isinstance(content, list):
        texts = [one.get("text") for one in content if isinstance(one, dict)]
        return "".join(one for one in texts if isinstance(one, str))
    return content if isinstance(content, str) else None


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    kwargs = value["kwargs"]
    path = value.get("id")
    name = path[-1] if isinstance(path, list) and path else None
    role = _ROLES.get(str(kwargs.get("type"))) or _CLASSES.get(str(name))
    fields = {key: plain_messages(item) for key, item in kwargs.items()}
    if role is None:
        return {"class": name, **fields}
    return {"role": role, **{key: item for key, item in fields.items() if key != "type"}}
