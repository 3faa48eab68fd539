"""
ShareGPT conversations: turns of `from` and `value`, and roll-outs with thoughts and actions in
their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.messages import add_message, is_message
from quickstarted.formats.trajectory.importing.run import Piece, Run
from quickstarted.formats.trajectory.importing.talk import Talk, add_call
from quickstarted.formats.trajectory.importing.values import (
    Fields,
    from_text,
    is_objects,
    is_one_of,
)
from quickstarted.formats.trajectory.model import EventType

_USER = frozenset({"human", "user"})
_MODEL = frozenset({"gpt", "assistant", "chatgpt", "model", "bing", "bard"})
_CALL = frozenset({"function_call", "tool_call"})
_RESULT = frozenset({"observation", "tool", "tool_response", "function_response"})
_FROM = _USER | _MODEL | _CALL | _RESULT | {"system"}
_ACTION = re.compile(
    r"\s*(?:Thought:\s*(?P<thought>.*?))?\s*^Action:\s*(?P<action>.*)\Z", re.DOTALL | re.MULTILINE
)


class ConversationsImporter:
    """One object with `conversations`."""

    name: ClassVar[str] = "conversations"
    title: ClassVar[str] = "ShareGPT conversations"

    def detects(self, value: Any) -> Claim | None:
        """Turns are `from` and `value`, or `role` and `content` under the same key."""
        turns = value.get("conversations") if isinstance(value, dict) else None
        if not is_objects(turns):
            return None
        if "messages" in value and is_objects(value["messages"]):
            return None
        if all(_is_turn(one) for one in turns):
            return Claim("it has conversations of from and value")
        if all(is_message(one) for one in turns):
            return Claim("it has conversations of role and content")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each record."""
        for record in records:
            with context.guard(record):
                yield from self._run(record, context).pieces()

    def _run(self, record: Record, context: Context) -> Run:
        fields = Fields(record.value)
        turns = fields.list("conversations")
        if turns is None:
            raise NotConvertible("has no list of conversations", "See docs/trajectory.md.")
        wanted = fields.text("trace_id", "id", "item_id")
        run = context.run(self.name, record, wanted)
        run.task_id = fields.text("task_id")
        system = fields.text("system")
        if system is not None:
            run.metadata["system_prompt"] = system
        tools = fields.text("tools")
        if tools is not None:
            run.metadata["tools"] = from_text(tools)[0]
        talk = Talk(run)
        for number, turn in enumerate(turns):
            if isinstance(turn, dict) and is_message(turn):
                add_message(run, talk, turn)
            elif isinstance(turn, dict) and _is_turn(turn):
                _add_turn(run, turn)
            else:
                raise NotConvertible(
                    f"conversations[{number}] has no from that is known", "human, gpt, or tool?"
                )
        if fields.left:
            run.metadata["native"] = fields.left
        return run


def _is_turn(value: Any) -> bool:
    return isinstance(value, dict) and is_one_of(value.get("from"), _FROM) and "value" in value


def _add_turn(run: Run, turn: dict[str, Any]) -> None:
    fields = Fields(turn)
    who, said = fields.text("from") or "", fields.any("value")
    native = fields.left
    if who in _CALL:
        call, is_valid = from_text(said)
        inner = Fields(call if isinstance(call, dict) else None)
        if is_valid and "name" in inner:
            name, arguments = inner.text("name"), inner.any("arguments", "parameters", "args")
            add_call(run, name, None, arguments, {"agent": "assistant", "native": native}, inner)
        else:
            run.call(None, None, input=said, agent="assistant", native=native)
    elif who in _RESULT:
        run.result(None, None, output=from_text(said)[0], native=native)
    elif who in _MODEL:
        _add_answer(run, said, native)
    else:
        if who in _USER and run.goal is None and isinstance(said, str):
            run.goal = said
        name = "system" if who == "system" else "user"
        run.add(EventType.OBSERVATION, agent=name, output=said, native=native)


def _add_answer(run: Run, said: Any, native: dict[str, Any]) -> None:
    """An answer of a model, and the thought and the action in its text."""
    shape = _ACTION.fullmatch(said) if isinstance(said, str) else None
    thought = shape["thought"] if shape is not None else None
    if thought:
        run.add(EventType.REFLECTION, agent="assistant", output=thought)
    answer = run.add(EventType.LLM_RESPONSE, agent="assistant", output=said, native=native)
    if shape is not None:
        # What the world answers comes from `human`: no result that could be told apart.
        run.add(
            EventType.TOOL_CALL,
            agent="assistant",
            input=shape["action"].strip(),
            parent=answer,
            metadata={"from_text": True},
        )
