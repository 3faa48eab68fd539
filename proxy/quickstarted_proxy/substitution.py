"""
Finding texts in a stream of bytes and putting others in their place, across any cut of the stream.

Standard library only, shared with the harness. Bytes are held back only while they may be the
begin of what is looked for, so that a stream of events is not delayed.
"""

from __future__ import annotations

import re

from quickstarted_proxy.secrets_table import Pairs


class Replacer:
    """Replaces in whole texts; `stream` gives one for a text that comes in pieces."""

    def __init__(self, pairs: Pairs) -> None:
        self._table = dict(pairs)
        self._forms = sorted(self._table, key=len, reverse=True)
        self._any = re.compile(b"|".join(map(re.escape, self._forms))) if self._forms else None
        self.longest = len(self._forms[0]) if self._forms else 0

    def __bool__(self) -> bool:
        return bool(self._forms)

    def is_in(self, data: bytes) -> bool:
        """Whether *data* holds anything that is looked for."""
        return any(form in data for form in self._forms)

    def replaced(self, data: bytes) -> bytes:
        """Replace in *data*."""
        if self._any is None or not self.is_in(data):
            return data
        return self._any.sub(lambda match: self._table[match[0]], data)

    def text(self, text: str) -> str:
        """Replace in a text of any characters; lone surrogates survive."""
        return self.replaced(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def stream(self) -> StreamReplacer:
        """For one stream."""
        return StreamReplacer(self)

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Replace in *data* as far as what follows cannot matter; the rest is to be kept."""
        held = self._hold_from(data)
        if self._any is None or not self.is_in(data):
            return data[:held], data[held:]
        done, at = [], 0
        for match in self._any.finditer(data):
            if match.start() >= held:
                break
            done += [data[at : match.start()], self._table[match[0]]]
            at = match.end()
        held = max(held, at)
        done.append(data[at:held])
        return b"".join(done), data[held:]

    def is_begun(self, data: bytes) -> bool:
        """Whether *data* ends within a form of which it has a good part: half, or 12 bytes."""
        begun = len(data) - self._hold_from(data)
        return any(
            begun >= min(len(form) // 2, 12) and data.endswith(form[:begun])
            for form in self._forms
            if begun
        )

    def _hold_from(self, data: bytes) -> int:
        """Where the earliest form begins that *data* ends in the middle of."""
        earliest = len(data)
        for form in self._forms:
            at = data.find(form[:1], max(0, len(data) - len(form) + 1), earliest)
            while at >= 0:
                if form.startswith(data[at:]):
                    earliest = at
                    break
                at = data.find(form[:1], at + 1, earliest)
        return earliest


class StreamReplacer:
    """One stream; `end` is called when it is over."""

    def __init__(self, replacer: Replacer) -> None:
        self._replacer = replacer
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What can be passed on of the stream so far."""
        if not self._replacer:
            return data
        done, self._held = self._replacer.split(self._held + data)
        return done

    def end(self) -> bytes:
        """The rest."""
        rest, self._held = self._held, b""
        return self._replacer.replaced(rest)


class StreamFinder:
    """Looks for texts in a stream and changes nothing."""

    def __init__(self, replacer: Replacer) -> None:
        self._replacer = replacer
        self._tail = b""

    def feed(self, data: bytes) -> bool:
        """Whether something is in the stream that was not before."""
        whole = self._tail + data
        self._tail = whole[-(self._replacer.longest - 1) :] if self._replacer else b""
        return self._replacer.is_in(whole)
