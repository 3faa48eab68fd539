"""Clocks of events, and a machine's clock that somebody sets."""

import os
import subprocess
import sys
import time

import pytest

from fakes.followed import odd_machine
from quickstarted_proxy import clock

PROGRAM = """
import os, sys, time
{imported}
path = os.environ["QS_CLOCK"]
before, said = {now}, time.time()
for jump in ("-7200", "86400"):
    open(path, "w").write(jump)
    print({now} - before, time.time() - said)
"""


def test_the_clock_tells_the_time_of_day_and_goes_on():
    told = [clock.now() for _ in range(1000)]

    assert abs(told[0] - time.time()) < 60
    assert sorted(told) == told


@pytest.mark.parametrize(
    ("imported", "now"),
    [
        ("from quickstarted_proxy import clock", "clock.now()"),
        ("from quickstarted.trace import RunClock; clock = RunClock()", "clock.now()"),
    ],
    ids=["sidecar", "attempt"],
)
def test_a_jump_of_the_machines_clock_is_none_of_theirs(tmp_path, imported, now):
    (tmp_path / "clock").write_text("0")
    path = os.pathsep.join([odd_machine()["PYTHONPATH"], *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imported=imported, now=now)],
        env={"PYTHONPATH": path, "QS_CLOCK": str(tmp_path / "clock")},
        capture_output=True,
        text=True,
        check=True,
    )
    back, forward = ([float(one) for one in line.split()] for line in done.stdout.splitlines())

    assert (0 <= back[0] < 60, 0 <= forward[0] < 60) == (True, True)
    assert (back[1] < -7000, forward[1] > 86000) == (True, True)
