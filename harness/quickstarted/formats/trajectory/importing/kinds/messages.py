"""Chat messages as OpenAI and Anthropic have them: an object, a list, or one message a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import Piece, Run
from quickstarted.formats.trajectory.importing.talk import ROLES, Talk
from quickstarted.formats.trajectory.importing.times import stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, is_objects, is_one_of

WHEN = ("timestamp", "created_at", "ts", "time")


class MessagesImporter:
    """`messages` in an object, a bare list of them, or a stream."""

    name: ClassVar[str] = "messages"
    title: ClassVar[str] = "chat messages (OpenAI, Anthropic)"

    def detects(self, value: Any) -> Claim | None:
        """Messages have a `role` that is known; `content` alone is not enough."""
        if isinstance(value, list) and value and all(is_message(one) for one in value):
            return Claim("a list in which everything has a role that is known")
        if not isinstance(value, dict):
            return None
        messages = value.get("messages")
        if is_objects(messages) and all(is_message(one) for one in messages):
            also = ", and conversations too, of which it is the later spelling"
            return Claim(f"it has messages{also if 'conversations' in value else ''}")
        if is_message(value):
            return Claim("it has a role that is known, and content", is_whole=False, is_weak=True)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each object with `messages` and for each list; all else is one run."""
        stream: Run | None = None
        talk: Talk | None = None
        for record in context.hold(records):
            with context.guard(record):
                if isinstance(record.value, list) or "messages" in _keys(record.value):
                    run = self._whole(record, context)
                    yield from run.pieces()
                    continue
                _require(record.value)
                if stream is None or talk is None:
                    stream = context.run(self.name, None)
                    talk = Talk(stream)
                stream.index = record.index
                add_message(stream, talk, record.value)
        if stream is not None:
            yield from stream.pieces()

    def _whole(self, record: Record, context: Context) -> Run:
        value = record.value if isinstance(record.value, dict) else {"messages": record.value}
        fields = Fields(value)
        run = context.run(self.name, record, fields.text("trace_id", "id", "session_id"))
        take_messages(run, fields)
        run.metadata |= {"native": fields.left} if fields.left else {}
        return run


def take_messages(run: Run, fields: Fields, agent: str = "assistant") -> None:
    """Add all of the object *fields* that has `messages`, and what stands around them."""
    run.framework = run.framework or fields.text("framework")
    run.task_id = run.task_id or fields.text("task_id")
    run.metadata |= {
        key: value
        for key, value in {
            "model": fields.text("model"),
            **usage_metadata(fields.any("usage")),
        }.items()
        if value is not None
    }
    talk = Talk(run, agent)
    system = fields.any("system", "instructions")
    if system is not None:
        talk.message({"role": "system", "content": system})
    for number, message in enumerate(fields.list("messages") or []):
        _require(message, f"messages[{number}]")
        add_message(run, talk, message)


def add_message(run: Run, talk: Talk, message: dict[str, Any]) -> None:
    """Add one message, at the time that it has itself."""
    given = dict(message)
    at = None
    for key in WHEN:
        found = stamp(given.get(key))
        if found is not None:
            at = found
            del given[key]
            break
    extra = given.get("extra")
    if at is None and isinstance(extra, dict):
        at = stamp(extra.get("timestamp"))
    if run.started_at is None and at is not None and not run.count:
        run.started_at = at
    talk.message(given, at=at)


def is_message(value: Any) -> bool:
    """Whether *value* has a role of a chat, and something to say."""
    return (
        isinstance(value, dict)
        and is_one_of(value.get("role"), ROLES)
        and ("content" in value or "tool_calls" in value or "function_call" in value)
    )


def _require(message: Any, where: str = "") -> None:
    """See that *message*, which is the record itself or stands *where* in it, is one."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise NotConvertible(f"{where} is no message with a role".lstrip(), "Give it a role.")


def _keys(value: Any) -> set[str]:
    return set(value) if isinstance(value, dict) else set()
