"""
Claude Code: sessions as it keeps them, and what `--output-format stream-json` prints.

A message of the model comes on several lines with the same id and the same tokens, which are
counted once. What a subagent says is under the call that began it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece
from quickstarted.formats.trajectory.importing.talk import Talk, error_text
from quickstarted.formats.trajectory.importing.times import stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields
from quickstarted.formats.trajectory.model import EventType

_TALK = frozenset({"user", "assistant"})
_DELTA = "stream_event"


class ClaudeCodeImporter:
    """Lines of both kinds, by session."""

    name: ClassVar[str] = "claude-code"
    title: ClassVar[str] = "Claude Code sessions and stream-json"

    def detects(self, value: Any) -> Claim | None:
        """A session says `sessionId`, stream-json `session_id`, each with a `type` and a `uuid`."""
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return None
        if isinstance(value.get("sessionId"), str) and isinstance(value.get("message"), dict):
            return Claim("it has sessionId and a message", is_whole=False)
        if not isinstance(value.get("session_id"), str):
            return None
        if value["type"] in _TALK and isinstance(value.get("message"), dict):
            return Claim("it has session_id and a message", is_whole=False)
        if value["type"] == "system" and value.get("subtype") == "init":
            return Claim("it is the init of stream-json", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each session; lines that name none belong to the one before, or the first."""
        sessions: dict[str, list[Record]] = {}
        loose: list[Record] = []
        name = ""
        for record in context.hold(records):
            with context.guard(record):
                value = record.value
                if not isinstance(value, dict) or not isinstance(value.get("type"), str):
                    raise NotConvertible("is no object with a type", "Take the line out.")
                own = value.get("sessionId", value.get("session_id"))
                name = own if isinstance(own, str) else name
                (sessions.setdefault(name, []) if name else loose).append(record)
        if loose:
            first = next(iter(sessions), "")
            sessions[first] = loose + sessions.get(first, [])
        for session, lines in sessions.items():
            yield from _Session(context, session, lines).run.pieces()


class _Session:
    """One session."""

    def __init__(self, context: Context, name: str, lines: list[Record]) -> None:
        self.run = context.run("claude-code", None, name or None)
        self.run.framework = "claude-code"
        self._talk = Talk(self.run, "claude")
        self._events: dict[str, str] = {}
        self._deltas = 0
        for record in _merged(lines):
            self.run.index = record.index
            with context.guard(record):
                self._line(record)
        if self._deltas:
            self.run.metadata["stream_events"] = self._deltas

    def _line(self, record: Record) -> None:
        fields = Fields(record.value)
        kind = fields.text("type") or ""
        if kind == _DELTA:
            self._deltas += 1
            return
        at = stamp(fields.any("timestamp"))
        if at is not None:
            known = self.run.started_at
            if known is None or at.time < known.time:
                self.run.started_at = at
            last = self.run.ended_at
            if last is None or at.time > last.time:
                self.run.ended_at = at
        fields.drop("sessionId", "session_id")
        uuid = fields.text("uuid")
        above = self._above(fields)
        made: EventFields = {"at": at, "parent": above}
        if kind in _TALK:
            self._message(kind, fields, made, uuid)
            return
        if kind == "result":
            self._result(fields, made)
        elif kind == "system" and record.value.get("subtype") == "init":
            self.run.metadata |= {"model": fields.text("model"), "cwd": fields.text("cwd")}
            made |= {"agent": "harness", "native": fields.left}
            self.run.add(EventType.RUN_START, **made)
        else:
            made |= {"agent": "harness", "output": fields.any("content", "summary")}
            made |= {"metadata": {"type": kind}, "native": fields.left}
            self.run.add(EventType.OBSERVATION, **made)
        if uuid is not None:
            self._events[uuid] = self.run.events[-1]["event_id"]
            self.run.events[-1]["metadata"]["uuid"] = uuid

    def _above(self, fields: Fields) -> str | None:
        """The call of the subagent that says this, or the line before it."""
        tool_use = fields.text("parent_tool_use_id")
        if tool_use is not None:
            call = self.run.calls.named(tool_use)
            if call is not None:
                return call.event_id
        parent = fields.text("parentUuid")
        if parent is None:
            return None
        found = self._events.get(parent)
        if found is None:
            fields.put("parentUuid", parent)
        return found

    def _message(self, kind: str, fields: Fields, made: EventFields, uuid: str | None) -> None:
        message = dict(fields.object("message") or {})
        message.setdefault("role", kind)
        message.pop("type", None)
        tool_use_result = fields.any("toolUseResult", "tool_use_result")
        shared = {
            "uuid": uuid,
            "is_sidechain": True if fields.flag("isSidechain") else None,
            "agent_id": fields.text("agentId"),
            "line": fields.left,
        }
        before = self.run.count
        last = self._talk.message(message, at=made["at"], parent=made["parent"], shared=shared)
        if tool_use_result is not None and self.run.count > before:
            self.run.events[-1]["metadata"]["tool_use_result"] = tool_use_result
        if uuid is not None and last is not None:
            lines = fields.left.get("merged_lines")
            merged = [Fields(line).text("uuid") for line in lines] if type(lines) is list else []
            for one in [uuid, *merged]:
                if isinstance(one, str):
                    self._events[one] = last

    def _result(self, fields: Fields, made: EventFields) -> None:
        result, failed = fields.any("result"), fields.flag("is_error")
        subtype = fields.text("subtype")
        made |= {
            "agent": "harness",
            "output": result,
            "duration_ms": fields.number("duration_ms"),
            "error": (error_text(result) or subtype or "is_error is true") if failed else None,
            "metadata": {
                "subtype": subtype,
                "is_error": failed,
                "cost_usd": fields.number("total_cost_usd"),
                "num_turns": fields.number("num_turns"),
                **usage_metadata(fields.any("usage")),
            },
        }
        made["native"] = fields.left
        self.run.add(EventType.RUN_END, **made)


def _merged(lines: list[Record]) -> Iterator[Record]:
    """The lines, with those of one message of the model put together where its first one is."""
    made: list[Record] = []
    places: dict[str, int] = {}
    for record in lines:
        key = _message_id(record.value)
        if key and key in places:
            _join(made[places[key]].value, record.value)
            continue
        if key:
            places[key] = len(made)
        made.append(_own(record) if key else record)
    yield from made


def _message_id(value: dict[str, Any]) -> str:
    message = value.get("message")
    if value.get("type") != "assistant" or not isinstance(message, dict):
        return ""
    found = message.get("id")
    return found if isinstance(found, str) and isinstance(message.get("content"), list) else ""


def _own(record: Record) -> Record:
    """A copy of *record* that others can be joined to."""
    message = record.value["message"]
    value = {**record.value, "message": {**message, "content": list(message["content"])}}
    return replace(record, value=value)


def _join(first: dict[str, Any], more: dict[str, Any]) -> None:
    """Add *more* to *first*; tokens and reason of the last line are those of the whole message."""
    content = first["message"]["content"]
    content += more["message"]["content"]
    first["message"] |= {**more["message"], "content": content}
    lines = first.setdefault("merged_lines", [])
    if isinstance(lines, list):
        lines.append({key: more.get(key) for key in ("uuid", "timestamp")})
