"""
Codex: rollouts as it keeps them, and what `codex exec --json` prints.

A rollout tells everything twice; the items that went to and from the model are taken, and of the
messages to the user's screen only those that say something else, the tokens among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.codex_exec import EXEC_TYPES, ExecRun
from quickstarted.formats.trajectory.importing.kinds.responses import add_item
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import Talk, error_text
from quickstarted.formats.trajectory.importing.times import Stamp, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, is_one_of
from quickstarted.formats.trajectory.model import EventType

_ROLLOUT = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_LOOKED_BACK = 100
_TOLD_TWICE = frozenset(
    {"user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content"}
)


class CodexImporter:
    """Lines of both kinds."""

    name: ClassVar[str] = "codex"
    title: ClassVar[str] = "Codex rollouts and exec --json"

    def detects(self, value: Any) -> Claim | None:
        """A rollout has a payload for each type; exec has types with a dot."""
        if not isinstance(value, dict):
            return None
        kind = value.get("type")
        if is_one_of(kind, _ROLLOUT) and isinstance(value.get("payload"), dict):
            return Claim(f"it is a {kind} with a payload", is_whole=False)
        if kind == "thread.started" and isinstance(value.get("thread_id"), str):
            return Claim("it is a thread.started with a thread_id", is_whole=False)
        if is_one_of(kind, EXEC_TYPES) and (
            isinstance(value.get("item"), dict) or kind == "turn.started"
        ):
            return Claim(f"it is a {kind}", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run; in exec's output each thread that starts is one."""
        rollout: _Rollout | None = None
        thread: ExecRun | None = None
        for record in context.hold(records):
            with context.guard(record):
                kind = record.value.get("type") if isinstance(record.value, dict) else None
                if is_one_of(kind, _ROLLOUT):
                    if rollout is None:
                        rollout = _Rollout(context, record)
                    rollout.take(record)
                elif is_one_of(kind, EXEC_TYPES):
                    if kind == "thread.started" and thread is not None:
                        yield from thread.run.pieces()
                        thread = None
                    if thread is None:
                        thread = ExecRun(context, record)
                    thread.take(record)
                else:
                    raise NotConvertible("is no line of Codex", "Take it out.")
        for made in (rollout, thread):
            if made is not None:
                yield from made.run.pieces()


class _Rollout:
    """One rollout."""

    def __init__(self, context: Context, first: Record) -> None:
        about = Fields(first.value).object("payload") or {}
        session = about.get("id") if first.value.get("type") == "session_meta" else None
        wanted = session if isinstance(session, str) else None
        self.run: Run = context.run("codex", None, wanted)
        self.run.framework = "codex"
        self._talk = Talk(self.run, "codex")

    def take(self, record: Record) -> None:
        self.run.index = record.index
        fields = Fields(record.value)
        at = stamp(fields.any("timestamp"))
        self.run.started_at = self.run.started_at or at
        self.run.ended_at = at or self.run.ended_at
        kind, payload = fields.text("type") or "", fields.object("payload") or {}
        if kind == "response_item":
            add_item(self.run, self._talk, payload, at)
            return
        inner = Fields(payload)
        if kind == "event_msg":
            self._screen(inner, at)
            return
        event = EventType.RUN_START if kind == "session_meta" else EventType.OBSERVATION
        made: EventFields = {"at": at, "agent": "harness", "module": kind}
        made |= {"output": inner.text("message"), "native": inner.left}
        self.run.add(event, **made)

    def _screen(self, inner: Fields, at: Stamp | None) -> None:
        """What the user was shown."""
        kind = inner.text("type") or ""
        made: EventFields = {"at": at, "agent": "harness", "module": kind}
        if kind == "token_count":
            self._tokens(inner, at)
            return
        if kind in _TOLD_TWICE:
            shown = self.run.metadata.setdefault("shown_to_user", {})
            shown[kind] = shown.get(kind, 0) + 1
            return
        event = EventType.OBSERVATION
        if kind == "error" or kind.endswith("_error"):
            event = EventType.ERROR
            made["error"] = error_text(inner.any("message")) or kind
        made["native"] = inner.left
        self.run.add(event, **made)

    def _tokens(self, inner: Fields, at: Stamp | None) -> None:
        """Tokens of the call before, put to its answer; they may come without any."""
        info = inner.part("info")
        last, total = info.object("last_token_usage"), info.object("total_token_usage")
        if total is not None:
            self.run.metadata |= {"total": usage_metadata(total)}
        if last is None:
            self.run.add(
                EventType.OBSERVATION,
                at=at,
                agent="harness",
                module="token_count",
                native=inner.left,
            )
            return
        answer = next(
            (one for one in reversed(self.run.events[-_LOOKED_BACK:]) if _wants_tokens(one)), None
        )
        if answer is not None:
            answer["metadata"] |= usage_metadata(last)
            if inner.left:
                answer["metadata"]["token_count"] = inner.left
        else:
            self.run.add(
                EventType.LLM_RESPONSE,
                at=at,
                agent="codex",
                metadata={"only_tokens": True, **usage_metadata(last)},
                native=inner.left,
            )


def _wants_tokens(event: dict[str, Any]) -> bool:
    kinds = (EventType.LLM_RESPONSE.value, EventType.TOOL_CALL.value, EventType.REFLECTION.value)
    return event["event_type"] in kinds and "usage" not in event["metadata"]
