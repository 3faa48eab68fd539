"""
What the Gemini API refuses in a request.

The rules are those of https://ai.google.dev/api/generate-content, of
https://ai.google.dev/gemini-api/docs/thought-signatures, and of the service's own error messages.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema

from fakes.gemini_api_stream import Sent

_TOP_LEVEL = {
    *("contents", "tools", "toolConfig", "safetySettings", "systemInstruction"),
    *("generationConfig", "cachedContent", "store", "serviceTier", "continuationToken"),
}
_GENERATION = {
    *("stopSequences", "candidateCount", "maxOutputTokens", "temperature", "topP", "topK", "seed"),
    *("thinkingConfig", "responseMimeType"),
}
_PART = {"text", "thought", "thoughtSignature", "functionCall", "functionResponse"}
_DECLARATION = {"name", "description", "parameters", "parametersJsonSchema", "behavior"}


class Problem(Exception):
    """The service refuses the request."""

    def __init__(self, message: str, code: int = 400, reason: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


@dataclass(frozen=True)
class Model:
    """What a model takes; `signs`: it wants its signatures back."""

    signs: bool = True
    input_token_limit: int = 1_000_000
    output_token_limit: int = 65_536


def require(holds: object, message: str) -> None:
    """Raises Problem unless it holds."""
    if not holds:
        raise Problem(message)


def only(found: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raises Problem for a field that the service does not know there, in either spelling."""
    for name in found:
        said = f"Invalid JSON payload received. Unknown name \"{name}\" at '{where}'"
        require(_camel(name) in known, said)


def _camel(name: str) -> str:
    """Protobuf's JSON takes a field's own name too, and the SDK sends some so."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def check_key(headers: Mapping[str, str], api_key: str) -> None:
    """The key. Raises Problem."""
    given = headers.get("x-goog-api-key", "")
    if not given:
        said = "Method doesn't allow unregistered callers."
        raise Problem(said, 403)
    if given != api_key:
        raise Problem("API key not valid. Please pass a valid API key.", reason="API_KEY_INVALID")


def find_model(name: str, models: Mapping[str, Model] | None) -> Model:
    """The model asked for. Raises Problem."""
    if models is not None and name not in models:
        raise Problem(f"models/{name} is not found for API version v1.", 404)
    return Model() if models is None else models[name]


def check_request(body: Any, model: Model, sent: Sent) -> None:
    """All of it. Raises Problem."""
    require(isinstance(body, dict), "Invalid JSON payload received.")
    only(body, _TOP_LEVEL, "")
    config = body.get("generationConfig", {})
    only(config, _GENERATION, "generation_config")
    most = config.get("maxOutputTokens", 1)
    require(0 < most <= model.output_token_limit, "max_output_tokens is out of range.")
    _check_tools(body.get("tools", []))
    contents = body.get("contents")
    require(contents, "* GenerateContentRequest.contents: contents is not specified")
    for n, content in enumerate(contents):
        _check_content(content, f"contents[{n}]", sent)
    _check_turns(contents)
    if model.signs:
        _check_signed(contents, sent)


def _check_tools(tools: list[Any]) -> None:
    for tool in tools:
        for declared in tool.get("functionDeclarations", []):
            only(declared, _DECLARATION, "tools.function_declarations")
            good = re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}", declared.get("name", ""))
            require(good, "Invalid function name.")
            named = {_camel(name): value for name, value in declared.items()}
            schema = named.get("parametersJsonSchema", {})
            try:
                jsonschema.Draft202012Validator.check_schema(schema)
            except jsonschema.SchemaError:
                raise Problem("parameters_json_schema is not valid.") from None


def _check_content(content: Any, where: str, sent: Sent) -> None:
    require(isinstance(content, dict), f"{where} is no object.")
    only(content, {"role", "parts"}, where)
    role = content.get("role", "user")
    require(role in ("user", "model"), "Please use a valid role: user, model.")
    parts = content.get("parts")
    require(parts, f"* GenerateContentRequest.{where}.parts: must not be empty.")
    for part in parts:
        only(part, _PART, f"{where}.parts")
        data = [name for name in ("text", "functionCall", "functionResponse") if name in part]
        require(len(data) == 1, f"{where}.parts.data: required oneof field must have one value.")
        require(role == "model" or data != ["functionCall"], "A user cannot call functions.")
        require(role == "user" or data != ["functionResponse"], "A model gives no responses.")
        if "thoughtSignature" in part:
            known = _decoded(part["thoughtSignature"]) in sent.signatures
            require(known, "Thought signature is not valid.")


def _decoded(text: str) -> bytes | None:
    """Either alphabet of base64 is taken, as protobuf's JSON does."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return None


def _parts(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return [part[name] for part in content["parts"] if name in part]


def _check_turns(contents: list[dict[str, Any]]) -> None:
    """A turn that calls functions is followed by as many responses, in its order."""
    require(contents[0].get("role", "user") == "user", "The first content must be the user's.")
    for content, following in zip(contents, [*contents[1:], None], strict=True):
        calls = _parts(content, "functionCall")
        responses = _parts(following, "functionResponse") if following else []
        said = (
            "Please ensure that the number of function response parts is equal to the number of"
            " function call parts of the function call turn."
        )
        require(len(calls) == len(responses), said)
        for call, response in zip(calls, responses, strict=True):
            same = (call["name"], call.get("id")) == (response.get("name"), response.get("id"))
            require(same, "A function response does not match its function call.")
            require(isinstance(response.get("response"), dict), "A response must be a Struct.")


def _check_signed(contents: list[dict[str, Any]], sent: Sent) -> None:
    for n, content in enumerate(contents):
        for part in content["parts"]:
            call = part.get("functionCall")
            if call is None or (call["name"], call.get("args", {})) not in sent.signed_calls:
                continue
            said = f"Function call `{call['name']}` in the {n + 1}. content block is missing a"
            require("thoughtSignature" in part, f"{said} `thought_signature`.")
