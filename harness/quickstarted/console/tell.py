"""What each event says by itself; commands and traffic, which need others, are in `narrate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import singledispatch
from typing import NamedTuple, Protocol

from quickstarted import events as ev
from quickstarted.condition import DOCS
from quickstarted.console.entries import Entry, Tone
from quickstarted.console.money import usd
from quickstarted.console.words import LABELS, UNENFORCED, count, exit_said, seconds, size
from quickstarted.verdict import Classification


class Cut(Protocol):
    """Chooses the lines of an output that are shown."""

    def __call__(self, output: str, *, failed: bool) -> tuple[str, ...]:
        """Visible lines."""
        ...


class Scene(NamedTuple):
    """Where in the run an event stands."""

    at_s: float
    """Seconds since the run began."""
    cut: Cut
    redirected: str = ""
    """The page whose redirect was told just before."""


@singledispatch
def tell(event: ev.EventBase, scene: Scene) -> Sequence[Entry]:
    """
    Say what *event* means.

    Args:
        event: An event of any type; one that has nothing to say gives nothing, one that is not
            known shows all of its fields to those who want everything.
        scene: Where it stands.

    """
    fields = json.dumps(event.model_dump(mode="json", exclude={"ts", "type"}))
    name = str(getattr(event, "type", ""))
    return [Entry(label=name, text=fields, at_s=scene.at_s, tone=Tone.QUIET, detail=True)]


@tell.register
def _(event: ev.RunStart, scene: Scene) -> Sequence[Entry]:
    enforced = "enforced" if event.enforced else UNENFORCED.upper()
    tone = Tone.PLAIN if event.enforced else Tone.WARN
    arm = "" if event.arm == DOCS else f", arm {event.arm}"
    affordances = f"affordances {event.affordance_policy}{arm}"
    agent = event.agent if event.model in (None, "") else f"{event.agent} ({event.model})"
    return [
        Entry(label="run", text=f"{event.task} by {agent}", at_s=scene.at_s, tone=Tone.TITLE),
        Entry(
            label="",
            text=f"attempt {event.attempt}, {affordances}, {event.backend}",
            said=enforced,
            tone=tone,
        ),
    ]


@tell.register
def _(event: ev.SandboxReady, scene: Scene) -> Sequence[Entry]:
    identity = event.image_digest or event.image_id
    short = identity.rpartition(":")[2][:12]
    instead = f"stand-in {event.stand_in}, " if event.stand_in else ""
    image = f"{event.image} ({instead}{short}, {event.architecture})"
    about = f"{identity}, engine {event.engine_version or 'unknown'}"
    return [
        Entry(
            label="sandbox",
            text=image,
            said=f"ready in {seconds(event.duration)}",
            at_s=scene.at_s,
        ),
        Entry(label="", text=about, tone=Tone.QUIET, detail=True),
        *(Entry(label="note", text=note, tone=Tone.WARN) for note in event.notes),
        *(
            Entry(label="", text=f"limit {name}: {value}", tone=Tone.QUIET, detail=True)
            for name, value in event.limits.items()
        ),
    ]


@tell.register
def _(event: ev.Setup, scene: Scene) -> Sequence[Entry]:
    return [_ran("setup", event, scene)]


@tell.register
def _(event: ev.Teardown, scene: Scene) -> Sequence[Entry]:
    return [_ran("teardown", event, scene)]


def _ran(label: str, event: ev.Setup | ev.Teardown, scene: Scene) -> Entry:
    failed = event.exit_code != 0
    timed_out = isinstance(event, ev.Setup) and event.timed_out
    return Entry(
        label=label,
        text=event.command,
        said=exit_said(event.exit_code, timed_out=timed_out),
        at_s=scene.at_s,
        tone=Tone.BAD if failed else Tone.GOOD,
        output=scene.cut(event.output, failed=failed),
    )


@tell.register
def _(event: ev.Service, scene: Scene) -> Sequence[Entry]:
    ended = event.state == "exited"
    return [
        Entry(
            label="service",
            text=event.command,
            said=f"ended, exit {event.exit_code}" if ended else "started",
            at_s=scene.at_s,
            tone=Tone.BAD if ended else Tone.PLAIN,
            output=scene.cut(event.output, failed=ended),
        )
    ]


@tell.register
def _(event: ev.AgentTurn, scene: Scene) -> Sequence[Entry]:
    read = event.input_tokens + event.cache_read_tokens + event.cache_write_tokens
    cost = "" if event.cost_usd is None else f", {usd(event.cost_usd)}"
    said = f"{read:,} tokens in, {event.output_tokens:,} out{cost}, {event.stop_reason}"
    entry = Entry(
        label="turn",
        text=f"{event.turn} {event.model}",
        said=said,
        at_s=scene.at_s,
        tone=Tone.QUIET,
        output=scene.cut(event.text or "", failed=False),
        detail=True,
    )
    return [entry]


@tell.register
def _(event: ev.ToolCall, scene: Scene) -> Sequence[Entry]:
    """A command is told with its result; here is what has none."""
    if event.refused is not None:
        said = f"not carried out: {event.refused}"
        return [Entry(label="tool", text=event.tool, said=said, at_s=scene.at_s, tone=Tone.WARN)]
    if event.restart:
        return [Entry(label="$", text="(a new shell)", at_s=scene.at_s, tone=Tone.QUIET)]
    return []


@tell.register
def _(event: ev.AgentFinal, scene: Scene) -> Sequence[Entry]:
    lines = scene.cut(event.text, failed=True)
    return [Entry(label="agent", text="says at the end:", at_s=scene.at_s, output=lines)]


@tell.register
def _(event: ev.ApiRetry, scene: Scene) -> Sequence[Entry]:
    said = f"try {event.attempt} failed, again in {seconds(event.sleep)}"
    return [Entry(label="retry", text=event.error, said=said, at_s=scene.at_s, tone=Tone.WARN)]


@tell.register
def _(event: ev.DocsFetch, scene: Scene) -> Sequence[Entry]:
    said = count(event.chars, "char")
    if event.truncated:
        said = f"{event.chars:,} of {count(event.original_chars, 'char')}"
    if event.page > 1:
        said += f", page {event.page} of {event.pages}"
    if event.content_type == "text/markdown" and event.source is None:
        said += ", as Markdown"
    if event.from_cache:
        said += ", from the cache"
    said_tone = Tone.WARN if event.truncated else Tone.GOOD
    entries = [Entry(label="read", text=event.url, said=said, at_s=scene.at_s, tone=said_tone)]
    if event.url not in (event.resolved_to, scene.redirected):
        entries.append(Entry(label="at", text=event.resolved_to, tone=Tone.QUIET))
    if event.source:
        entries.append(Entry(label="from", text=event.source, tone=Tone.QUIET, detail=True))
    return entries


@tell.register
def _(event: ev.DocsRedirectFollowed, scene: Scene) -> Sequence[Entry]:
    return [
        Entry(label="redirect", text=event.requested, at_s=scene.at_s),
        Entry(label="to", text=event.resolved_to),
    ]


@tell.register
def _(event: ev.DocsChanged, scene: Scene) -> Sequence[Entry]:
    said = "differs from the cached page"
    return [Entry(label="changed", text=event.url, said=said, at_s=scene.at_s, tone=Tone.WARN)]


@tell.register
def _(event: ev.FetchBlocked, scene: Scene) -> Sequence[Entry]:
    said = f"{event.reason}: {event.detail}" if event.detail else event.reason
    return [Entry(label="refused", text=event.url, said=said, at_s=scene.at_s, tone=Tone.WARN)]


@tell.register
def _(event: ev.FetchError, scene: Scene) -> Sequence[Entry]:
    return [Entry(label="unread", text=event.url, said=event.error, at_s=scene.at_s, tone=Tone.BAD)]


@tell.register
def _(event: ev.AffordanceWithheld, scene: Scene) -> Sequence[Entry]:
    said = "withheld (affordances none)"
    return [Entry(label="refused", text=event.url, said=said, at_s=scene.at_s, tone=Tone.QUIET)]


@tell.register
def _(event: ev.Affordances, scene: Scene) -> Sequence[Entry]:
    found = [name for name, what in event.found.items() if _is_present(what)]
    said = ", ".join(found) or "none"
    return [
        Entry(label="found", text=f"for agents at {event.entrypoint}:", said=said, at_s=scene.at_s),
        *(
            Entry(label="", text=name, said=_finding(what), tone=Tone.QUIET, detail=True)
            for name, what in event.found.items()
        ),
    ]


def _is_present(what: object) -> bool:
    return bool(what.get("present")) if isinstance(what, dict) else bool(what)


def _finding(what: object) -> str:
    """`3.4 kB`, `absent: HTTP 404`."""
    number = what.get("bytes") if isinstance(what, dict) else None
    note = str(what.get("note") or "") if isinstance(what, dict) else ""
    if not _is_present(what):
        return f"absent: {note}" if note else "absent"
    return ", ".join(part for part in (size(number) if number else "present", note) if part)


@tell.register
def _(event: ev.LeftProcesses, scene: Scene) -> Sequence[Entry]:
    text = ", ".join(event.processes) or event.detail or ""
    said = event.action
    return [Entry(label="left", text=text, said=said, at_s=scene.at_s, tone=Tone.QUIET)]


@tell.register
def _(event: ev.SandboxRestarted, scene: Scene) -> Sequence[Entry]:
    return [Entry(label="restart", text=event.reason, at_s=scene.at_s, tone=Tone.WARN)]


@tell.register
def _(event: ev.Fault, scene: Scene) -> Sequence[Entry]:
    fault = Entry(
        label="fault", text=f"{event.component}: {event.error}", at_s=scene.at_s, tone=Tone.BAD
    )
    return [fault, Entry(label="", text=event.hint)] if event.hint else [fault]


@tell.register
def _(event: ev.SuccessCheck, scene: Scene) -> Sequence[Entry]:
    ended = exit_said(event.exit_code, timed_out=event.timed_out)
    took = "" if event.duration is None else f" ({seconds(event.duration)})"
    return [
        Entry(
            label="check",
            text="passed" if event.passed else "failed",
            said=f"{ended}{took}",
            at_s=scene.at_s,
            tone=Tone.GOOD if event.passed else Tone.BAD,
            output=scene.cut(event.output, failed=not event.passed),
        )
    ]


@tell.register
def _(event: ev.SandboxSaved, scene: Scene) -> Sequence[Entry]:
    return [Entry(label="kept", text=event.image, said="for `check --sandbox`", at_s=scene.at_s)]


@tell.register
def _(event: ev.RunEnd, scene: Scene) -> Sequence[Entry]:
    return [
        Entry(
            label="end",
            text=f"stopped as {event.stop_reason}",
            said=LABELS[event.classification],
            at_s=scene.at_s,
            tone=Tone.GOOD if event.classification is Classification.PASSED else Tone.BAD,
        )
    ]
