"""Memory, processes, disk, capabilities: what holds, and what is said when it does."""

from __future__ import annotations

import pytest

from fakes.containers import base_image, open_sandbox
from quickstarted.sandbox.protocol import Resources

pytestmark = pytest.mark.docker

HOG = "python3 -c 'x = []\nwhile True: x.append(bytearray(1 << 20))'"
SMALL = Resources(memory_bytes=64 * 1024**2)


def test_lack_of_memory_kills_the_process_and_is_said(engine, run):
    with open_sandbox(engine, base_image(), resources=SMALL) as sandbox:
        killed = run(sandbox, HOG)
        after = run(sandbox, "echo on")

    assert (137, "") == (killed.exit_code, killed.restarted)
    assert "killed: out of memory (limit 64m)" == killed.note
    assert ("on\n", "") == (after.output, after.note)


def test_lack_of_memory_in_a_child_is_said_too(engine, run):
    with open_sandbox(engine, base_image(), resources=SMALL) as sandbox:
        survived = run(sandbox, f"{HOG} || echo went on")

    assert 0 == survived.exit_code
    assert survived.output.endswith("went on\n")
    assert "killed: out of memory (limit 64m)" == survived.note


def test_lack_of_memory_of_the_shell_itself_is_said(engine, run):
    with open_sandbox(engine, base_image(), resources=SMALL) as sandbox:
        killed = run(sandbox, "x=a; while :; do x=$x$x; done")
        after = run(sandbox, "echo on")

    assert 137 == killed.exit_code
    assert "out of memory (limit 64m)" in killed.note + killed.restarted
    assert "on\n" == after.output


def test_the_process_limit_holds(engine, run):
    with open_sandbox(engine, base_image(), resources=Resources(pids=50)) as sandbox:
        run(sandbox, "for i in $(seq 100); do sleep 100 & done 2>/dev/null", timeout_s=3)
        count = run(sandbox, "ls -d /proc/[0-9]* | wc -l")

    assert int(count.output) <= 52


def test_a_disk_limit_is_watched_where_the_driver_has_none(engine, run):
    limits = Resources(disk_bytes=20 * 1024**2)
    with open_sandbox(engine, base_image(), resources=limits) as sandbox:
        killed = run(sandbox, "head -c 60000000 /dev/zero >/tmp/big; sleep 60", timeout_s=50)
        removed = run(sandbox, "rm /tmp/big; echo room")
        kept_by = sandbox.facts["limits"]["disk_kept_by"]

    assert kept_by in {"polled", "storage driver"}
    if kept_by == "polled":
        assert 137 == killed.exit_code
        assert "killed: out of disk space" in killed.note
        assert killed.note.endswith("limit 20m)")
    assert "room\n" == removed.output


def test_capabilities_are_those_that_package_managers_need(bash_box, run):
    bits = run(bash_box, "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status").output
    status = dict(line.split(":\t") for line in bits.splitlines())

    chown, override, fowner, fsetid, kill = 0, 1, 3, 4, 5
    setgid, setuid, bind, audit, setfcap = 6, 7, 10, 29, 31
    wanted = sum(
        1 << bit
        for bit in (chown, override, fowner, fsetid, kill, setgid, setuid, bind, audit, setfcap)
    )
    assert {"CapEff": wanted, "CapBnd": wanted} == {
        name: int(status[name], 16) for name in ("CapEff", "CapBnd")
    }
    assert ("1", "2") == (status["NoNewPrivs"], status["Seccomp"])


def test_a_user_has_no_capability(boxes, run):
    shown = run(boxes["non-root"], "grep CapEff /proc/self/status").output

    assert 0 == int(shown.split()[1], 16)


def test_files_and_cores_are_limited(box, run):
    files, cores = run(box, "ulimit -n; ulimit -c").output.split()

    assert int(files) <= 65536
    assert "0" == cores


def test_there_is_no_ipv6_no_socket_of_the_engine_and_no_mount_of_the_host(bash_box, run):
    result = run(
        bash_box,
        "cat /proc/net/if_inet6; ls /var/run/docker.sock /run/docker.sock 2>/dev/null;"
        " grep -E ' /(workspace|root|home|tmp|mnt)' /proc/mounts; true",
    )

    assert "" == result.output


def test_limits_are_reported(bash_box):
    limits = bash_box.facts["limits"]

    assert 4 * 1024**3 == limits["memory_bytes"]
    assert 1000 == limits["pids"]
    assert limits["disk_bytes"] is None
