"""
Reads the index pages and lists that pass, behind the answer's back, for the digests of files.

A page is held until its end and what it says until the process ends; a list is written down as it
passes, and so is what it says, for other sidecars too. Who can teach is who can serve the file: a
list speaks of its own host's files by its own scheme, a page of the files that its rule names and
over TLS only. So a false digest costs a transfer more, until the next list, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO
from urllib.parse import unquote_to_bytes

from quickstarted_proxy import debian_lists
from quickstarted_proxy.budgets import Meter
from quickstarted_proxy.control import HTTPS_PORT
from quickstarted_proxy.hash_tables import HashTables
from quickstarted_proxy.immutable import Address, Digest, ImmutableRule, address_of
from quickstarted_proxy.index_hashes import DEBIAN, MAX_BODY_BYTES, IndexRule, hashes_in
from quickstarted_proxy.package_writing import Writing, digests_of

MAX_HASHES = 20_000
"""Remembered at once; when more have come, the oldest go."""
_READING = "quickstarted_index"
"""In a flow's metadata: the `Reading` of its answer."""


class Reading:
    """The stream function of an index page: its meter's, and the page is held until its end."""

    def __init__(self, meter: Meter, rule: IndexRule, encoding: str) -> None:
        self._meter = meter
        self.rule = rule
        self.encoding = encoding
        self.body: bytearray | None = bytearray()
        """None once it is known to be too large."""

    def __call__(self, data: bytes) -> bytes | list[bytes]:
        """Take a piece, or the empty one at the end."""
        return data if self.passes(data) else []

    def passes(self, data: bytes | memoryview) -> bool:
        """Take a piece; whether it may pass."""
        if not self._meter.passes(data):
            return False
        if self.body is not None:
            self.body += data
            if len(self.body) > MAX_BODY_BYTES:
                self.body = None
        return True


class Learning:
    """The digests that index pages and lists have named; its methods may run in any thread."""

    def __init__(self, rules: Sequence[IndexRule], tables: HashTables) -> None:
        self._pages = [rule for rule in rules if rule.kind != DEBIAN]
        self._lists = [
            ImmutableRule(host=rule.host, patterns=rule.patterns)
            for rule in rules
            if rule.kind == DEBIAN
        ]
        self._tables = tables
        self._hashes: dict[str, Digest] = {}

    def known(self, address: Address) -> Digest | None:
        """What the address itself, an index page or a list says of a file."""
        found = address.digest or self._hashes.get(address.url)
        if found is None and any(rule.host == address.host for rule in self._lists):
            sha256 = self._tables.sha256_of(address.site, unquote_to_bytes(address.path))
            found = Digest("sha256", sha256) if sha256 else None
        return found

    def unread_list(self, flow: Any, where: tuple[str, int]) -> Address | None:
        """The address of a list whose head has come, unless that list was read before."""
        if not _is_whole(flow):
            return None
        address = address_of(self._lists, flow.request.scheme, where, flow.request.data.path)
        return address if address is not None and not self._has_read(address) else None

    def begin(self, flow: Any, where: tuple[str, int]) -> None:
        """Hold an answer if it is an index page; comes after its stream function is set."""
        request, response = flow.request, flow.response
        if not _is_whole(flow) or request.scheme != "https" or where[1] != HTTPS_PORT:
            return
        rule = next((one for one in self._pages if one.is_for(where[0], request.data.path)), None)
        if rule is not None:
            encoding = response.headers.get("content-encoding", "").strip().lower()
            flow.metadata[_READING] = response.stream = Reading(response.stream, rule, encoding)

    @staticmethod
    def ended(flow: Any) -> Reading | None:
        """The page of an answer that has ended, if there is one to be read."""
        reading: Reading | None = flow.metadata.pop(_READING, None)
        return reading if reading is not None and reading.body is not None else None

    def read_page(self, reading: Reading) -> dict[str, Digest]:
        """Learn what a page says; digests by URL."""
        found = hashes_in(reading.rule, bytes(reading.body or b""), reading.encoding)
        self._hashes.update(found)
        while len(self._hashes) > MAX_HASHES:
            del self._hashes[next(iter(self._hashes))]
        return found

    def _has_read(self, address: Address) -> bool:
        """Whether a list, going by its name, has been read before; it counts as seen now."""
        path = unquote_to_bytes(address.path)
        said = debian_lists.name_says(path)
        if said is None or said.algorithm != "sha256":
            return False
        return self._tables.has(address.site, _name(path, said.value))

    def read_list(self, writing: Writing) -> None:
        """
        Learn what a list says that has come whole, and remove it.

        One that is broken, or not what its name says, teaches nothing. One that has been read
        before is not read again.

        Raises:
            OSError: What it says cannot be written.

        """
        path, site = unquote_to_bytes(writing.address.path), writing.address.site
        try:
            with writing.path.open("rb") as file:
                name = _name(path, _sha256(file, path))
                if not self._tables.has(site, name):
                    files = _below(path, debian_lists.files_in(file))
                    self._tables.add(site, name, files, writing.path.with_suffix(".table"))
        except ValueError:
            return
        finally:
            writing.abort()


def _is_whole(flow: Any) -> bool:
    return bool(flow.request.method == "GET" and flow.response.status_code == 200)


def _name(path: bytes, sha256: str) -> str:
    """Of a list's table: the same list of two archives is about other files."""
    return f"{debian_lists.root_of(path).hex()} {sha256}"


def _sha256(file: BinaryIO, path: bytes) -> str:
    """
    SHA-256 of a list.

    Raises:
        ValueError: Its path holds another digest.

    """
    said = debian_lists.name_says(path)
    sha256, *found = digests_of(file, *([said.algorithm] if said else []))
    if said and found != [said.value]:
        raise ValueError("it is not what its name says")
    file.seek(0)
    return sha256


def _below(path: bytes, files: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    root = debian_lists.root_of(path)
    for name, digest in files:
        yield root + b"/" + name, digest
