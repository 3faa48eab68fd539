"""Which processes belong to an attempt and to a command, and that these end."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager

import psutil
import pytest

from quickstarted.sandbox.local.processes import (
    MARK,
    Seen,
    age,
    all_processes,
    descends,
    end,
    of_attempt,
    of_command,
)

ITSELF = psutil.Process()


def seen(pid, parent, born):
    return Seen(pid, parent, (born, pid), ITSELF)


@pytest.mark.parametrize(
    ("found", "belong"),
    [
        ([seen(10, 1, 5.0)], [10]),
        ([seen(10, 1, 5.0), seen(11, 10, 5.0), seen(12, 11, 6.0)], [10, 11, 12]),
        ([seen(10, 1, 5.0), seen(20, 1, 6.0)], [10, 20]),
        ([seen(10, 1, 5.0), seen(7, 1, 4.0), seen(20, 7, 6.0), seen(21, 20, 7.0)], [10]),
        ([seen(10, 1, 5.0), seen(9, 1, 5.0), seen(11, 1, 5.0)], [10, 11]),
        ([seen(10, 1, 5.0), seen(3, 2, 6.0), seen(2, 3, 6.0)], [10, 3, 2]),
    ],
    ids=["shell", "family", "orphan", "older family", "one tick", "loop"],
)
def test_a_command_has_what_began_after_it_unless_an_ancestor_is_older(found, belong):
    assert belong == [one.pid for one in of_command(found, (5.0, 10))]


def test_descent_is_by_any_ancestor():
    known = {one.pid: one for one in [seen(2, 1, 1.0), seen(3, 2, 1.0), seen(4, 1, 1.0)]}

    assert [False, True, False] == [descends(one, {2}, known) for one in known.values()]


@contextmanager
def family(mark, code="import time; time.sleep(300)"):
    """A shell that carries *mark*, with a child that carries none."""
    shell = ["sh", "-c", 'env -i "$0" -c "$1" & echo; wait', sys.executable, code]
    env = {**os.environ, MARK: mark}
    with subprocess.Popen(shell, env=env, stdout=subprocess.PIPE) as parent:
        parent.stdout.read(1)
        yield parent
        parent.kill()


def test_what_carries_the_mark_and_its_children_are_an_attempts_and_end(tmp_path):
    mark = str(tmp_path)
    with family(mark) as parent, family(f"{mark}-other") as other:
        found = of_attempt(mark, None, by_mark=True)
        by_descent = of_attempt("", parent.pid, by_mark=False)
        children = {child.pid for child in psutil.Process(parent.pid).children()}
        left = end(lambda: of_attempt(mark, None, by_mark=True))
        code = parent.wait(10)
        spared = other.poll() is None
        end(lambda: of_attempt(f"{mark}-other", None, by_mark=True))

    assert {parent.pid} | children == {one.pid for one in found}
    assert children == {one.pid for one in by_descent}
    assert 1 == len(children)
    assert ([], -9, True) == (left, code, spared)


def test_what_has_ended_and_waits_for_its_parent_is_not_there_and_still_has_an_age():
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        there = child.pid in all_processes()
        born, pid = age(child.pid)

    assert (False, child.pid) == (there, pid)
    assert born > 0


def test_what_cannot_be_ended_is_told_after_the_time():
    class Immortal:
        def suspend(self):
            raise psutil.AccessDenied(4711)

        kill = suspend

    found = [Seen(4711, 1, (1.0, 4711), Immortal())]

    assert found == end(lambda: found, within_s=0.05)
