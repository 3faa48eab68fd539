"""Events of the agent at work, and what its tools and its model give back."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from quickstarted.events.base import EventBase


class AgentTurn(EventBase):
    """One call of a model."""

    type: Literal["agent_turn"] = "agent_turn"
    turn: int
    """Counts from 1."""
    stop_reason: str
    """As the vendor calls it; `unfinished` where the attempt ended during the call."""
    model: str
    """As the vendor reports it."""
    input_tokens: int = 0
    """Without those read from or written to the cache."""
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    duration: float | None = None
    """Seconds that the call took, earlier tries of it not counted."""
    cost_usd: float | None = None
    """Estimated; None: there is no price for the model."""
    text: str | None = None
    """What the model said beside its calls of tools."""


class ToolCall(EventBase):
    """The agent asked for a tool; written before the tool runs."""

    type: Literal["tool_call"] = "tool_call"
    tool: str
    command: str | None = None
    url: str | None = None
    path: str | None = None
    """The file that a tool of a program's own is about."""
    call_id: str | None = None
    scope: int | None = None
    """Number of the command; egress events that it caused carry the same number."""
    restart: bool = False
    """The agent asked for a new shell, and ran no command."""
    refused: str | None = None
    """Why the call was not carried out, e.g. that there is no tool of that name."""


class ToolResult(EventBase):
    """A shell command has ended."""

    type: Literal["tool_result"] = "tool_result"
    tool: str
    exit_code: int
    duration: float
    """Seconds."""
    timed_out: bool
    output: str
    """What the agent saw: head and tail where it was cut."""
    output_bytes: int | None = None
    """All that was printed, cut or not."""
    truncated: bool = False
    cwd: str | None = None
    note: str | None = None
    """What the harness has to say about the command, e.g. that memory ran out."""
    call_id: str | None = None
    scope: int | None = None


class AgentFinal(EventBase):
    """The agent's own account of what it did; recorded and never scored."""

    type: Literal["agent_final"] = "agent_final"
    text: str


class ApiRetry(EventBase):
    """A call of a model failed for a passing reason and is made again."""

    type: Literal["api_retry"] = "api_retry"
    turn: int
    attempt: int
    sleep: float
    """Seconds until the next try."""
    error: str
    status: int | None = None
    """HTTP status of the service's answer, where there was one."""
    input_tokens: int = 0
    """Tokens that the failed try used, counted like those of a turn."""
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    model: str | None = None
    """That the tokens are counted for: as reported last, else as it was asked for."""
    cost_usd: float | None = None
    """As in `agent_turn`; 0 where no tokens were reported."""


class CommandResult(BaseModel):
    """One shell command, as its caller sees it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    exit_code: int
    """124 when it ran out of its time, 128+N when signal N ended it."""
    output: str
    """Standard output and error in the order written; head and tail where cut."""
    output_bytes: int
    """All that was printed, in bytes, cut or not."""
    truncated: bool = False
    timed_out: bool = False
    duration: float
    """Seconds."""
    cwd: str = ""
    """Working directory after the command; empty when it is not known."""
    full_output_path: str | None = None
    """File on the host with the output up to the recording limit."""
    note: str = ""
    """What the harness adds, e.g. `killed: out of memory (limit 4g)`."""
    restarted: str = ""
    """Why the sandbox was restarted after the command; empty when it was not."""


class Usage(BaseModel):
    """Tokens of a model; no token is counted twice."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0

    @property
    def total(self) -> int:
        """All tokens together."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_write_tokens
            + self.cache_read_tokens
        )
