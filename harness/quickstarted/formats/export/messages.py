"""
A trace as a conversation in the manner of OpenAI's chat API: one line of JSON, one conversation.

`messages` are the assistant's texts and calls, and what tools gave back. The prompt is not in a
trace, and neither are the texts of pages: the result of reading one says what is on record of it.
Everything else (requests, refusals, the check) has no place in a conversation: it is counted in
`metadata`, which has the verdict too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

from quickstarted.events import ToolResult
from quickstarted.formats.export.attempt import Attempt, fields_of
from quickstarted.formats.export.calls import Answer, OpenCall, arguments_of
from quickstarted.formats.export.json_text import encoded, in_string, said
from quickstarted.formats.export.steps import Step, steps_of

_ANSWER_WITHOUT = frozenset({"ts", "call_id"})


def write_messages(attempt: Attempt, out: IO[bytes]) -> None:
    """
    Write *attempt* as one line `{"messages":[...],"metadata":{...}}`.

    Raises:
        TraceInvalid: A line is no event.

    """
    left_out: Counter[str] = Counter()
    out.write(b'{"messages":[')
    separator = b""
    for step in steps_of(attempt):
        left_out.update(event.type for event in step.others)
        for message in _messages(step):
            out.write(separator + encoded(message))
            separator = b","
    told = {"trace_id": attempt.trace_id, **said(goal=attempt.goal), **attempt.summary()}
    metadata = {**told, **said(left_out=dict(sorted(left_out.items())))}
    out.write(b'],"metadata":' + encoded(metadata) + b"}\n")
    if not separator:
        attempt.note("the attempt has no message: no model spoke, and no tool was called")


def _messages(step: Step) -> Iterator[dict[str, Any]]:
    text = None if step.opening is None else step.opening.text
    if text or step.calls:
        made: dict[str, Any] = {"role": "assistant", "content": text or None}
        if step.calls:
            made["tool_calls"] = [_call(call) for call in step.calls]
        yield made
    answers = {call.number: event for call, event in step.results}
    for call in step.calls:
        content = _content(call, answers.get(call.number))
        if content is not None:
            yield {"role": "tool", "tool_call_id": call.call_id, "content": content}


def _call(call: OpenCall) -> dict[str, Any]:
    event = call.event
    function = {"name": event.tool, "arguments": in_string(arguments_of(event))}
    return {"id": call.call_id, "type": "function", "function": function}


def _content(call: OpenCall, answer: Answer | None) -> str | None:
    """What the agent got; of what is on record without a text, the record."""
    if isinstance(answer, ToolResult):
        return answer.output
    if answer is not None:
        return in_string(fields_of(answer, _ANSWER_WITHOUT))
    refused = call.event.refused
    return None if refused is None else in_string({"refused": refused})
