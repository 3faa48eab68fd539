"""The meter of a call: what is spent, what is held for turns under way, and who may go on."""

import threading
from contextlib import ExitStack

import pytest

from quickstarted.errors import PriceUnknown
from quickstarted.prices import SpendMeter, spending_of


def charged(meter, *turns):
    """An attempt that made these turns."""
    with meter.attempt() as part:
        for usd in turns:
            assert part.reserve()
            part.charge(usd)


def test_the_first_turn_is_made_without_an_estimate():
    meter = SpendMeter(0.01)

    assert meter.may_begin()
    with meter.attempt() as part:
        assert part.reserve()
    assert (0.0, False) == (meter.spent_usd, meter.reached)


def test_a_turn_needs_room_for_the_largest_of_its_attempt():
    meter = SpendMeter(1.0)
    with meter.attempt() as part:
        assert part.reserve()
        part.charge(0.4)
        assert part.reserve()
        part.charge(0.3)
        # 0.7 are spent, and the next may cost 0.4.
        assert not part.reserve()

    assert (0.7, True) == (pytest.approx(meter.spent_usd), meter.reached)


@pytest.mark.parametrize(("limit", "may_begin"), [(0.9, True), (0.8, True), (0.7, False)])
def test_an_attempt_begins_where_a_usual_turn_has_room(limit, may_begin):
    meter = SpendMeter(limit)
    charged(meter, 0.1, 0.1, 0.5)

    # 0.7 are spent; the median is 0.1.
    assert may_begin == meter.may_begin()
    assert may_begin != meter.reached


def test_nothing_begins_once_the_limit_has_stopped_something():
    meter = SpendMeter(1.0)
    charged(meter, 0.05)
    with meter.attempt() as part:
        part.charge(0.6)
        assert not part.reserve()

    assert not meter.may_begin()


def test_turns_under_way_are_not_given_the_same_money():
    meter = SpendMeter(1.0)
    charged(meter, 0.3)
    with ExitStack() as stack:
        parts = [stack.enter_context(meter.attempt()) for _ in range(3)]
        # 0.3 are spent and each of the three holds 0.3: together that would be 1.2.
        assert not parts[0].reserve()
        assert [True, True] == [parts[1].reserve(), parts[2].reserve()]


def test_an_attempt_that_is_over_holds_nothing():
    meter = SpendMeter(1.0)
    charged(meter, 0.3)
    with meter.attempt() as second:
        with meter.attempt() as third:
            assert third.reserve()
        assert second.reserve()
    assert meter.may_begin()


def test_calls_that_cost_nothing_do_not_make_later_ones_look_cheap():
    meter = SpendMeter(1.0)
    charged(meter, 0.0, 0.0, 0.0, 0.6)

    assert not meter.may_begin()


def test_what_cannot_be_counted_ends_the_call():
    meter = SpendMeter(1.0)
    with pytest.raises(PriceUnknown), meter.attempt():
        raise PriceUnknown("there is no price")

    assert meter.reached
    assert not meter.may_begin()


def test_without_a_limit_there_is_nothing_to_ask():
    with spending_of(None) as part:
        assert part is None


def test_many_attempts_at_once_stay_within_the_limit():
    meter = SpendMeter(5.0)
    charged(meter, 0.01)
    made = []

    def work():
        with meter.attempt() as part:
            while part.reserve():
                part.charge(0.01)
                made.append(0.01)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert pytest.approx(meter.spent_usd) == 0.01 + sum(made)
    assert meter.spent_usd <= 5.0
    assert meter.spent_usd > 5.0 - 9 * 0.01
