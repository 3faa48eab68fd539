"""Hooks that refuse when they fail."""

from __future__ import annotations

import asyncio

import pytest

from quickstarted_proxy.guard import guarded


class Addon:
    def __init__(self):
        self.refused = []

    def refuse(self, data, exc):
        self.refused.append((data, str(exc)))

    @guarded(refuse)
    def plain(self, data):
        raise RuntimeError(f"plain {data}")

    @guarded(refuse)
    async def slow(self, data):
        await asyncio.sleep(0)
        raise KeyError(data)

    @guarded(refuse)
    def fine(self, data):
        self.refused.append(("fine", data))

    @guarded(refuse)
    def ends(self, _data):
        raise KeyboardInterrupt


def test_a_plain_hook_that_raises_refuses():
    addon = Addon()
    addon.plain(1)

    assert [(1, "plain 1")] == addon.refused


def test_an_async_hook_that_raises_refuses():
    addon = Addon()
    asyncio.run(addon.slow(2))

    assert [(2, "2")] == addon.refused


def test_a_hook_that_works_is_left_alone():
    addon = Addon()
    addon.fine(3)

    assert [("fine", 3)] == addon.refused


def test_the_end_of_the_process_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        Addon().ends(4)
