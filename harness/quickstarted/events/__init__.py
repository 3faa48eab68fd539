"""
Every trace event once: the law for the reader, the writer, the published schema and the docs page.

Names and fields of the seed's events are fixed; a field that the seed does not have says what it
adds. Models ignore nothing: an unknown field of a newer trace is kept (`extra="allow"`), so that
reading and writing a trace loses no information.
"""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field, TypeAdapter

from quickstarted.events.agent import (
    AgentFinal,
    AgentTurn,
    ApiRetry,
    CommandResult,
    ToolCall,
    ToolResult,
    Usage,
)
from quickstarted.events.attempt import (
    Fault,
    LeftProcesses,
    RunEnd,
    RunStart,
    SandboxReady,
    SandboxRestarted,
    SandboxSaved,
    Service,
    Setup,
    SuccessCheck,
    Teardown,
)
from quickstarted.events.base import FROM_JSON, EventBase, UnknownEvent, plain
from quickstarted.events.docs import (
    Affordances,
    AffordanceWithheld,
    BlockReason,
    DocsChanged,
    DocsFetch,
    DocsRedirectFollowed,
    FetchBlocked,
    FetchError,
)
from quickstarted.events.egress import (
    Door,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    EgressEvent,
    EgressReason,
)

__all__ = [
    "EVENT_ADAPTER",
    "EVENT_TYPES",
    "FROM_JSON",
    "AffordanceWithheld",
    "Affordances",
    "AgentFinal",
    "AgentTurn",
    "ApiRetry",
    "BlockReason",
    "CommandResult",
    "DocsChanged",
    "DocsFetch",
    "DocsRedirectFollowed",
    "Door",
    "EgressAllowed",
    "EgressBlocked",
    "EgressError",
    "EgressEvent",
    "EgressReason",
    "Event",
    "EventBase",
    "Fault",
    "FetchBlocked",
    "FetchError",
    "LeftProcesses",
    "RunEnd",
    "RunStart",
    "SandboxReady",
    "SandboxRestarted",
    "SandboxSaved",
    "Service",
    "Setup",
    "SuccessCheck",
    "Teardown",
    "ToolCall",
    "ToolResult",
    "TraceEvent",
    "UnknownEvent",
    "Usage",
    "plain",
]

Event = Annotated[
    RunStart
    | SandboxReady
    | Setup
    | Service
    | AgentTurn
    | ToolCall
    | ToolResult
    | AgentFinal
    | ApiRetry
    | DocsFetch
    | DocsRedirectFollowed
    | DocsChanged
    | FetchBlocked
    | FetchError
    | AffordanceWithheld
    | Affordances
    | EgressAllowed
    | EgressBlocked
    | EgressError
    | LeftProcesses
    | SandboxRestarted
    | Fault
    | SuccessCheck
    | Teardown
    | SandboxSaved
    | RunEnd,
    Field(discriminator="type"),
]

EVENT_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event)

EVENT_TYPES: dict[str, type[EventBase]] = {
    model.model_fields["type"].default: model for model in get_args(get_args(Event)[0])
}
"""Each event's name and its model, in the order of the union."""

TraceEvent = Event | UnknownEvent
"""What a trace may hold when it is read."""
