import os
import signal
import subprocess
import sys
import time

import pytest

from quickstarted.sandbox import labels

NOW = 1_800_000_000.0


@pytest.fixture
def process():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        yield running
        running.kill()


def owner_of(pid):
    return labels.Owner(labels._host(), pid, labels._process_start(pid))


def labelled(owner, expires=NOW + 60):
    return {labels.OWNER: str(owner), labels.EXPIRES: str(int(expires))}


def test_an_owner_survives_its_label():
    mine = labels.this_process()

    assert mine == labels.Owner.parse(str(mine))


@pytest.mark.parametrize("text", ["", "host/12", "host/abc/1", "a/1/2/3"])
def test_what_is_not_an_owner_is_none(text):
    assert labels.Owner.parse(text) is None


def test_what_a_living_process_has_is_kept_even_when_its_time_is_over(process):
    assert labels.why_left_over(labelled(owner_of(process.pid), NOW - 1), now=NOW) == ""


def test_what_a_dead_process_had_can_go_before_its_time(process):
    owner = owner_of(process.pid)
    process.kill()
    process.wait()

    assert f"process {owner.pid}, is gone" in labels.why_left_over(labelled(owner), now=NOW)


def test_a_zombie_has_ended():
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        owner = owner_of(running.pid)
        os.kill(running.pid, signal.SIGKILL)
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)

        assert labels.is_left_over(labelled(owner), now=NOW)
    finally:
        running.stdin.close()
        running.wait()


def test_a_reused_pid_is_another_process(process):
    owner = labels.Owner(labels._host(), process.pid, "1")

    assert labels.is_left_over(labelled(owner), now=NOW)


@pytest.mark.parametrize(("expires", "goes"), [(NOW - 1, True), (NOW + 1, False)])
def test_an_owner_elsewhere_cannot_be_asked_so_time_decides(expires, goes):
    owner = labels.Owner("elsewhere-12345678", os.getpid(), "1")

    assert goes == labels.is_left_over(labelled(owner, expires), now=NOW)


def test_nothing_goes_without_an_owner_and_a_time():
    assert not labels.is_left_over({labels.RUN: "x"}, now=NOW)


def test_labels_name_run_role_owner_and_end():
    made = labels.labels("run-1", "lane", life_s=100)

    assert (made[labels.RUN], made[labels.ROLE]) == ("run-1", "lane")
    assert labels.this_process() == labels.Owner.parse(made[labels.OWNER])
    assert 0 < int(made[labels.EXPIRES]) - time.time() <= 100
