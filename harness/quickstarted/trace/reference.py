"""What every event and field means, read from events.py itself: docs page and JSON Schema."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic import TypeAdapter

from quickstarted.events import EVENT_ADAPTER, EVENT_TYPES, EventBase
from quickstarted.field_docs import field_docs

SAME_EVERYWHERE = {
    "affordance_policy": "`all` or `none`: whether pages made for agents were served.",
    "agent": "As it was given to `--agent`.",
    "architecture": "Of the image, e.g. `amd64`.",
    "attempt": "Which try, from 1.",
    "backend": "Where commands ran: `docker` or `local`.",
    "cache_read_tokens": "Read from the cache.",
    "cache_write_tokens": "Written to the cache.",
    "call_id": "The model's own name for the call; joins a call with its result.",
    "chars": "Characters that the agent got.",
    "classification": "What the attempt shows, and who must act.",
    "command": "The shell command.",
    "component": "`engine`, `sandbox`, `sidecar`, `event_stream`, `storage`, `node`, `image`, "
    "`setup`, `program`, `service`, `secret`, `check`, `price`, `arm`, `source`, `model_access`, "
    "`model_service` or `harness`.",
    "content_hash": "`sha256:` and the digest of the bytes that the server sent.",
    "cwd": "Working directory after the command.",
    "detail": "More on the cause, for people.",
    "duration": "Seconds.",
    "engine_version": "Of the container engine.",
    "entrypoint": "The page that was looked at.",
    "error": "What went wrong, for people.",
    "exit_code": "0 is success; 124 means that it ran out of its time.",
    "from_cache": "Nothing was transferred for it: this or another attempt of the call, a probe, or"
    " an earlier call had the page.",
    "harness_version": "Of quickstarted.",
    "hint": "What to do about it.",
    "host": "Lower-case A-labels.",
    "image": "As it was asked for.",
    "image_digest": "The registry's digest; null for an image that was built here.",
    "image_id": "The engine's id of the image.",
    "method": "HTTP method.",
    "model": "As the vendor names it.",
    "original_chars": "Characters of the whole page; more than `chars` when it was cut.",
    "output": "What it printed.",
    "output_tokens": "Written by the model.",
    "passed": "Whether the check exited with 0.",
    "path": "Of the URL with its query, values that look like secrets replaced; a long one is cut.",
    "port": "TCP port.",
    "prompt_hash": "Digest of the prompt, which tells runs apart that were asked differently.",
    "reason": "Why.",
    "requested": "The URL that was asked for.",
    "resolved_to": "Where the page was in the end.",
    "run_id": "Names the invocation of the program.",
    "scope": "Number of the command; egress events that it caused carry the same number.",
    "seq": "Number of the sidecar's event, without gaps.",
    "shell": "The shell that ran the commands.",
    "sidecar_image_id": "The engine's id of the sidecar's image.",
    "state": "What became of it.",
    "status": "HTTP status.",
    "stop_reason": "Why it stopped.",
    "tags": "Of the task.",
    "task": "Name of the task.",
    "text": "What the agent said.",
    "timed_out": "Whether it ran out of its time.",
    "tool": "`bash` or `read_docs`.",
    "truncated": "Whether it was cut: too large for the agent to get at once.",
    "turn": "Number of the model call, from 1.",
    "url": "Address of the page.",
    "user": "User of the sandbox's commands; empty for the image's own.",
    "via": "How the request came to the sidecar: the explicit proxy, port 80, port 443, DNS.",
}
"""What a field means in every event that has it and says nothing else."""


def event_field_docs(model: type[EventBase]) -> dict[str, str]:
    """What each field of *model* means: the text under it, else what the name means everywhere."""
    everywhere = {
        name: SAME_EVERYWHERE[name] for name in model.model_fields if name in SAME_EVERYWHERE
    }
    return {**everywhere, **field_docs(model)}


def trace_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one line of a trace, with the texts under the fields."""
    schema = EVENT_ADAPTER.json_schema()
    for model in EVENT_TYPES.values():
        properties = schema["$defs"][model.__name__]["properties"]
        for name, text in event_field_docs(model).items():
            properties[name]["description"] = text
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of trace.jsonl",
        **schema,
    }


def event_tables() -> str:
    """Every event with its fields, as Markdown."""
    return "\n\n".join(_event(name, model) for name, model in EVENT_TYPES.items())


def _event(name: str, model: type[EventBase]) -> str:
    docs = event_field_docs(model)
    lines = [f"### `{name}`", "", inspect.cleandoc(model.__doc__ or ""), ""]
    lines += ["| field | type | meaning |", "| --- | --- | --- |"]
    for field, info in model.model_fields.items():
        if field in ("ts", "type"):
            continue
        kind = _type_name(info.annotation)
        optional = "" if info.is_required() else ", optional"
        lines.append(f"| `{field}` | {kind}{optional} | {docs[field]} |")
    return "\n".join(lines)


def _type_name(annotation: Any) -> str:
    """A JSON type, or the values that are allowed."""
    schema = TypeAdapter(annotation).json_schema()
    kinds = [_json_type(part) for part in schema.get("anyOf", [schema])]
    return " or ".join(kinds)


def _json_type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_json_type(schema['items'])}"
    return str(schema.get("type", "any"))
