"""Calls that are given up in time."""

from __future__ import annotations

import asyncio
import time

import pytest

from quickstarted.agents.model.calls import Calls
from quickstarted.budget import Budget, BudgetExceeded
from quickstarted.errors import Interrupted
from quickstarted.verdict import StopReason


def budget(max_seconds=60.0):
    return Budget(max_seconds=max_seconds, max_command_seconds=1, max_turns=1)


async def forever(ended):
    try:
        await asyncio.Event().wait()
    finally:
        ended.append(True)


def test_a_call_gives_what_it_comes_to():
    async def call():
        await asyncio.sleep(0.01)
        return "reply"

    with Calls(budget(), lambda: False) as calls:
        assert ["reply", "reply"] == [calls.run(call()), calls.run(call())]


def test_what_a_call_raises_is_raised():
    async def call():
        raise KeyError("x")

    with Calls(budget(), lambda: False) as calls, pytest.raises(KeyError):
        calls.run(call())


def test_the_end_of_the_agents_time_ends_a_call_that_never_would():
    ended = []
    with Calls(budget(0.2), lambda: False) as calls, pytest.raises(BudgetExceeded) as caught:
        calls.run(forever(ended))
    assert StopReason.MAX_SECONDS is caught.value.stop_reason
    assert [True] == ended


def test_an_interrupt_ends_a_call_that_never_would():
    ended, began = [], time.monotonic()
    soon = Calls(budget(), lambda: time.monotonic() > began + 0.2)
    with soon as calls, pytest.raises(Interrupted):
        calls.run(forever(ended))
    assert [True] == ended


def test_an_interrupt_ends_a_wait():
    began = time.monotonic()
    soon = Calls(budget(), lambda: time.monotonic() > began + 0.2)
    with soon as calls, pytest.raises(Interrupted):
        calls.sleep(3600)


def test_connections_live_from_one_call_to_the_next():
    async def loop():
        return asyncio.get_running_loop()

    with Calls(budget(), lambda: False) as calls:
        assert calls.run(loop()) is calls.finish(loop())


def test_generators_that_a_call_leaves_end_with_it_from_the_outside_in():
    ended = []

    async def inner():
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            ended.append("inner")

    async def outer(inside):
        try:
            async for piece in inside:
                yield piece
        finally:
            await asyncio.sleep(0)
            ended.append("outer")

    kept = outer(inner())

    async def call():
        async for _ in kept:
            raise KeyError("x")

    with Calls(budget(), lambda: False) as calls:
        with pytest.raises(KeyError):
            calls.run(call())
        assert ["outer", "inner"] == ended


def test_a_generator_that_was_begun_before_a_call_goes_on_after_it():
    async def count():
        yield 1
        yield 2

    kept = count()

    async def once():
        return await anext(kept)

    with Calls(budget(), lambda: False) as calls:
        assert [1, 2] == [calls.finish(once()), calls.run(once())]
        calls.finish(kept.aclose())
