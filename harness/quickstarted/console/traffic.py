"""Requests of one command, counted by host instead of listed one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from quickstarted.console.entries import Entry, Tone
from quickstarted.console.words import count, size
from quickstarted.events import EgressAllowed, EgressBlocked, EgressError, EventBase

EXPLAINED = {
    "docs_host_requires_read_docs": "documentation is for read_docs, not for the shell",
    "not_allowlisted": "not on the allowlist",
    "model_path": "no call of a model, so it is not passed on",
    "hosted_tool": "a call that would have the model's vendor read pages elsewhere",
    "path": "a path that is not open to the shell, see network.paths",
}


class Traffic:
    """What went over the network since it was last told."""

    def __init__(self) -> None:
        self._clear()

    def add(self, event: EventBase) -> bool:
        """Take *event* if it is one of the network's, and say whether it was."""
        match event:
            case EgressBlocked():
                detail = (event.detail or "").partition(":")[0]
                why = detail if detail in EXPLAINED else event.reason
                counts = self._blocked.setdefault((event.host, why), Counter())
                counts["lookup" if event.method == "DNS" else "request"] += 1
            case EgressError():
                self._errors[event.host, event.detail or event.error] += 1
            case EgressAllowed():
                self._requests[event.host] += 1
                self._bytes_in += event.bytes_in or 0
                self._from_cache += bool(event.from_cache)
            case _:
                return False
        return True

    def told(self, at_s: float | None) -> Iterator[Entry]:
        """
        Say it, and forget it.

        Args:
            at_s: Seconds since the run began; None when it belongs to the entry before.

        """
        if self._requests:
            hosts = ", ".join(f"{host} ({n})" for host, n in sorted(self._requests.items()))
            said = f"{count(self._requests.total(), 'request')}, {size(self._bytes_in)}"
            if self._from_cache:
                said += f", {self._from_cache} from the package cache"
            yield Entry(
                label="network", text=hosts, said=said, at_s=at_s, tone=Tone.QUIET, detail=True
            )
        for (host, why), counts in self._blocked.items():
            what = ", ".join(count(times, noun) for noun, times in sorted(counts.items()))
            said = f"{EXPLAINED.get(why, why)} ({what})"
            yield Entry(label="refused", text=host, said=said, at_s=at_s, tone=Tone.WARN)
        for (host, error), times in self._errors.items():
            said = f"{error} ({count(times, 'time')})"
            yield Entry(label="upstream", text=host, said=said, at_s=at_s, tone=Tone.WARN)
        self._clear()

    def _clear(self) -> None:
        self._requests: Counter[str] = Counter()
        self._blocked: dict[tuple[str, str], Counter[str]] = {}
        self._errors: Counter[tuple[str, str]] = Counter()
        self._bytes_in = 0
        self._from_cache = 0
