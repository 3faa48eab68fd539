"""
What the Messages API refuses in a request, apart from its messages.

The rules are those of https://platform.claude.com/docs/en/api/messages and of the service's own
error messages; a message names the path of what is wrong, as the service's do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema

OLD_VERSIONS = {"2023-01-01", "2023-06-01"}
VERSION = "2026-10-21"
"""The version that the SDK sends; https://platform.claude.com/docs/en/api/versioning."""

_TOP_LEVEL = {
    *("cache_control", "container", "diagnostics", "inference_geo", "max_tokens", "messages"),
    *("metadata", "model", "output_config", "service_tier", "speed", "stop_sequences", "stream"),
    *("system", "thinking", "tool_choice", "tools", "user_profile_id", "workspace_id"),
}
_OLD_TOP_LEVEL = {"temperature", "top_k", "top_p"}
"""Gone with version 2026-10-21, even at their default values."""
_VENDOR_TOOLS = {
    "bash_": "bash",
    "text_editor_": "str_replace_based_edit_tool",
    "web_search_": "web_search",
    "web_fetch_": "web_fetch",
    "code_execution_": "code_execution",
    "memory_": "memory",
}
_TOOL_OPTIONS = {
    *("allowed_callers", "cache_control", "defer_loading", "input_examples", "name", "strict"),
    "type",
}
_CUSTOM_TOOL = _TOOL_OPTIONS | {"description", "eager_input_streaming", "input_schema"}


class Problem(Exception):
    """The service refuses the request."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Model:
    """What a model takes; the defaults are a current one's."""

    thinking: frozenset[str] = frozenset({"adaptive", "disabled"})
    prefill: bool = False
    system_messages: bool = True
    max_output_tokens: int = 128_000
    context_tokens: int = 1_000_000


def require(holds: object, path: str, message: str) -> None:
    """Raises Problem with the path unless it holds."""
    if not holds:
        raise Problem(f"{path}: {message}")


def only_keys(found: Mapping[str, Any], allowed: set[str], path: str) -> None:
    """Raises Problem for a key that the service does not know there."""
    for name in found:
        dotted = f"{path}.{name}" if path else name
        require(name in allowed, dotted, "Extra inputs are not permitted")


def is_int(value: Any) -> bool:
    """Whether it is a whole number; JSON's true is none."""
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True)
class Dialect:
    """What the headers say about the body."""

    version: str
    beta: bool
    """Fields may be there that only a beta knows."""


def read_headers(headers: Mapping[str, str]) -> Dialect:
    """The version header, and whether a beta is asked for. Raises Problem."""
    require("anthropic-version" in headers, "anthropic-version", "header is required")
    version = headers["anthropic-version"]
    known = version in {VERSION, *OLD_VERSIONS}
    require(known, "anthropic-version", f'"{version}" is not a valid version')
    return Dialect(version, beta="anthropic-beta" in headers)


def check_key(headers: Mapping[str, str], api_key: str) -> None:
    """
    The key, in either header; where both are there, x-api-key counts. Raises Problem.

    The SDK sends `Authorization: Bearer KEY` from 2.0 on, `X-Api-Key: KEY` before.
    """
    bearer = headers.get("authorization", "")
    name = "x-api-key" if "x-api-key" in headers or not bearer else "bearer token"
    given = headers.get("x-api-key") or bearer.removeprefix("Bearer ")
    if not given:
        raise Problem("x-api-key header is required", status=401)
    if given != api_key:
        raise Problem(f"invalid {name}", status=401)


def find_model(body: Any, models: Mapping[str, Model] | None) -> Model:
    """The model asked for. Raises Problem, with 404 for one that is not in the list."""
    if not isinstance(body, dict):
        raise Problem("The request body is not valid JSON: expected an object")
    require("model" in body, "model", "Field required")
    name = body["model"]
    require(isinstance(name, str) and name, "model", "Input should be a valid string")
    if models is not None and name not in models:
        raise Problem(f"model: {name}", status=404)
    return Model() if models is None else models[name]


def check_options(body: dict[str, Any], model: Model, dialect: Dialect) -> None:
    """Everything but the messages. Raises Problem."""
    old = _OLD_TOP_LEVEL & body.keys()
    if not dialect.beta:
        only_keys(body, _TOP_LEVEL | _OLD_TOP_LEVEL, "")
    for name in old:
        require(dialect.version != VERSION, name, "Extra inputs are not permitted")
    _check_max_tokens(body, model)
    require(isinstance(body.get("stream", False), bool), "stream", "Input should be a boolean")
    for name in ("stop_sequences", "tools"):
        require(isinstance(body.get(name, []), list), name, "Input should be a valid list")
    for n, stop in enumerate(body.get("stop_sequences", [])):
        said = "each stop sequence must contain non-whitespace"
        require(isinstance(stop, str) and stop.strip(), f"stop_sequences.{n}", said)
    _check_system(body.get("system", ""))
    _check_tools(body.get("tools", []), beta=dialect.beta)
    _check_tool_choice(body)
    _check_thinking(body, model)
    _check_cache_control(body, beta=dialect.beta)


def _check_max_tokens(body: dict[str, Any], model: Model) -> None:
    require("max_tokens" in body, "max_tokens", "Field required")
    most = body["max_tokens"]
    require(is_int(most), "max_tokens", "Input should be a valid integer")
    require(most >= 1, "max_tokens", "Input should be greater than or equal to 1")
    limit = model.max_output_tokens
    said = f"{most} > {limit}, which is the maximum allowed number of output tokens for the model"
    require(most <= limit, "max_tokens", said)


def _check_system(system: Any) -> None:
    if isinstance(system, str):
        return
    require(isinstance(system, list), "system", "Input should be a valid list")
    for n, block in enumerate(system):
        check_text(block, f"system.{n}")


