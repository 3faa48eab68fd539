"""Work that takes longer than somebody is willing to wait."""

import threading

import pytest

from quickstarted.docs.giving_up import given_up_when
from quickstarted.errors import Interrupted, SandboxFault


def test_what_is_done_in_time_is_given_and_what_it_raises_is_raised():
    def fails():
        raise TimeoutError("of its own")

    assert 5 == given_up_when(lambda: False, lambda: 5)
    with pytest.raises(TimeoutError, match="of its own"):
        given_up_when(lambda: False, fails)


def test_a_wish_to_stop_ends_the_wait_and_not_the_work():
    go_on, over = threading.Event(), threading.Event()

    def work():
        go_on.wait(30)
        over.set()

    with pytest.raises(Interrupted):
        given_up_when(lambda: True, work)
    went_on = not over.is_set()
    go_on.set()

    assert went_on
    assert over.wait(30)


def test_a_fault_met_while_waiting_ends_the_wait():
    def gone():
        raise SandboxFault("gone")

    with pytest.raises(SandboxFault, match="gone"):
        given_up_when(gone, threading.Event().wait)
