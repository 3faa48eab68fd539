"""Ctrl-C at moments at which nobody could deal with it."""

import os
import signal
import threading

import pytest

from quickstarted.cli.interrupts import interrupts_held_back


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_waits_for_the_end_of_the_block():
    before = signal.getsignal(signal.SIGINT)
    done = []

    def block():
        with interrupts_held_back():
            interrupt()
            done.append("to its end")

    with pytest.raises(KeyboardInterrupt):
        block()

    assert ["to its end"] == done
    assert before is signal.getsignal(signal.SIGINT)


def test_without_an_interrupt_and_in_other_threads_nothing_is_different():
    done = []

    def block():
        with interrupts_held_back():
            done.append(threading.current_thread().name)

    block()
    other = threading.Thread(target=block, name="other")
    other.start()
    other.join()

    assert ["MainThread", "other"] == done
