"""
The slow work on files and indexes, in threads: compared with what is known of it, kept, learned.

What an index may speak of is done in turn, one after the other: so a file that was asked for right
after its index is compared with it, and the memory that it takes is that of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, BinaryIO

from quickstarted_proxy.immutable import Address, ImmutableRule, address_of_url
from quickstarted_proxy.index_hashes import GO
from quickstarted_proxy.package_entries import FIRST_TRANSFER, Entry
from quickstarted_proxy.package_learning import Learning, Reading
from quickstarted_proxy.package_store import Store, Unusable
from quickstarted_proxy.package_writing import Writing


class Vetting:
    """
    What is done for the hooks.

    Each of its coroutines raises `Unusable` when the folder cannot be used.
    """

    def __init__(self, rules: Sequence[ImmutableRule], learning: Learning, store: Store) -> None:
        self._rules = rules
        self._learning = learning
        self._store = store
        self._in_turn = ThreadPoolExecutor(1, "in turn")

    async def open(self, address: Address, entry: Entry) -> tuple[BinaryIO | None, bool]:
        """A kept file, if it is there and right; whether only its first transfer vouches for it."""
        unproved = entry.verified == FIRST_TRANSFER
        known, file = await self._run(self._open, address, entry, in_turn=unproved)
        return file, unproved and known is None

    def _open(self, address: Address, entry: Entry) -> tuple[Any, BinaryIO | None]:
        known = self._learning.known(address)
        return known, self._store.open(replace(address, digest=known), entry)

    async def keep(self, writing: Writing) -> Entry | None:
        """Keep a file that has come whole; None where it is not what is known of it."""
        in_turn = writing.address.digest is None
        kept: Entry | None = await self._run(self._keep, writing, in_turn=in_turn)
        return kept

    def _keep(self, writing: Writing) -> Entry | None:
        writing.address = replace(writing.address, digest=self._learning.known(writing.address))
        return self._store.keep(writing)

    async def learn_list(self, writing: Writing) -> None:
        """Learn what a list says that has come whole."""
        await self._run(self._learn_list, writing, in_turn=True)

    def _learn_list(self, writing: Writing) -> None:
        try:
            self._learning.read_list(writing)
        except OSError as exc:
            raise Unusable(f"the package cache cannot be written: {exc}") from exc

    async def learn_page(self, page: Reading) -> None:
        """Learn what an index page says, and compare what has come before it."""
        await self._run(self._learn_page, page, in_turn=True)

    def _learn_page(self, page: Reading) -> None:
        found = self._learning.read_page(page)
        # The go command asks for the hash of a file that it has.
        for url in found if page.rule.kind == GO else ():
            address = address_of_url(self._rules, url)
            entry = self._store.find(address) if address else None
            if address and entry and entry.verified == FIRST_TRANSFER:
                _, file = self._open(address, entry)
                if file is not None:
                    file.close()

    async def _run(self, work: Callable[..., Any], *arguments: Any, in_turn: bool) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._in_turn if in_turn else None, work, *arguments)
