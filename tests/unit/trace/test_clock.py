import time

from quickstarted.trace import RunClock


def test_the_clock_tells_the_time_of_day():
    before = time.time()
    told = RunClock().now()

    assert before - 1 <= told <= time.time() + 1


def test_the_clock_never_goes_back():
    clock = RunClock()
    told = [clock.now() for _ in range(1000)]

    assert sorted(told) == told