def check_text(block: Any, path: str) -> None:
    """A text block: nothing else, and not empty."""
    known = isinstance(block, dict) and block.get("type") == "text"
    require(known, f"{path}.type", "Input should be 'text'")
    only_keys(block, {"type", "text", "cache_control", "citations"}, f"{path}.text")
    require(isinstance(block.get("text"), str), f"{path}.text.text", "Field required")
    require(block["text"], path, "text content blocks must be non-empty")
    require(block["text"].strip(), path, "text content blocks must contain non-whitespace text")


# Tools.


def _check_tools(tools: list[Any], *, beta: bool) -> None:
    for n, tool in enumerate(tools):
        require(isinstance(tool, dict), f"tools.{n}", "Input should be an object")
        kind = tool.get("type", "custom")
        if kind in ("custom", None):
            _check_custom_tool(tool, f"tools.{n}.custom")
        else:
            _check_vendor_tool(tool, kind, f"tools.{n}", beta=beta)
    names = [tool["name"] for tool in tools]
    require(len(set(names)) == len(names), "tools", "Tool names must be unique.")


def _check_custom_tool(tool: dict[str, Any], path: str) -> None:
    only_keys(tool, _CUSTOM_TOOL, path)
    pattern = "^[a-zA-Z0-9_-]{1,128}$"
    require(isinstance(tool.get("name"), str), f"{path}.name", "Field required")
    said = f"String should match pattern '{pattern}'"
    require(re.fullmatch(pattern.strip("^$"), tool["name"]), f"{path}.name", said)
    require("input_schema" in tool, f"{path}.input_schema", "Field required")
    schema = tool["input_schema"]
    require(isinstance(schema, dict), f"{path}.input_schema", "Input should be an object")
    is_object = schema.get("type") == "object"
    require(is_object, f"{path}.input_schema.type", "Input should be 'object'")
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        said = "JSON schema is invalid. It must match JSON Schema draft 2020-12"
        raise Problem(f"{path}.input_schema: {said}: {error.message}") from None


def _check_vendor_tool(tool: dict[str, Any], kind: Any, path: str, *, beta: bool) -> None:
    names = [name for prefix, name in _VENDOR_TOOLS.items() if str(kind).startswith(prefix)]
    known = names and re.fullmatch(r"[a-z_]+_20\d{6}", str(kind))
    said = f"Input tag '{kind}' found using 'type' does not match any of the expected tags"
    require(known, path, said)
    require(tool.get("name") == names[0], f"{path}.{kind}.name", f"Input should be '{names[0]}'")
    if kind.startswith(("bash_", "memory_")) and not beta:
        only_keys(tool, _TOOL_OPTIONS, f"{path}.{kind}")


def _check_tool_choice(body: dict[str, Any]) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    kinds = ("auto", "any", "tool", "none")
    known = isinstance(choice, dict) and choice.get("type") in kinds
    require(known, "tool_choice.type", f"Input should be one of {kinds}")
    names = [tool["name"] for tool in body.get("tools", [])]
    said = "tool_choice may only be specified while providing tools"
    require(names or choice["type"] == "none", "tool_choice", said)
    if choice["type"] == "tool":
        said = f"Tool '{choice.get('name')}' not found in provided tools"
        require(choice.get("name") in names, "tool_choice.name", said)


# Thinking and caching.


def _check_thinking(body: dict[str, Any], model: Model) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    kinds = ("enabled", "disabled", "adaptive", "between_tools")
    require(kind in kinds, "thinking.type", f"Input should be one of {kinds}")
    said = f"{kind!r} is not supported by this model"
    require(kind in model.thinking, "thinking.type", said)
    if kind == "enabled":
        budget = thinking.get("budget_tokens")
        require(is_int(budget), "thinking.enabled.budget_tokens", "Field required")
        said = "Input should be greater than or equal to 1024"
        require(budget >= 1024, "thinking.enabled.budget_tokens", said)
        said = "`max_tokens` must be greater than `thinking.budget_tokens`"
        require(budget < body["max_tokens"], "max_tokens", said)
    forced = (body.get("tool_choice") or {}).get("type") in {"any", "tool"}
    said = "Thinking may not be enabled when tool_choice forces tool use."
    require(kind == "disabled" or not forced, "tool_choice", said)


def _cached(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Each `cache_control` in tools, system and messages, in the order of the prompt."""
    if isinstance(value, list):
        for n, one in enumerate(value):
            yield from _cached(one, f"{path}.{n}")
    elif isinstance(value, dict):
        if value.get("content") is not None:
            yield from _cached(value["content"], f"{path}.content")
        if value.get("cache_control") is not None:
            yield f"{path}.cache_control", value["cache_control"]


def _check_cache_control(body: dict[str, Any], *, beta: bool) -> None:
    found = [
        *_cached(body.get("tools"), "tools"),
        *_cached(body.get("system"), "system"),
        *_cached(body.get("messages"), "messages"),
        *_cached({"cache_control": body.get("cache_control")}, "body"),
    ]
    short_seen = False
    for path, control in found:
        known = isinstance(control, dict) and control.get("type") == "ephemeral"
        require(known, f"{path}.type", "Input should be 'ephemeral'")
        only_keys(control, {"type", "ttl", "scope"} if beta else {"type", "ttl"}, path)
        ttl = control.get("ttl") or "5m"
        require(ttl in ("5m", "1h"), f"{path}.ttl", "Input should be '5m' or '1h'")
        said = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
        require(ttl == "5m" or not short_seen, path, said)
        short_seen = short_seen or ttl == "5m"
    if len(found) > 4:
        said = "A maximum of 4 blocks with cache_control may be provided."
        raise Problem(f"{found[4][0]}: {said} Found {len(found)}.")
