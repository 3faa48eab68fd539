"""Services, what else runs, and what a restart leaves as it was."""

from __future__ import annotations

import time

import pytest

from fakes.containers import base_image, open_sandbox
from quickstarted.sandbox.protocol import Limits

pytestmark = pytest.mark.docker

LIMITS = Limits(timeout_s=30)


def eventually(ask, wanted, seconds=10):
    deadline = time.monotonic() + seconds
    while not wanted(answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return answer


def test_a_service_runs_with_its_output_in_a_log(box, run):
    box.start_service("web", "echo up; id -u; pwd; sleep 300")
    expected = f"up\n{run(box, 'id -u').output}/workspace\n"
    code, log = eventually(lambda: box.service_state("web"), lambda state: state[1] == expected)
    box.restart()

    assert (None, expected) == (code, log)


def test_a_service_that_ends_says_how(box):
    box.start_service("short", "echo bye; exit 3")

    assert (3, "bye\n") == eventually(
        lambda: box.service_state("short"), lambda state: state[0] is not None
    )


def test_a_service_that_a_restart_ended_has_ended(box):
    box.start_service("long", "sleep 300")
    box.restart()
    code, _ = eventually(lambda: box.service_state("long"), lambda state: state[0] is not None)

    assert 137 == code


def test_the_end_of_a_long_log_is_kept(bash_box):
    bash_box.start_service("chatty", "seq 100000; echo last")
    _, log = eventually(
        lambda: bash_box.service_state("chatty"), lambda state: state[1].endswith("last\n")
    )

    assert log.endswith("99999\n100000\nlast\n")
    assert 8192 == len(log)


def test_only_what_the_agent_left_is_foreign(box, run):
    box.start_service("s", "sleep 301 & sleep 302 & wait")
    run(box, "true")
    clean = box.foreign_processes()
    run(box, "sleep 303 & (sleep 304 &) ; true")
    left = sorted(process.command for process in box.foreign_processes())
    box.restart()

    assert [] == clean
    assert ["sleep 303", "sleep 304"] == left
    assert [] == box.foreign_processes()


def test_a_process_that_poses_as_the_keep_alive_process_is_foreign(engine, run):
    with open_sandbox(engine, base_image()) as sandbox:
        words = engine.api.inspect_container(sandbox.container_id)
        program = words["Args"][-1]
        run(sandbox, f"cat >/tmp/p <<'END'\n{program}\nEND\n(sh -c \"$(cat /tmp/p)\" <&0 &)")
        run(sandbox, 'mkfifo /tmp/f; (sh -c "$(cat /tmp/p)" 0<>/tmp/f &) ; true')

        assert 1 == len(sandbox.foreign_processes())


def test_a_restart_keeps_files_address_state_and_ends_every_process(box, run):
    run(box, "echo kept >kept; cd /tmp; export KEPT=1; sleep 300 &")
    address = run(box, "cat /etc/hosts /etc/resolv.conf").output
    box.restart()
    after = run(box, 'cat /workspace/kept; echo "$KEPT $PWD"; rm /workspace/kept')

    assert "kept\n1 /tmp\n" == after.output
    assert address == run(box, "cat /etc/hosts /etc/resolv.conf").output
    assert [] == box.foreign_processes()


def test_scopes_and_drains_reach_the_lane(bash_box):
    bash_box.begin_scope(7)
    bash_box.drain_egress()

    assert 7 == bash_box._egress.scopes[-1]
    assert bash_box._egress.drained >= 1


def test_a_clean_script_sees_nothing_of_the_agents_shell(box, run):
    run(box, "export LEAK=1; cd /tmp; umask 0; LEAK2=1; PATH=/nowhere:$PATH")
    result = box.run_clean(
        'echo "${LEAK-}${LEAK2-}$PWD"; umask; echo "$PATH" | grep -c nowhere; exit 4', LIMITS
    )

    assert (4, "/workspace\n0022\n0\n") == (result.exit_code, result.output)


def test_a_clean_script_leaves_nothing_to_the_agents_shell(box, run):
    run(box, "cd /tmp")
    box.run_clean("cd /; export LEFT=1", LIMITS)

    assert "/tmp none\n" == run(box, 'echo "$PWD ${LEFT-none}"').output


def test_a_child_that_reads_cannot_swallow_the_rest_of_a_clean_script(box):
    result = box.run_clean("cat >/dev/null\nread line\necho reached\nexit 1\n", LIMITS)

    assert (1, "reached\n") == (result.exit_code, result.output)


def test_a_clean_script_gets_its_variables_and_no_piece_of_itself(box):
    script = f"# {'x' * 300_000}\nenv; set; exit 5"
    result = box.run_clean(
        script, Limits(timeout_s=30, max_output_chars=10**6), env={"QS_A": "b c"}
    )

    assert 5 == result.exit_code
    assert "QS_A=b c\n" in result.output
    assert "_QS_" not in result.output.replace("BASH_EXECUTION_STRING", "")


def test_a_clean_script_is_nowhere_a_file(bash_box, run):
    needle = "needle-4711"
    bash_box.run_clean(f": {needle}", LIMITS)
    found = run(
        bash_box,
        f"grep -rl {needle[:-1]}'1' /tmp /workspace /.quickstarted /root /var/tmp /dev/shm; true",
    )

    assert "" == found.output


def test_a_clean_script_obeys_no_profile_that_the_agent_planted(engine, run):
    with open_sandbox(engine, base_image(), env={"BASH_ENV": "/tmp/env", "ENV": "/tmp/env"}) as box:
        run(box, "echo 'echo planted; exit 0' >/tmp/env; cp /tmp/env ~/.bashrc")
        result = box.run_clean("echo checked; exit 1", LIMITS)

    assert (1, "checked\n") == (result.exit_code, result.output)


def test_a_clean_script_runs_as_root_when_asked(box):
    assert "0 /root\n" == box.run_clean('echo "$(id -u) $HOME"', LIMITS, root=True).output


def test_a_clean_script_that_never_ends_is_ended(box):
    result = box.run_clean("sleep 300 & sleep 300", Limits(timeout_s=0.7))

    assert (124, True) == (result.exit_code, result.timed_out)
