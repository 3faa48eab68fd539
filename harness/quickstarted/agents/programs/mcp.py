"""
`read_docs` as a tool of a Model Context Protocol server, for programs that speak it.

The part of MCP that a server without sessions, streams and notifications of its own needs
(https://modelcontextprotocol.io/specification, "Streamable HTTP" and "Tools"): one POST in, one
JSON answer out. The SDK's server is an ASGI application with an event loop and a session of its
own, for what is a table of five methods here; its client is what the tests hold this to. Input is
checked where it is used, so a call that makes no sense is an answer that the model can mend.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from quickstarted import __version__
from quickstarted.agents.model.toolset import READ_DOCS
from quickstarted.agents.model.vendor import ToolAnswer, ToolUse

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, the newest first; nothing that is used here differs between them."""
SERVER = "docs"
"""Under which name programs are told of the server."""
MAX_BATCH = 50

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
"""JSON-RPC 2.0, section 5.1."""

Carrying = Callable[[ToolUse], ToolAnswer]
"""Carries out a call of a tool."""


def answered(body: bytes, carry_out: Carrying) -> bytes | None:
    """
    Answer what a client has posted.

    Args:
        body: One JSON-RPC message, or several in an array.
        carry_out: Does what calls of tools ask for, in order.

    Returns:
        The answer, JSON; None where nothing was asked, only notified.

    Raises:
        Whatever *carry_out* does.

    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return _encoded(_error(None, PARSE_ERROR, "this is not JSON"))
    if not isinstance(message, list):
        answer = _answer(message, carry_out)
        return None if answer is None else _encoded(answer)
    if not 0 < len(message) <= MAX_BATCH:
        words = f"a batch has from 1 to {MAX_BATCH} messages"
        return _encoded(_error(None, INVALID_REQUEST, words))
    answers = [_answer(one, carry_out) for one in message]
    told = [answer for answer in answers if answer is not None]
    return _encoded(told) if told else None


def _answer(message: Any, carry_out: Carrying) -> dict[str, Any] | None:
    if problem := _problem(message):
        return _error(None, INVALID_REQUEST, problem)
    if "method" not in message or "id" not in message:
        # An answer of the client's, or a notification: nothing is asked.
        return None
    call_id, method, params = message["id"], message["method"], message.get("params") or {}
    if method == "tools/call":
        return _called(call_id, params, carry_out)
    if method not in _PLAIN:
        return _error(call_id, METHOD_NOT_FOUND, f"there is no method {str(method)[:100]!r}")
    return {"jsonrpc": "2.0", "id": call_id, "result": _PLAIN[method](params)}


def _problem(message: Any) -> str:
    """Why this is no message; empty for one that is."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return "this is no JSON-RPC 2.0 message"
    if not isinstance(message.get("params") or {}, dict):
        return "`params` is an object here"
    if not isinstance(message.get("id", 0), str | int | float):
        return "`id` is a string or a number"
    return "" if isinstance(message.get("method", ""), str) else "`method` is a string"


_TOOL = {
    "name": READ_DOCS.name,
    "description": READ_DOCS.description,
    "inputSchema": READ_DOCS.schema,
    "annotations": {"readOnlyHint": True, "openWorldHint": True},
}


def _initialized(params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "quickstarted", "version": __version__},
    }


_PLAIN: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "initialize": _initialized,
    "ping": lambda _: {},
    "tools/list": lambda _: {"tools": [_TOOL]},
}
"""Methods to what they answer with."""


def _called(call_id: str | float, params: dict[str, Any], carry_out: Carrying) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if name != READ_DOCS.name or not isinstance(arguments, dict):
        words = f"the only tool is {READ_DOCS.name}; its arguments are an object"
        return _error(call_id, INVALID_PARAMS, words)
    use = ToolUse(call_id=f"mcp-{call_id}", name=READ_DOCS.name, arguments=arguments)
    answer = carry_out(use)
    content = [{"type": "text", "text": answer.text}]
    result = {"content": content, "isError": answer.is_error}
    return {"jsonrpc": "2.0", "id": call_id, "result": result}


def _error(call_id: str | float | None, code: int, words: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": call_id, "error": {"code": code, "message": words}}


def _encoded(answer: Any) -> bytes:
    return json.dumps(answer, ensure_ascii=True).encode("ascii")
