"""
Traces of this program (trace.jsonl), as they are read: of any length, in memory that does not grow.

A turn's tokens are the tokens of its `llm.response`; what tools give back pairs with their call by
`call_id`, by `scope`, or by the page that was asked for. The verdict is in the metadata of the
trajectory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.calls import Calls
from quickstarted.formats.trajectory.importing.content import artifact
from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import (
    Closed,
    Event,
    EventFields,
    Opened,
    Piece,
)
from quickstarted.formats.trajectory.importing.times import Stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, is_number
from quickstarted.formats.trajectory.lenient import EPOCH
from quickstarted.formats.trajectory.model import EventType
from quickstarted.trace.reader import LATER_SPELLINGS

_ABOUT = ("task", "agent", "backend", "enforced", "attempt", "affordance_policy")
_OBSERVED = EventType.OBSERVATION
_SIMPLE: dict[str, tuple[EventType, str, str]] = {
    "run_start": (EventType.RUN_START, "harness", ""),
    "sandbox_ready": (_OBSERVED, "harness", "sandbox"),
    "service": (_OBSERVED, "harness", "service"),
    "agent_final": (EventType.AGENT_STEP, "agent", ""),
    "api_retry": (EventType.ERROR, "harness", "model"),
    "docs_redirect_followed": (_OBSERVED, "docs", "docs"),
    "docs_changed": (_OBSERVED, "docs", "docs"),
    "affordances": (_OBSERVED, "docs", "docs"),
    "affordance_withheld": (EventType.GUARDRAIL, "docs", "docs"),
    "egress_allowed": (_OBSERVED, "network", "egress"),
    "egress_blocked": (EventType.GUARDRAIL, "network", "egress"),
    "egress_error": (EventType.ERROR, "network", "egress"),
    "success_check": (_OBSERVED, "harness", "success_check"),
    "fault": (EventType.ERROR, "harness", "fault"),
}
"""Type, agent and module of events that need no more."""
_DOCS_RESULTS = frozenset({"docs_fetch", "fetch_blocked", "fetch_error"})


class TraceImporter:
    """A stream of events; each `run_start` begins a run."""

    name: ClassVar[str] = "trace"
    title: ClassVar[str] = "traces of quickstarted (trace.jsonl)"

    def detects(self, value: Any) -> Claim | None:
        """Its first line has task and agent; logs of others have events of the same names."""
        if not isinstance(value, dict) or value.get("type") != "run_start":
            return None
        is_named = isinstance(value.get("task"), str) and isinstance(value.get("agent"), str)
        if is_named and is_number(value.get("ts")):
            return Claim("it is a run_start with ts, task and agent", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """Events as they come."""
        trace: _Trace | None = None
        for record in records:
            with context.guard(record):
                kind = _kind(record.value)
                if trace is not None and kind == "run_start":
                    yield from trace.end()
                    trace = None
                if trace is None:
                    trace = _Trace(context, record)
                    yield Opened(trace.run)
                yield trace.take(record, kind)
        if trace is not None:
            yield from trace.end()


class _Trace:
    """One attempt."""

    def __init__(self, context: Context, first: Record) -> None:
        about = Fields(first.value)
        task, agent = about.text("task"), about.text("agent")
        run_id, attempt = about.text("run_id"), about.number("attempt")
        parts = (run_id, task, agent, about.text("arm"), f"{attempt:g}" if attempt else None)
        wanted = "/".join(part for part in parts if part) if run_id else None
        self.run = context.run("trace", None, wanted)
        self.run.calls = Calls(remembers=False)
        self.run.framework = "quickstarted"
        self.run.task_id = task
        self.run.started_at = _at(first.value)
        self._agent = agent or "agent"
        self._turn: str | None = None
        self._takers: dict[str, Callable[[str, Fields, EventFields], Event]] = {
            "agent_turn": self._turned,
            "tool_call": self._called,
            "tool_result": self._answered,
            "setup": self._command,
            "teardown": self._command,
            "run_end": self._ended,
            **dict.fromkeys(_DOCS_RESULTS, self._read),
        }

    def take(self, record: Record, kind: str) -> Event:
        fields = Fields(record.value)
        self.run.index = record.index
        given = fields.text("type") or ""
        at = _at(record.value)
        fields.drop("ts")
        made: EventFields = {"at": at, "metadata": {}}
        if given != kind:
            made["metadata"] = {"type_as_given": given}
        taker = self._takers.get(kind, self._simple)
        return taker(kind, fields, made)

    def end(self) -> Iterator[Piece]:
        self.run.finish()
        yield Closed(self.run)

    def _turned(self, _kind: str, fields: Fields, made: EventFields) -> Event:
        counts = {
            "input_tokens": fields.any("input_tokens"),
            "output_tokens": fields.any("output_tokens"),
            "cache_read_input_tokens": fields.any("cache_read_tokens"),
            "cache_write_input_tokens": fields.any("cache_write_tokens"),
        }
        made["metadata"] |= {
            "turn": fields.any("turn"),
            "model": fields.text("model"),
            "stop_reason": fields.text("stop_reason"),
            "cost_usd": fields.number("cost_usd"),
            **usage_metadata({key: count for key, count in counts.items() if count is not None}),
        }
        made |= {"agent": self._agent, "output": fields.text("text"), "duration_ms": _ms(fields)}
        made["native"] = fields.left
        event = self.run.event(EventType.LLM_RESPONSE, **made)
        self._turn = event["event_id"]
        return event

    def _called(self, _kind: str, fields: Fields, made: EventFields) -> Event:
        tool = fields.text("tool")
        call_id = _call_name(fields)
        refused = fields.text("refused")
        made |= {"agent": self._agent, "parent": self._turn, "error": refused}
        made["input"] = {
            key: fields.any(key) for key in ("command", "url", "path") if key in fields
        }
        made["native"] = fields.left
        event = self.run.call_event(tool, call_id, **made)
        if refused is not None or event["metadata"].get("native", {}).get("restart"):
            # Nothing will come back for it that could be taken for the result of another.
            self.run.calls.answer(call_id, tool)
        return event

    def _answered(self, _kind: str, fields: Fields, made: EventFields) -> Event:
        tool, call_id = fields.text("tool"), _call_name(fields)
        exit_code, timed_out = fields.any("exit_code"), fields.flag("timed_out")
        made["metadata"] |= {"exit_code": exit_code, "timed_out": timed_out}
        made |= {
            "output": fields.text("output"),
            "duration_ms": _ms(fields),
            "error": _command_error(exit_code, timed_out=timed_out is True),
        }
        made["native"] = fields.left
        return self.run.result_event(call_id, tool, **made)

    def _read(self, kind: str, fields: Fields, made: EventFields) -> Event:
        """What reading a page gave: the result of a call of `read_docs`."""
        url = fields.text("url")
        call_id = _call_name(fields)
        made["metadata"] |= {"kind": kind, "url": url}
        if kind == "docs_fetch":
            about = {
                key: fields.any(key)
                for key in ("content_hash", "truncated", "chars", "original_chars", "resolved_to")
                if key in fields
            }
            made["artifacts"] = [artifact(url or "", "file", None, about)] if url else []
        else:
            made["error"] = fields.text("reason", "error") or kind
        made["output"] = None
        made["native"] = fields.left
        if kind == "fetch_blocked" and self.run.calls.waiting("read_docs") is None:
            made["agent"] = "docs"
            return self.run.event(EventType.GUARDRAIL, **made)
        return self.run.result_event(call_id, "read_docs", **made)

    def _command(self, kind: str, fields: Fields, made: EventFields) -> Event:
        exit_code, timed_out = fields.any("exit_code"), fields.flag("timed_out")
        made["metadata"] |= {"exit_code": exit_code, "timed_out": timed_out, "tool": "bash"}
        made |= {
            "agent": "harness",
            "module": kind,
            "input": {"command": fields.text("command")},
            "output": fields.text("output"),
            "duration_ms": _ms(fields),
            "error": _command_error(exit_code, timed_out=timed_out is True),
        }
        made["native"] = fields.left
        return self.run.event(EventType.TOOL_RESULT, **made)

    def _simple(self, kind: str, fields: Fields, made: EventFields) -> Event:
        event_type, agent, module = _SIMPLE.get(kind, (_OBSERVED, "harness", kind))
        made |= {"agent": self._agent if agent == "agent" else agent, "module": module or None}
        made["duration_ms"] = _ms(fields)
        made["metadata"] |= {"kind": kind}
        if kind == "run_start":
            made["input"] = {key: fields.any(key) for key in _ABOUT if key in fields}
            self.run.metadata |= {"attempt": made["input"]}
        if kind == "success_check":
            passed = fields.flag("passed")
            self.run.metadata["success_check"] = {
                "passed": passed,
                "exit_code": fields.any("exit_code"),
            }
            made["metadata"] |= self.run.metadata["success_check"]
        if event_type in {EventType.ERROR, EventType.GUARDRAIL}:
            made["error"] = fields.text("reason", "error") or kind
        made["output"] = fields.text("output", "text")
        made["native"] = fields.left
        return self.run.event(event_type, **made)

    def _ended(self, _kind: str, fields: Fields, made: EventFields) -> Event:
        passed = fields.any("passed")
        verdict = {
            "passed": passed,
            "stop_reason": fields.text("stop_reason"),
            "classification": fields.text("classification"),
        }
        self.run.metadata["verdict"] = verdict
        self.run.ended_at = made["at"]
        made |= {"agent": "harness", "output": verdict, "duration_ms": _ms(fields)}
        made["native"] = fields.left
        return self.run.event(EventType.RUN_END, **made)


def _kind(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or not is_number(value.get("ts")):
        raise NotConvertible("is no event of a trace: it has no ts and type", "Take the line out.")
    return LATER_SPELLINGS.get(kind, kind)


def _at(value: dict[str, Any]) -> Stamp | None:
    """Traces count in seconds whatever the size: test clocks begin at 1,000."""
    ts = value["ts"]
    try:
        return Stamp(EPOCH + timedelta(seconds=ts))
    except OverflowError:
        return None


def _call_name(fields: Fields) -> str | None:
    """The name that joins a call with its result."""
    call_id = fields.text("call_id")
    if call_id is not None:
        return call_id
    scope = fields.number("scope")
    return None if scope is None else f"scope {scope:g}"


def _command_error(exit_code: Any, *, timed_out: bool) -> str | None:
    if timed_out:
        return "timed out"
    return None if exit_code in (0, None) else f"exit code {exit_code}"


def _ms(fields: Fields) -> float | None:
    seconds = fields.number("duration")
    return None if seconds is None else round(seconds * 1000, 3)
