"""Events of an imagined attempt, with every field that a test does not care about filled in."""

from __future__ import annotations

from typing import Any

from quickstarted.events import (
    AgentTurn,
    DocsFetch,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    RunEnd,
    RunStart,
    SuccessCheck,
    ToolCall,
    ToolResult,
)
from quickstarted.results import RunResult, summarise

T0 = 1_000.0


def run_start(ts: float = T0, **fields: Any) -> RunStart:
    """The first line."""
    known = {
        "task": "flask",
        "agent": "replay",
        "backend": "docker",
        "enforced": True,
        "attempt": 1,
        "affordance_policy": "all",
    }
    return RunStart(ts=ts, **(known | fields))


def run_end(ts: float = T0 + 10, **fields: Any) -> RunEnd:
    """The last line."""
    known = {"stop_reason": "completed", "passed": True, "classification": "passed"}
    return RunEnd(ts=ts, **(known | fields))


def docs_fetch(url: str = "https://docs.example/", ts: float = T0 + 1, **fields: Any) -> DocsFetch:
    """A page that was read."""
    known = {
        "url": url,
        "chars": 100,
        "original_chars": 100,
        "truncated": False,
        "from_cache": False,
        "content_hash": "sha256:00",
        "resolved_to": url,
    }
    return DocsFetch(ts=ts, **(known | fields))


def tool_call(command: str | None = "true", ts: float = T0 + 2, **fields: Any) -> ToolCall:
    """A command that is about to run."""
    return ToolCall(ts=ts, **({"tool": "bash", "command": command} | fields))


def tool_result(exit_code: int = 0, ts: float = T0 + 3, **fields: Any) -> ToolResult:
    """A command that has ended."""
    known = {"tool": "bash", "duration": 1.0, "timed_out": False, "output": ""}
    return ToolResult(ts=ts, exit_code=exit_code, **(known | fields))


def egress_allowed(host: str = "pypi.org", ts: float = T0 + 2.5, **fields: Any) -> EgressAllowed:
    """A request that went through."""
    known = {"port": 443, "method": "GET", "path": "/", "status": 200}
    return EgressAllowed(ts=ts, host=host, **(known | fields))


def egress_blocked(host: str, ts: float = T0 + 2.5, **fields: Any) -> EgressBlocked:
    """A request that was refused."""
    known = {"reason": "not_allowlisted", "method": "CONNECT"}
    return EgressBlocked(ts=ts, host=host, **(known | fields))


def egress_error(host: str = "pypi.org", ts: float = T0 + 2.5, **fields: Any) -> EgressError:
    """A request that the policy allowed and the upstream failed."""
    known = {"error": "no answer", "method": "GET", "detail": "connect_failed"}
    return EgressError(ts=ts, host=host, **(known | fields))


def success_check(exit_code: int = 0, ts: float = T0 + 9, **fields: Any) -> SuccessCheck:
    """What the check said."""
    known = {"passed": exit_code == 0, "output": ""}
    return SuccessCheck(ts=ts, exit_code=exit_code, **(known | fields))


def agent_turn(turn: int = 1, ts: float = T0 + 1, **fields: Any) -> AgentTurn:
    """One call of a model."""
    known = {"stop_reason": "tool_use", "model": "model-a", "input_tokens": 10, "output_tokens": 5}
    return AgentTurn(ts=ts, turn=turn, **(known | fields))


def result(classification: str = "passed", **fields: Any) -> RunResult:
    """What an attempt amounts to that did nothing."""
    passed = {"passed": True, "docs_gap": False}.get(classification)
    made = summarise([run_start(), run_end(classification=classification, passed=passed)])
    return made.model_copy(update=fields)
