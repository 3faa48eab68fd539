"""The line between a node and the caller: nothing lost, nothing twice, bounded, and it ends."""

from __future__ import annotations

import threading

import pytest

from quickstarted.cluster.channel import Channel, DistantMeter
from quickstarted.cluster.conversation import converse
from quickstarted.cluster.messages import Entered, Heard, Noted, Over
from quickstarted.errors import Interrupted, PriceUnknown
from quickstarted.events import AgentFinal, ApiRetry
from quickstarted.prices import SpendMeter
from quickstarted.run import AttemptHooks

OVER = Over(0, "")


def final(text):
    return AgentFinal(ts=1.0, text=text)


@pytest.fixture(name="talk")
def _talk():
    """`talk(channel, meter)`: the caller's side of all that is said, to its end."""

    def made(channel, meter=None):
        heard = []
        hooks = AttemptHooks(
            observer=lambda event: heard.append(event.type),
            note=heard.append,
            cancelled=lambda: False,
            phase=heard.append,
        )
        assert OVER == converse(channel, hooks, meter)
        return heard

    return made


def test_what_was_not_acknowledged_is_given_again():
    channel = Channel()
    channel.tell(Entered("working"))
    channel.tell(Noted("a"))

    first = channel.exchange(0, {}, cancelled=False)
    again = channel.exchange(1, {}, cancelled=False)

    assert [(1, Entered("working")), (2, Noted("a"))] == first
    assert [(2, Noted("a"))] == again


def test_events_that_are_too_many_are_left_out_but_for_those_that_more_than_a_screen_needs():
    channel = Channel(pending_bytes=1000)
    retry = ApiRetry(ts=1.0, turn=1, attempt=1, status=429, error="busy", sleep=1.0)

    for _ in range(5):
        channel.hear(final("x" * 700))
    channel.hear(retry)
    batch = channel.exchange(0, {}, cancelled=False)
    rest = channel.exchange(batch[-1][0], {}, cancelled=False)

    assert [final("x" * 700).model_dump_json(), retry.model_dump_json()] == [
        message.event for _, message in batch if isinstance(message, Heard)
    ]
    assert [Noted("4 events were not shown: there were too many at once")] == [
        message for _, message in rest
    ]


def test_a_batch_is_bounded_and_the_rest_follows():
    channel = Channel()
    for _ in range(3):
        channel.hear(final("x" * 700_000))

    numbers, heard = [], 0
    while heard < 3:
        batch = channel.exchange(heard, {}, cancelled=False)
        numbers.append(len(batch))
        heard = batch[-1][0]

    assert [1, 1, 1] == numbers


def test_a_caller_that_is_gone_ends_the_attempt():
    now = [0.0]
    channel = Channel(silence_s=10.0, clock=lambda: now[0])
    assert not channel.is_cancelled()

    now[0] = 11.0

    assert channel.is_cancelled()
    with pytest.raises(Interrupted):
        channel.ask("reserve")


def test_cancelling_reaches_the_attempt():
    channel = Channel()
    channel.tell(OVER)

    channel.exchange(0, {}, cancelled=True)

    assert channel.is_cancelled()


def spending(channel, act):
    """Let *act* spend, as an attempt on a node does, and end."""

    def run():
        try:
            with DistantMeter(channel).attempt() as part:
                act(part)
        except PriceUnknown:
            channel.tell(Noted("no price"))
        channel.tell(OVER)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_the_callers_meter_counts_what_is_spent_on_a_node(talk):
    channel, meter, answers = Channel(), SpendMeter(1.0), []

    def act(part):
        answers.append(part.reserve())
        part.charge(0.6)
        answers.append(part.reserve())

    thread = spending(channel, act)
    talk(channel, meter)
    thread.join()

    assert [True, False] == answers
    assert 0.6 == meter.spent_usd
    assert meter.reached


def test_a_model_without_a_price_on_a_node_lets_nothing_more_begin(talk):
    channel, meter = Channel(), SpendMeter(1.0)

    def act(_):
        raise PriceUnknown("no price")

    thread = spending(channel, act)
    said = talk(channel, meter)
    thread.join()

    assert ["no price"] == said
    assert not meter.may_begin()
