"""
What a call of a model asks its vendor to do elsewhere: fetch, search, run, connect.

Standard library only. A model that reads pages from its vendor's machines reads what no record
knows of, whatever the sandbox may reach. So tools are allowed by a list of those that the program
itself carries out, and what is not on it is refused, and so is everything that the vendor would
have to fetch: images and files by URL, stored prompts, connectors. Names of types are the vendors'
own (their API references of 2026).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from quickstarted_proxy.model_apis import Vendor

_ANTHROPIC_TOOLS = re.compile(
    r"custom|(bash|text_editor|computer|memory|tool_search_tool_(regex|bm25))(_\d{8})?"
)
_OPENAI_TOOLS = frozenset(
    {"function", "custom", "local_shell", "apply_patch", "computer", "computer_use_preview"}
)
_GEMINI_TOOLS = frozenset(
    {"functionDeclarations", "function_declarations", "computerUse", "computer_use"}
)
_SEARCHING_MODELS = re.compile(r"-search(-|$)|deep-research")
"""Models that search the web without being given a tool."""

_WATCHED = frozenset(
    {
        "background",
        "cachedContent",
        "cached_content",
        "container",
        "contents",
        "conversation",
        "input",
        "mcp_servers",
        "messages",
        "model",
        "prompt",
        "system",
        "systemInstruction",
        "system_instruction",
        "tools",
        "web_search_options",
    }
)
_WATCHED_LOWER = frozenset(name.lower() for name in _WATCHED)

Body = Mapping[str, Any]


def hosted_in(vendor: Vendor, body: Any, path: str = "") -> str:
    """
    Look through a call of a model.

    Args:
        vendor: Whose wire format it is.
        body: The request's JSON.
        path: The request's path, which names the model in some APIs.

    Returns:
        What it asks the vendor for that would happen elsewhere, e.g. `web_search_20250305`; empty
        where there is nothing.

    """
    if not isinstance(body, Mapping):
        return "a body that is no object"
    return next(_misspelt(body), "") or next(_CHECKS[vendor](body, path), "")


def _misspelt(body: Body) -> Iterator[str]:
    """Some parsers take `Tools` for `tools`."""
    return (name for name in body if name not in _WATCHED and name.lower() in _WATCHED_LOWER)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _named(body: Body, *names: str) -> Iterator[str]:
    """Members that are set to anything."""
    return (name for name in names if body.get(name))


# Of the Messages API


def _anthropic(body: Body, path: str) -> Iterator[str]:
    del path
    yield from _named(body, "mcp_servers", "container")
    for tool in _list(body.get("tools")):
        kind = tool.get("type", "custom") if isinstance(tool, Mapping) else "?"
        if not isinstance(kind, str) or not _ANTHROPIC_TOOLS.fullmatch(kind):
            yield str(kind)
    for message in _list(body.get("messages")):
        if isinstance(message, Mapping):
            yield from _anthropic_content(message.get("content"))
    yield from _anthropic_content(body.get("system"))


def _anthropic_content(content: Any) -> Iterator[str]:
    for block in _list(content):
        if not isinstance(block, Mapping):
            continue
        kind, source = block.get("type"), block.get("source")
        if kind == "container_upload":
            yield "container_upload"
        # What a model has asked a tool is data, whatever it looks like.
        if kind in {"image", "document"} and isinstance(source, Mapping):
            if source.get("type") not in {"base64", "text", "content"}:
                yield f"{kind} by {source.get('type')}"
            yield from _anthropic_content(source.get("content"))
        if kind == "tool_result":
            yield from _anthropic_content(block.get("content"))


# Of the Responses API and of Chat Completions


def _openai(body: Body, path: str) -> Iterator[str]:
    del path
    yield from _named(body, "prompt", "background", "web_search_options", "conversation")
    if _SEARCHING_MODELS.search(str(body.get("model", ""))):
        yield f"the model {body['model']}"
    yield from _openai_tools(body.get("tools"))
    for item in (*_list(body.get("input")), *_list(body.get("messages"))):
        if isinstance(item, Mapping):
            for part in (item, *_list(item.get("content")), *_list(item.get("output"))):
                yield from _openai_part(part)


def _openai_tools(tools: Any) -> Iterator[str]:
    for tool in _list(tools):
        kind = tool.get("type") if isinstance(tool, Mapping) else "?"
        if kind == "namespace":
            yield from _openai_tools(tool.get("tools"))
        elif kind == "shell":
            place = tool.get("environment")
            if not isinstance(place, Mapping) or place.get("type") != "local":
                yield "shell"
        elif kind == "tool_search":
            if tool.get("execution") != "client":
                yield "tool_search"
        elif kind not in _OPENAI_TOOLS:
            yield str(kind)


def _openai_part(part: Any) -> Iterator[str]:
    if not isinstance(part, Mapping):
        return
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, Mapping) else image
    if url and not str(url).startswith("data:"):
        yield "image by url"
    file = part["file"] if isinstance(part.get("file"), Mapping) else part
    if part.get("type") in {"input_file", "input_image", "file", "computer_screenshot"}:
        yield from (f"file by {name}" for name in _named(file, "file_url", "file_id"))


# Of the Gemini API


def _gemini(body: Body, path: str) -> Iterator[str]:
    if _SEARCHING_MODELS.search(path):
        yield "a searching model"
    yield from _named(body, "cachedContent", "cached_content")
    for tool in _list(body.get("tools")):
        names = tool if isinstance(tool, Mapping) else {"?": True}
        yield from (name for name in names if name not in _GEMINI_TOOLS)
    system = body.get("systemInstruction") or body.get("system_instruction")
    contents = body.get("contents")
    for content in (*(contents if isinstance(contents, list) else [contents]), system):
        if isinstance(content, Mapping):
            for part in _list(content.get("parts")):
                if isinstance(part, Mapping):
                    yield from _named(part, "fileData", "file_data")


_CHECKS: dict[Vendor, Callable[[Body, str], Iterator[str]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "gemini": _gemini,
}
