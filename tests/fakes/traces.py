"""Traces of attempts that never were: written to a file, and made up by hypothesis."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from fakes import attempts
from quickstarted.events import (
    EVENT_TYPES,
    AffordanceWithheld,
    AgentFinal,
    ApiRetry,
    Fault,
    FetchBlocked,
    FetchError,
    Setup,
    ToolCall,
    TraceEvent,
    UnknownEvent,
)
from quickstarted.trace import encode
from quickstarted.trace.reader import LATER_SPELLINGS

T0 = 1_795_968_000.25
"""When imagined attempts begin, in epoch seconds."""

TEXTS = st.text(max_size=30) | st.sampled_from(
    ["", "\x1b[31mred\x07", "line\nline\u2028\x7f", "\U0001f600 \u202e", "\udcff", '"\\', "\x00"]
)
COUNTS = st.integers(0, 2**40)
DURATIONS = st.none() | st.floats(0, 1e6)
IDS = st.none() | st.sampled_from(["c1", "c2", "toolu_x", ""])
SCOPES = st.none() | st.integers(0, 4)
HOSTS = st.sampled_from(["pypi.org", "xn--bcher-kva.example", "::1", "a b", "docs.example"])
URLS = st.sampled_from(["https://docs.example/a", "http://x/?q=1", "file:///etc/passwd", ""])
DEEP = st.recursive(st.none() | st.integers() | TEXTS, lambda inner: st.lists(inner, max_size=3))
TOKENS = dict.fromkeys(
    ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens"), COUNTS
)


def written(folder: Path, events: Iterable[TraceEvent]) -> Path:
    """A trace of *events*, in a folder of its own."""
    path = folder / "trace.jsonl"
    path.write_bytes(b"".join(map(encode, events)))
    return path


def _is_unknown(name: str) -> bool:
    """Whether no event has it: hypothesis tries words that it finds in the program too."""
    return bool(name) and name not in EVENT_TYPES and name not in LATER_SPELLINGS


def _built(make: Any, **fields: Any) -> st.SearchStrategy[Any]:
    """A function of a time: what is drawn is known, and when it happened is not."""
    return st.fixed_dictionaries(fields).map(lambda drawn: lambda ts: make(ts=ts, **drawn))


_TURNS = _built(
    attempts.agent_turn,
    turn=st.integers(1, 99),
    stop_reason=st.sampled_from(["tool_use", "end_turn", "max_tokens", "unfinished"]),
    model=TEXTS,
    text=st.none() | TEXTS,
    duration=DURATIONS,
    cost_usd=st.none() | st.floats(0, 10),
    **TOKENS,
)
_CALLS = _built(
    ToolCall,
    tool=st.sampled_from(["bash", "read_docs", "Edit"]),
    command=st.none() | TEXTS,
    url=st.none() | URLS,
    path=st.none() | TEXTS,
    call_id=IDS,
    scope=SCOPES,
    restart=st.booleans(),
    refused=st.none() | st.just("there is no such tool"),
)
_COMMANDS = _built(ToolCall, tool=st.just("bash"), command=TEXTS, call_id=IDS, scope=SCOPES)
_READS = _built(ToolCall, tool=st.just("read_docs"), url=URLS, call_id=IDS)
_RESULTS = _built(
    attempts.tool_result,
    exit_code=st.integers(0, 255),
    duration=st.floats(0, 1e4),
    timed_out=st.booleans(),
    output=TEXTS,
    call_id=IDS,
    scope=SCOPES,
)
_PAGES = _built(attempts.docs_fetch, url=URLS, call_id=IDS, truncated=st.booleans())
_STOPPED = st.one_of(
    _built(FetchBlocked, url=URLS, reason=st.just("not_allowlisted"), call_id=IDS),
    _built(FetchError, url=URLS, error=TEXTS, call_id=IDS),
    _built(AffordanceWithheld, url=URLS, call_id=IDS),
)
_EGRESS = st.one_of(
    _built(
        attempts.egress_allowed,
        host=HOSTS,
        port=st.sampled_from([80, 443, 8443]),
        method=st.sampled_from(["GET", "CONNECT", "BREW"]),
        path=st.sampled_from(["/", "/a?b=1&c", "x y", "/\u00e9"]),
        status=st.none() | st.integers(100, 599),
        bytes_in=st.none() | COUNTS,
        duration=DURATIONS,
        scope=SCOPES,
    ),
    _built(
        attempts.egress_blocked,
        host=HOSTS,
        method=st.sampled_from(["DNS", "GET"]),
        port=st.none() | st.just(443),
        scope=SCOPES,
    ),
    _built(attempts.egress_error, host=HOSTS, error=TEXTS, scope=SCOPES),
)
_OTHERS = st.one_of(
    _built(Setup, command=TEXTS, exit_code=st.integers(0, 3), output=TEXTS, duration=DURATIONS),
    _built(Fault, component=st.just("sandbox"), error=TEXTS),
    _built(
        ApiRetry, turn=st.just(1), attempt=st.just(1), sleep=st.just(0.5), error=TEXTS, **TOKENS
    ),
    _built(AgentFinal, text=TEXTS),
    _built(UnknownEvent, type=TEXTS.filter(_is_unknown), event=DEEP, output=DEEP, agent=DEEP),
)
_MIDDLES = st.lists(
    st.one_of(
        _TURNS, _CALLS, _COMMANDS, _READS, _RESULTS, _RESULTS, _PAGES, _STOPPED, _EGRESS, _OTHERS
    ),
    max_size=25,
)
_ENDS = st.sampled_from(["passed", "docs_gap", "infra_error", "cut"])


@st.composite
def traces(draw: st.DrawFn) -> list[TraceEvent]:
    """The events of an attempt in order: whole, or as a killed one leaves them."""
    start = attempts.run_start(
        T0,
        agent=draw(st.sampled_from(["claude", "codex:x", "replay", "exec:./agent"])),
        run_id=draw(st.none() | st.just("r-1")),
        model=draw(st.none() | st.just("model-a")),
        metadata={"deep": draw(DEEP)},
    )
    middle = [make(T0 + 1 + at / 7) for at, make in enumerate(draw(_MIDDLES))]
    end = draw(_ENDS)
    if end == "cut":
        return [start, *middle]
    passed = {"passed": True, "docs_gap": False}.get(end)
    check = [] if passed is None else [attempts.success_check(int(not passed), T0 + 98)]
    ended = attempts.run_end(T0 + 99, classification=end, passed=passed)
    return [start, *middle, *check, ended]
