"""
Every trace event once: the law for the reader, the writer, the published schema and the docs page.

Names and fields of the seed's events are fixed; a field that the seed does not have says what it
adds. Models ignore nothing: an unknown field of a newer trace is kept (`extra="allow"`), so that
reading and writing a trace loses no information.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationInfo, model_validator

from quickstarted.verdict import Classification, StopReason

EgressReason = Literal[
    "docs_host_requires_read_docs", "not_allowlisted", "explicit_network_override"
]
BlockReason = Literal[
    "not_allowlisted", "robots_disallowed", "offline_cache_miss", "private_address", "scheme"
]
Door = Literal["explicit", "http", "https", "dns"]
"""How a request came to the sidecar: explicit proxy, transparent port 80 or 443, name lookup."""


def plain(value: Any) -> Any:
    r"""
    Turn *value* into what JSON of every reader can hold.

    Lone surrogates (file names and output that were not UTF-8) become their `\udcff` spelling,
    numbers that are not finite become text, bytes are decoded, other objects become their `str`.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE or (kind is str and value.isascii()):
        return value
    if kind is float and math.isfinite(value):
        return value
    if isinstance(value, dict):
        return {_text(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return _text(value)


_AS_THEY_ARE = frozenset({int, bool, type(None)})

FROM_JSON = object()
"""Validation context of a reader that vouches for it: the value is JSON without lone surrogates."""


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    text = value if type(value) is str else str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


class EventBase(BaseModel):
    """What all events have."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)

    ts: float
    """Epoch seconds on the harness's clock."""

    @model_validator(mode="before")
    @classmethod
    def _hold_only_json(cls, data: Any, info: ValidationInfo) -> Any:
        """An event that exists can be written, and is read back as it was."""
        if info.context is FROM_JSON or not isinstance(data, dict):
            return data
        return plain(data)


class RunStart(EventBase):
    """The first line."""

    type: Literal["run_start"] = "run_start"
    task: str
    agent: str
    backend: str
    enforced: bool
    """Whether the allowlist was enforced from outside the sandbox."""
    attempt: int
    """Counts from 1."""
    affordance_policy: str
    run_id: str | None = None
    model: str | None = None
    image: str | None = None
    """The image as it was asked for."""
    harness_version: str | None = None
    prompt_hash: str | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    """Of the task; travels into the results untouched."""


class SandboxReady(EventBase):
    """Sandbox and sidecar are up and the policy is in force."""

    type: Literal["sandbox_ready"] = "sandbox_ready"
    image: str
    image_id: str
    image_digest: str | None
    architecture: str
    sidecar_image_id: str | None = None
    engine_version: str | None = None
    user: str = ""
    shell: str = ""
    duration: float
    """Seconds from nothing to ready."""
    limits: dict[str, Any] = Field(default_factory=dict)
    """Limits in force; a limit that the engine cannot enforce is named with the reason."""


class Setup(EventBase):
    """One setup command of the task has run."""

    type: Literal["setup"] = "setup"
    command: str
    exit_code: int
    output: str
    duration: float | None = None
    timed_out: bool = False


class Service(EventBase):
    """A service of the task was started or has ended."""

    type: Literal["service"] = "service"
    command: str
    state: Literal["started", "exited"]
    exit_code: int | None = None
    output: str = ""
    """The end of its log, when it has ended."""


class RunEnd(EventBase):
    """The last line."""

    type: Literal["run_end"] = "run_end"
    stop_reason: StopReason
    passed: bool | None
    """None when no check ran."""
    classification: Classification
    duration: float | None = None
    """Seconds from `run_start`, waiting included."""
    waited: float | None = None
    """Seconds spent on throttles and rate limits, which no budget counts."""


class AgentTurn(EventBase):
    """One call of a model."""

    type: Literal["agent_turn"] = "agent_turn"
    turn: int
    stop_reason: str
    model: str
    input_tokens: int = 0
    """Without those read from or written to the cache."""
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0


class ToolCall(EventBase):
    """The agent asked for a tool; written before the tool runs."""

    type: Literal["tool_call"] = "tool_call"
    tool: str
    command: str | None = None
    url: str | None = None
    call_id: str | None = None
    scope: int | None = None
    """Number of the command; egress events that it caused carry the same number."""


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


class DocsFetch(EventBase):
    """A page was read."""

    type: Literal["docs_fetch"] = "docs_fetch"
    url: str
    chars: int
    original_chars: int
    truncated: bool
    from_cache: bool
    content_hash: str
    """`sha256:` and the digest of the bytes that the server sent."""
    resolved_to: str
    """Where the page was in the end; equal to `url` when nothing redirected."""
    status: int | None = None
    source: str | None = None
    """The local file or preview URL that stood in for the page (`docs.sites`)."""
    call_id: str | None = None


class DocsRedirectFollowed(EventBase):
    """The page's only content was a same-host meta refresh, and the real page was fetched."""

    type: Literal["docs_redirect_followed"] = "docs_redirect_followed"
    requested: str
    resolved_to: str


class DocsChanged(EventBase):
    """`--refresh` saw other bytes than the cache had."""

    type: Literal["docs_changed"] = "docs_changed"
    url: str
    content_hash: str


class FetchBlocked(EventBase):
    """A page was not fetched, because the task or the site does not allow it."""

    type: Literal["fetch_blocked"] = "fetch_blocked"
    url: str
    reason: BlockReason
    detail: str | None = None
    requested: str | None = None
    """The URL the agent asked for, where a redirect led to the blocked one."""
    call_id: str | None = None


class FetchError(EventBase):
    """The fetch itself failed."""

    type: Literal["fetch_error"] = "fetch_error"
    url: str
    error: str
    status: int | None = None
    call_id: str | None = None


class AffordanceWithheld(EventBase):
    """An affordance for agents was not served (`--affordances none`)."""

    type: Literal["affordance_withheld"] = "affordance_withheld"
    url: str


class Affordances(EventBase):
    """What `--probe-affordances` found."""

    type: Literal["affordances"] = "affordances"
    entrypoint: str
    found: dict[str, Any]
    """Name to url, present, status, bytes, note."""


class EgressAllowed(EventBase):
    """The proxy passed a request; `ts` is the moment of the decision."""

    type: Literal["egress_allowed"] = "egress_allowed"
    host: str
    port: int
    method: str
    path: str
    reason: Literal["explicit_network_override"] | None = None
    status: int | None = None
    """Of the upstream's answer; None when there was none yet as the record ended."""
    bytes_in: int | None = None
    """Body bytes from upstream to sandbox."""
    bytes_out: int | None = None
    """Body bytes from sandbox to upstream."""
    duration: float | None = None
    """Seconds from decision to the end of the answer."""
    via: Door | None = None
    detail: str | None = None
    scope: int | None = None
    seq: int | None = None


class EgressBlocked(EventBase):
    """The proxy refused a request or a name lookup."""

    type: Literal["egress_blocked"] = "egress_blocked"
    host: str
    reason: Literal["docs_host_requires_read_docs", "not_allowlisted"]
    method: str
    """`DNS` for a name lookup."""
    port: int | None = None
    path: str | None = None
    detail: str | None = None
    """The specific cause: `port`, `ip_literal`, `sni_mismatch`, ..."""
    via: Door | None = None
    scope: int | None = None
    seq: int | None = None


class EgressError(EventBase):
    """The policy allowed a request, and the connection failed."""

    type: Literal["egress_error"] = "egress_error"
    host: str
    error: str
    method: str
    port: int | None = None
    path: str | None = None
    detail: str | None = None
    """`dns_failure`, `connect_failed`, `upstream_tls`, `client_rejected_ca`, ..."""
    via: Door | None = None
    scope: int | None = None
    seq: int | None = None


class LeftProcesses(EventBase):
    """The agent left processes behind as it stopped."""

    type: Literal["left_processes"] = "left_processes"
    processes: list[str]
    """Command lines."""
    action: Literal["reaped", "kept"]
    """Reaped by a restart of the sandbox before the check, or kept (`success.leftovers: keep`)."""
    detail: str | None = None


class SandboxRestarted(EventBase):
    """The harness restarted the sandbox while the agent was at work."""

    type: Literal["sandbox_restarted"] = "sandbox_restarted"
    reason: str


class Fault(EventBase):
    """A component failed and the attempt gives no evidence."""

    type: Literal["fault"] = "fault"
    component: str
    error: str
    hint: str = ""


class SuccessCheck(EventBase):
    """The only event that determines the verdict."""

    type: Literal["success_check"] = "success_check"
    exit_code: int
    passed: bool
    output: str
    duration: float | None = None
    timed_out: bool = False


class Teardown(EventBase):
    """One teardown command of the task has run; never part of the verdict."""

    type: Literal["teardown"] = "teardown"
    command: str
    exit_code: int
    output: str


class SandboxSaved(EventBase):
    """`--keep-sandbox` kept the sandbox as an image."""

    type: Literal["sandbox_saved"] = "sandbox_saved"
    image: str
    expires: float
    """Epoch seconds after which `quickstarted gc` removes it."""


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


class UnknownEvent(EventBase):
    """An event of a newer version: its fields are kept as they are."""

    type: str


TraceEvent = Event | UnknownEvent
"""What a trace may hold when it is read."""

EgressEvent = EgressAllowed | EgressBlocked | EgressError


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
