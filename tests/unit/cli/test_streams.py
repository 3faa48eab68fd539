"""What a call does whose standard streams are closed or full: it ends in order, with a code."""

import subprocess

import pytest

from fakes.program import COMMAND

CALLS = (["--version"], ["--help"], ["schema"], ["examples"], ["validate", "nothing.yaml"])


def called(args, redirect):
    script = f'exec "$@" {redirect}'
    return subprocess.run(
        ["sh", "-c", script, "sh", *COMMAND, *args], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("redirect", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("args", CALLS, ids=lambda args: args[0])
def test_a_stream_that_is_closed_changes_no_exit_code(args, redirect):
    assert called(args, "").returncode == called(args, redirect).returncode


def test_what_is_said_does_not_go_to_a_stream_in_place_of_another():
    done = called(["--version"], ">&-")

    assert ("", "") == (done.stdout, done.stderr)


@pytest.mark.parametrize("args", CALLS[:4], ids=lambda args: args[0])
def test_a_full_disk_behind_standard_output_is_said(args):
    done = called(args, "> /dev/full")

    assert 2 == done.returncode
    assert "error: standard output takes nothing more: No space left on device\n" == done.stderr


def test_a_reader_who_has_read_enough_is_no_failure():
    script = '"$@" | head -1; exit "${PIPESTATUS[0]}"'
    call = ["bash", "-c", script, "bash", *COMMAND, "schema"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)

    assert (0, "{\n", "") == (done.returncode, done.stdout, done.stderr)
