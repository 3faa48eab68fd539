"""One call at a time writes to a results folder."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import quickstarted
from quickstarted.errors import StorageFault, UsageError
from quickstarted.records.lock import LOCK_NAME, locked

HARNESS = Path(quickstarted.__file__).parent.parent
HOLD = """
import sys, subprocess
from pathlib import Path
from quickstarted.records.lock import locked
with locked(Path(sys.argv[1]), "r-other"):
    print("held", flush=True)
    sys.stdin.read()
"""
HOLD_DESCRIPTOR = """
import fcntl, sys
fcntl.flock(int(sys.argv[1]), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(name="holder")
def _holder(tmp_path):
    """Another process that holds the folder until its standard input ends."""
    command = [sys.executable, "-c", HOLD, tmp_path]
    path = os.pathsep.join([str(HARNESS), *sys.path])
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
        text=True,
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def refusal(out):
    with pytest.raises(UsageError) as caught, locked(out, "r"):
        pass
    return caught.value


def test_two_calls_into_one_folder_are_refused_with_who_holds_it(tmp_path, holder):
    error = refusal(tmp_path)

    assert error.exit_code == 3
    assert error.message.startswith(
        f"another call writes to {tmp_path}: process {holder.pid} on {socket.gethostname()}, since "
    )
    assert error.message.endswith("; it is running")


def test_a_dead_holders_lock_is_no_obstacle(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()

    assert json.loads((tmp_path / LOCK_NAME).read_bytes())["pid"] == holder.pid
    with locked(tmp_path, "r"):
        assert json.loads((tmp_path / LOCK_NAME).read_bytes())["pid"] == os.getpid()


def test_a_process_that_the_holder_has_left_behind_is_told_from_it(tmp_path):
    descriptor = os.open(tmp_path / LOCK_NAME, os.O_RDWR | os.O_CREAT)
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD_DESCRIPTOR, str(descriptor)],
        pass_fds=[descriptor],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        child.stdout.readline()
        os.close(descriptor)
        said = {"pid": 2**22 - 1, "host": socket.gethostname(), "started": 1.0, "since": 1.0}
        (tmp_path / LOCK_NAME).write_text(json.dumps(said))
        error = refusal(tmp_path)
        child.kill()

    assert error.message.endswith(
        "; it has ended, and a process that it started still holds the folder"
    )
    assert f"fuser {tmp_path / LOCK_NAME}" in error.hint


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (
            {"pid": 1, "host": "elsewhere", "since": 0},
            "whether it is running cannot be seen from here",
        ),
        ({"pid": "?", "since": "?"}, "whether it is running cannot be seen from here"),
    ],
)
def test_a_holder_on_another_machine_may_be_running(tmp_path, holder, said, state):
    (tmp_path / LOCK_NAME).write_text(json.dumps(said))

    assert refusal(tmp_path).message.endswith(state)


@pytest.mark.parametrize("content", [b"", b"{", b"[]"])
def test_a_holder_that_has_said_nothing_is_a_holder_all_the_same(tmp_path, holder, content):
    (tmp_path / LOCK_NAME).write_bytes(content)

    assert f"another call writes to {tmp_path}" == refusal(tmp_path).message


def test_the_folder_is_free_again_however_the_call_ends(tmp_path):
    with pytest.raises(KeyboardInterrupt), locked(tmp_path / "new", "r"):
        raise KeyboardInterrupt
    with locked(tmp_path / "new", "r"):
        said = json.loads((tmp_path / "new" / LOCK_NAME).read_bytes())

    assert ("r", True) == (said["run_id"], abs(said["since"] - time.time()) < 60)
    assert b"" == (tmp_path / "new" / LOCK_NAME).read_bytes()


def test_a_folder_that_cannot_be_written_is_a_storage_fault(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StorageFault, match="cannot write"), locked(tmp_path / "file", "r"):
        pass


def test_a_link_to_a_folder_that_is_gone_is_refused(tmp_path):
    (tmp_path / "out").symlink_to("gone")

    with (
        pytest.raises(UsageError, match="out is a link to gone, which is not there"),
        locked(tmp_path / "out", "r"),
    ):
        pass
