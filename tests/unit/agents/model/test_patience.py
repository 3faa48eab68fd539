"""When a call is made again: real waiting is left out, and its length is what is asserted."""

from __future__ import annotations

import pytest

from quickstarted.agents.model.patience import Patience
from quickstarted.agents.model.vendor import ServiceTrouble


def outcome(troubles, patience=None):
    """The waits of a call that meets *troubles* and then succeeds, and how it ends."""
    waits, left = [], list(troubles)

    def call():
        if left:
            raise left.pop(0)
        return "reply"

    retrying = (patience or Patience()).retrying().copy(sleep=waits.append)
    try:
        return waits, retrying(call)
    except ServiceTrouble as trouble:
        return waits, trouble


def throttled(retry_after_s=None):
    return ServiceTrouble("429", status=429, retry_after_s=retry_after_s, throttled=True)


def broken():
    return ServiceTrouble("500", status=500)


def test_a_call_that_succeeds_is_made_once():
    assert ([], "reply") == outcome([])


def test_a_wait_is_never_shorter_than_the_service_asks_for():
    waits, reply = outcome([throttled(7), throttled(20), broken()])

    assert "reply" == reply
    assert 7 == waits[0]
    assert 20 == waits[1]
    assert 0.5 <= waits[2] <= 4


def test_waits_grow_and_are_not_the_same_for_everybody():
    first, _ = outcome([broken()] * 5)
    second, _ = outcome([broken()] * 5)

    assert all(wait <= limit for wait, limit in zip(first, (1, 2, 4, 8, 16), strict=True))
    assert all(wait >= 0.5 for wait in first)
    assert first != second


def test_a_service_that_breaks_six_times_is_given_up():
    waits, ending = outcome([broken()] * 20)

    assert "500" == str(ending)
    assert 5 == len(waits)


@pytest.mark.parametrize("retry_after_s", [None, 0, 1, 30])
def test_a_service_that_throttles_for_ten_minutes_is_given_up_after_five(retry_after_s):
    waits, ending = outcome([throttled(retry_after_s)] * 1000)

    assert "429" == str(ending)
    assert 200 <= sum(waits) <= 300
    assert len(waits) < 70


def test_a_wait_that_would_be_too_long_is_not_begun():
    waits, ending = outcome([throttled(3600)])

    assert ([], "429") == (waits, str(ending))


def test_another_request_is_made_at_once_and_counts_as_a_failure():
    waits, reply = outcome([ServiceTrouble("400", status=400, at_once=True), broken()])

    assert "reply" == reply
    assert 0 == waits[0]
    assert 0.5 <= waits[1] <= 2


def test_throttling_does_not_count_as_breaking():
    patient = Patience(max_wait_s=3600)

    waits, reply = outcome([*[throttled(1)] * 8, *[broken()] * 4], patient)

    assert "reply" == reply
    assert 12 == len(waits)


def test_each_call_has_a_count_of_its_own():
    patience = Patience()

    assert [5, 5] == [len(outcome([broken()] * 9, patience)[0]) for _ in range(2)]


def test_a_refusal_is_not_asked_for_again():
    def call():
        raise ValueError("no key")

    with pytest.raises(ValueError, match="no key"):
        Patience().retrying().copy(sleep=pytest.fail)(call)
