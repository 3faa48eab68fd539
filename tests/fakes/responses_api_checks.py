"""
What the Responses API refuses in a request.

The rules are those of https://developers.openai.com/api/reference/resources/responses and of the
service's own error messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema

from fakes.responses_api_stream import Sent

_TOP_LEVEL = {
    *("background", "client_metadata", "conversation", "include", "input", "instructions"),
    *("max_output_tokens", "max_tool_calls", "metadata", "model", "parallel_tool_calls"),
    *("previous_response_id", "prompt_cache_key", "prompt_cache_options", "reasoning"),
    *(
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
    ),
    *("tools", "top_logprobs", "top_p", "truncation"),
}
_TOOL = {"type", "name", "description", "parameters", "strict", "allowed_callers", "async"}
_FIELDS = {
    "message": {"type", "id", "role", "content", "status", "phase"},
    "function_call": {
        *("type", "id", "call_id", "name", "namespace", "arguments", "status", "caller", "async"),
    },
    "function_call_output": {"type", "id", "call_id", "output", "status"},
    "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
}
_PARTS = {
    "user": {"input_text"},
    "developer": {"input_text"},
    "assistant": {"output_text", "refusal"},
}


class Problem(Exception):
    """The service refuses the request."""

    def __init__(
        self, message: str, param: str | None = None, code: str | None = None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.param = param
        self.code = code
        self.status = status


@dataclass(frozen=True)
class Model:
    """What a model takes; the defaults are a current one's."""

    reasons: bool = True
    max_output_tokens: int = 128_000


def require(holds: object, param: str, message: str, code: str = "invalid_value") -> None:
    """Raises Problem unless it holds."""
    if not holds:
        raise Problem(message, param, code)


def check_key(headers: Mapping[str, str], api_key: str) -> None:
    """The key. Raises Problem."""
    given = headers.get("authorization", "").removeprefix("Bearer ")
    if not given:
        raise Problem("You didn't provide an API key.", status=401)
    if given != api_key:
        said = f"Incorrect API key provided: {given[:3]}***."
        raise Problem(said, code="invalid_api_key", status=401)


def check_request(body: Any, models: Mapping[str, Model] | None, sent: Sent) -> None:
    """All of it. Raises Problem."""
    require(isinstance(body, dict), "", "We could not parse the JSON body of your request.")
    for name in body:
        require(name in _TOP_LEVEL, name, f"Unknown parameter: '{name}'.", "unknown_parameter")
    model = _find_model(body, models)
    _check_options(body, model)
    _check_tools(body.get("tools", []))
    items = body.get("input")
    require(items, "input", "Missing required parameter: 'input'.", "missing_required_parameter")
    if isinstance(items, str):
        return
    for n, item in enumerate(items):
        _check_item(item, f"input[{n}]")
    _check_pairs(items)
    _check_reasoning(items, sent)


def _find_model(body: dict[str, Any], models: Mapping[str, Model] | None) -> Model:
    name = body.get("model")
    require(isinstance(name, str) and name, "model", "Missing required parameter: 'model'.")
    if models is not None and name not in models:
        said = f"The requested model '{name}' does not exist."
        raise Problem(said, "model", "model_not_found")
    return Model() if models is None else models[name]


def _check_options(body: dict[str, Any], model: Model) -> None:
    most = body.get("max_output_tokens", 16)
    require(isinstance(most, int) and most >= 16, "max_output_tokens", "Expected at least 16.")
    limit = model.max_output_tokens
    require(most <= limit, "max_output_tokens", f"max_output_tokens is too large: at most {limit}.")
    encrypted = "reasoning.encrypted_content" in body.get("include", [])
    said = "Encrypted content is not supported with this model."
    require(model.reasons or not encrypted, "include", said)
    require(isinstance(body.get("store", True), bool), "store", "Invalid type for 'store'.")


def _check_tools(tools: Any) -> None:
    require(isinstance(tools, list), "tools", "Invalid type for 'tools': expected an array.")
    for n, tool in enumerate(tools):
        where = f"tools[{n}]"
        if tool.get("type") != "function":
            continue
        for name in tool:
            said = f"Unknown parameter: '{where}.{name}'."
            require(name in _TOOL, where, said, "unknown_parameter")
        named = re.fullmatch("[a-zA-Z0-9_-]{1,64}", str(tool.get("name", "")))
        require(named, f"{where}.name", f"Invalid '{where}.name'.")
        schema = tool.get("parameters")
        said = f"Invalid schema for function '{tool['name']}'."
        require(
            isinstance(schema, dict), f"{where}.parameters", said, "invalid_function_parameters"
        )
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError:
            raise Problem(said, f"{where}.parameters", "invalid_function_parameters") from None


def _check_item(item: Any, where: str) -> None:
    require(isinstance(item, dict), where, f"Invalid type for '{where}': expected an object.")
    kind = item.get("type", "message")
    require(kind in _FIELDS, where, f"Invalid value: '{kind}'.")
    for name in item:
        said = f"Unknown parameter: '{where}.{name}'."
        require(name in _FIELDS[kind], f"{where}.{name}", said, "unknown_parameter")
    texts = {
        "function_call": ("call_id", "name", "arguments"),
        "function_call_output": ("call_id",),
    }
    for name in texts.get(kind, ()):
        said = f"Missing required parameter: '{where}.{name}'."
        require(isinstance(item.get(name), str), f"{where}.{name}", said)
    if kind == "message":
        _check_message(item, where)


def _check_message(item: dict[str, Any], where: str) -> None:
    role = item.get("role")
    require(role in _PARTS, f"{where}.role", f"Invalid value: '{role}'.")
    content = item.get("content")
    for n, part in enumerate(content if isinstance(content, list) else []):
        kind = part.get("type")
        said = f"Invalid value: '{kind}'. Supported values are: {_PARTS[role]}."
        require(kind in _PARTS[role], f"{where}.content[{n}]", said)


def _check_pairs(items: list[dict[str, Any]]) -> None:
    """Each call has its output later, and each output its call before."""
    called: list[str] = []
    answered: list[str] = []
    for item in items:
        match item.get("type"):
            case "function_call":
                called.append(item["call_id"])
            case "function_call_output":
                said = (
                    f"No tool call found for function call output with call_id {item['call_id']}."
                )
                require(item["call_id"] in called, "input", said)
                require(item["call_id"] not in answered, "input", "Duplicate output.")
                answered.append(item["call_id"])
    for one in called:
        require(one in answered, "input", f"No tool output found for function call {one}.")


def _check_reasoning(items: list[dict[str, Any]], sent: Sent) -> None:
    for item, following in zip(items, [*items[1:], None], strict=True):
        if item.get("type") != "reasoning":
            continue
        if not item.get("encrypted_content"):
            said = f"Item with id '{item.get('id')}' not found. Items are not persisted."
            raise Problem(said, "input", status=404)
        known = item["encrypted_content"] in sent.encrypted
        said = "The encrypted content could not be verified."
        require(known, "input", said, "invalid_encrypted_content")
        said = f"Item '{item['id']}' of type 'reasoning' was provided without its following item."
        kinds = {"message", "function_call", "reasoning"}
        require(following and following.get("type") in kinds, "input", said)
