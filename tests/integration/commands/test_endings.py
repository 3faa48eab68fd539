"""Commands that do not end by themselves, and commands that end the sandbox."""

from __future__ import annotations

import time

import pytest

from fakes.containers import base_image, open_sandbox
from quickstarted.errors import SandboxFault, SidecarFault
from quickstarted.sandbox.protocol import Limits, Resources

pytestmark = pytest.mark.docker

DNS = "192.0.2.53"

STUBBORN = {
    "plain": "sleep 300",
    "busy": "while :; do :; done",
    "printing": "while :; do echo x; done",
    "ignoring signals": "trap '' TERM INT HUP; sleep 300; sleep 300",
    "pipeline": "sleep 300 | sleep 300 | cat",
    "background and wait": "sleep 300 & sleep 300 & wait",
    "daemon": "(setsid sh -c 'sleep 300 & sleep 300' &) ; sleep 300",
    "stopped": "sh -c 'kill -STOP $$' & sleep 300",
    "replaced": "exec sleep 300",
}


def sleepers(box, run):
    """How many processes called sleep there are, by what every image has."""
    count = "n=0; for f in /proc/[0-9]*/comm; do read c <$f && [ $c = sleep ] && n=$((n+1)); done"
    return int(run(box, f"{count} 2>/dev/null; echo $n").output)


@pytest.mark.parametrize("command", STUBBORN.values(), ids=list(STUBBORN))
def test_a_timeout_ends_the_whole_tree(box, run, command):
    before = sleepers(box, run)
    ended = run(box, f"echo begun; {command}", timeout_s=0.7)

    assert (124, True, "") == (ended.exit_code, ended.timed_out, ended.restarted)
    assert ended.output.startswith("begun\n")
    assert "timed out after 0.7 s" in ended.note
    assert before == sleepers(box, run)


def test_a_timeout_spares_what_earlier_commands_left(box, run):
    run(box, "cd /tmp; export KEPT=1; (while :; do sleep 0.2; done) & echo $! >/tmp/earlier")
    run(box, "sleep 300", timeout_s=0.7)
    after = run(box, 'kill -0 $(cat /tmp/earlier) && echo alive; echo "$KEPT $PWD"')
    run(box, "kill -9 $(cat /tmp/earlier)")

    assert "alive\n1 /tmp\n" == after.output


def test_a_timeout_spares_services(bash_box, run):
    bash_box.start_service("ticker", "while :; do echo tick; sleep 0.1; done")
    run(bash_box, "sleep 300 & while :; do :; done", timeout_s=0.7)
    code, _ = bash_box.service_state("ticker")
    bash_box.restart()

    assert code is None


def test_a_fork_bomb_is_ended_and_services_go_on(engine, run):
    limits = Resources(memory_bytes=1024**3, pids=150)
    with open_sandbox(engine, base_image(), resources=limits) as sandbox:
        sandbox.start_service("s", "echo up; sleep 300")
        ended = run(sandbox, "b() { b | b & }; b 2>/dev/null; sleep 300", timeout_s=1.5)
        after = run(sandbox, "echo on")
        code, _ = sandbox.service_state("s")

    assert (124, "") == (ended.exit_code, ended.restarted)
    assert (0, "on\n") == (after.exit_code, after.output)
    assert code is None


def test_a_fork_bomb_left_behind_does_not_stop_the_next_command(engine, run):
    limits = Resources(memory_bytes=1024**3, pids=100)
    with open_sandbox(engine, base_image(), resources=limits, dns_ip=DNS) as sandbox:
        run(sandbox, "cd /tmp; (trap '' TERM; while :; do sleep 100 & done) 2>/dev/null &")
        time.sleep(1)
        after = run(sandbox, "pwd; cat /etc/resolv.conf")

    assert "/tmp\nnameserver 192.0.2.53\noptions timeout:5 attempts:2\n" == after.output
    assert "used up the process limit" in after.restarted


def test_killing_every_process_as_root_restarts_the_sandbox(engine, run):
    with open_sandbox(engine, base_image(), dns_ip=DNS) as sandbox:
        run(sandbox, "cd /tmp; export KEPT=1; echo file >/tmp/file")
        ended = run(sandbox, "echo printed; kill -9 -1; sleep 5; echo still here")
        after = run(sandbox, "cat file; echo $KEPT; cat /etc/resolv.conf")

    assert 137 == ended.exit_code
    assert "printed\n" == ended.output
    assert "ended every process" in ended.restarted
    assert after.output.startswith("file\n1\nnameserver 192.0.2.53\n")
    assert "" == after.restarted


def test_killing_every_process_as_a_user_leaves_the_sandbox_running(engine, run, non_root):
    with open_sandbox(engine, non_root) as sandbox:
        ended = run(sandbox, "echo printed; kill -9 -1; sleep 5")
        after = run(sandbox, "echo on")

    assert (137, "printed\n", "") == (ended.exit_code, ended.output, ended.restarted)
    assert "on\n" == after.output


def test_the_keep_alive_process_goes_by_a_name_that_nobody_kills(box, run):
    names = run(box, "for f in /proc/[0-9]*/comm; do read c <$f; echo $c; done").output.split()

    assert "quickstarted" in names
    assert "sleep" not in names


def test_the_death_of_the_sandbox_between_commands_is_noticed(engine, run):
    with open_sandbox(engine, base_image()) as sandbox:
        run(sandbox, "cd /tmp")
        engine.api.kill(sandbox.container_id)
        after = run(sandbox, "pwd")

    assert "/tmp\n" == after.output
    assert "ended between two commands" in after.restarted


def test_a_sandbox_that_was_removed_is_a_fault(engine, run):
    with open_sandbox(engine, base_image()) as sandbox:
        sandbox.remove()
        with pytest.raises(SandboxFault):
            run(sandbox, "echo hi")
        with pytest.raises(SandboxFault):
            sandbox.get_file("/etc/passwd", 100)


def test_a_command_that_was_interrupted_ends_like_one_that_timed_out(bash_box):
    began = time.monotonic()
    limits = Limits(timeout_s=60, cancelled=lambda: time.monotonic() - began > 0.5)
    ended = bash_box.bash("echo begun; sleep 300", limits)

    assert (130, False, "begun\n") == (ended.exit_code, ended.timed_out, ended.output)
    assert "interrupted" in ended.note


def test_a_fault_of_the_sidecar_ends_the_command(engine, run):
    with open_sandbox(engine, base_image()) as sandbox:
        sandbox._egress.fault = SidecarFault("the proxy is gone")
        with pytest.raises(SidecarFault):
            run(sandbox, "sleep 300")


def test_words_of_the_engine_are_never_output(engine, run):
    """A broken runc prints its error where the command's output is expected, with exit code 126."""
    with open_sandbox(engine, base_image()) as sandbox:
        run(sandbox, "rm -f /bin/sh /usr/bin/sh")
        with pytest.raises(SandboxFault, match="does not start commands"):
            run(sandbox, "echo hi")


@pytest.mark.parametrize("timeout_s", [0.0, 0.01])
def test_a_time_that_is_already_over_is_a_timeout(bash_box, run, timeout_s):
    ended = run(bash_box, "sleep 300", timeout_s=timeout_s)

    assert (124, True) == (ended.exit_code, ended.timed_out)
