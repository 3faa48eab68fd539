"""The OpenAPI document: what each path takes and answers, made from the models it answers with."""

from __future__ import annotations

import json
from functools import cache
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from quickstarted import __version__
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES, AgentTrajectory
from quickstarted.serve.limits import MAX_PAGE_ITEMS, PAGE_ITEMS
from quickstarted.serve.replies import ListReply, ProblemReply, Summary, UploadReply
from quickstarted.serve.schema import schema_document
from quickstarted.serve.staging import API
from quickstarted.serve.store import ARTIFACT, ID
from quickstarted.serve.uploads import FORMATS

_REFS = "#/components/schemas/"
_MODELS: tuple[type[BaseModel], ...] = (
    AgentTrajectory,
    ListReply,
    ProblemReply,
    Summary,
    UploadReply,
)
_EVERYWHERE = (400, 401, 403, 421, 500, 503)
"""No HTTP, no token, another site's page, another Host, our fault, too many connections."""


@cache
def openapi_document() -> dict[str, Any]:
    """OpenAPI 3.1."""
    _, schemas = models_json_schema(
        [(model, "serialization") for model in _MODELS], ref_template=_REFS + "{model}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "quickstarted serve",
            "version": __version__,
            "description": "Takes runs of agents in many formats, keeps them as AgentTrajectory.",
        },
        "paths": _paths(),
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        # A server on loopback may have no token.
        "security": [{}, {"token": []}],
    }


def _paths() -> dict[str, Any]:
    identifier = _parameter("id", "path", {"type": "string", "pattern": _whole(ID.pattern)})
    name = _parameter("name", "path", {"type": "string", "pattern": _whole(ARTIFACT.pattern)})
    return {
        "/api/v1/schema": {
            "get": _get("schema", "The format's published document.", {"type": "object"})
        },
        "/api/v1/openapi.json": {"get": _get("openapi", "This document.", {"type": "object"})},
        API: {"get": _list(), "post": _upload()},
        f"{API}/{{id}}": {
            "parameters": [identifier],
            "get": _get("trajectory", "A stored trajectory.", _ref(AgentTrajectory), 404),
        },
        f"{API}/{{id}}/upload": {
            "parameters": [identifier],
            "get": _get("summary", "What the list says of it.", _ref(Summary), 404),
        },
        f"{API}/{{id}}/artifacts/{{name}}": {
            "parameters": [identifier, name],
            "get": _get("artifact", "A file that its events refer to.", None, 404),
        },
    }


def _links(identifier: str) -> dict[str, Any]:
    """Where the id that is at *identifier* leads."""
    return {
        operation: {"operationId": operation, "parameters": {"id": identifier}}
        for operation in ("trajectory", "summary")
    }


def _list() -> dict[str, Any]:
    number = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_ITEMS, "default": PAGE_ITEMS}
    after = {"type": "string", "pattern": _whole(ID.pattern)}
    return {
        **_get("list", "What is stored, by id, a page at a time.", _ref(ListReply)),
        "parameters": [
            _parameter("limit", "query", number),
            _parameter("after", "query", after),
            _parameter("trace_id", "query", {"type": "string"}),
        ],
    }


def _upload() -> dict[str, Any]:
    lines = {"type": "string", "description": "JSON Lines: one object on each line."}
    return {
        "operationId": "upload",
        "summary": f"Store trajectories: at most {MAX_UPLOAD_BYTES:,} bytes of UTF-8.",
        "parameters": [
            _parameter("format", "query", {"type": "string", "enum": list(FORMATS)}),
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": _upload_schema(),
                    "examples": {"published": {"value": _published_example()}},
                },
                "application/x-ndjson": {"schema": lines},
            },
        },
        "responses": {
            "200": _answer("Nothing is new: all of it is stored already.", _ref(UploadReply)),
            "201": {
                **_answer("Something was stored; the reply has what was not.", _ref(UploadReply)),
                "links": _links("$response.body#/stored/0/id"),
            },
            "409": _answer("Nothing was stored: each trace_id is taken.", _ref(UploadReply)),
            "422": _answer("Nothing was stored: nothing could be read.", _ref(UploadReply)),
            **_problems(*_EVERYWHERE, 408, 413, 415, 507),
        },
    }


def _upload_schema() -> dict[str, Any]:
    """What can be said of JSON that is taken; which formats are known is not said in a schema."""
    own = {"allOf": [_ref(AgentTrajectory), {"required": ["trace_id", "events"]}]}
    return {
        "anyOf": [
            own,
            {"type": "array", "items": own, "minItems": 1},
            {"type": ["object", "array"], "description": "Any format that an import knows."},
        ]
    }


def _published_example() -> Any:
    return json.loads(schema_document())["example"]


def _get(
    operation: str, summary: str, schema: dict[str, Any] | None, *statuses: int
) -> dict[str, Any]:
    return {
        "operationId": operation,
        "summary": summary,
        "responses": {"200": _answer("There it is.", schema), **_problems(*_EVERYWHERE, *statuses)},
    }


def _problems(*statuses: int) -> dict[str, Any]:
    reply = _ref(ProblemReply)
    return {str(status): _answer(HTTPStatus(status).phrase, reply) for status in sorted(statuses)}


def _answer(description: str, schema: dict[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        binary: dict[str, Any] = {"application/octet-stream": {}}
        return {"description": description, "content": binary}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _parameter(name: str, where: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": where, "required": where == "path", "schema": schema}


def _ref(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": f"{_REFS}{model.__name__}"}


def _whole(pattern: str) -> str:
    return f"^{pattern}$"
