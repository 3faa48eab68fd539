"""Checks in real sandboxes, of four kinds of images."""

from __future__ import annotations

import pytest

from quickstarted.check import ExpectOutput, WaitHttp, collect_output
from quickstarted.sandbox.protocol import CHECK_OUTPUT_PATH, Limits
from quickstarted.verdict import CheckEnding

pytestmark = pytest.mark.docker

PASSED, FAILED, BROKEN = CheckEnding.PASSED, CheckEnding.FAILED, CheckEnding.BROKEN
AMPLE = Limits(timeout_s=30)
LISTING = WaitHttp(target="/page.txt", contains=("it works",))


@pytest.fixture
def serve(checker):
    """A command that serves the workspace on `$QS_PORT`, with what the image has."""
    checker.sandbox.bash("cd /workspace; echo it works > page.txt", AMPLE)
    has_python = checker.sandbox.bash("command -v python3", AMPLE).exit_code == 0
    if has_python:
        return "exec python3 -m http.server --bind 127.0.0.1 $QS_PORT"
    return "exec httpd -f -p 127.0.0.1:$QS_PORT"


def served(sandbox):
    """What runs of the check; busybox's timeout ends within a second after what it watches."""
    processes = (process.command for process in sandbox.foreign_processes())
    return [command for command in processes if "/timeout " not in command]


def test_a_server_that_answers_passes(checker, serve):
    outcome = checker.run(
        "qs_wait_http /none --status 404\ntest -f page.txt\n", serve=serve, wait_http=LISTING
    )

    assert (outcome.ending, outcome.exit_code, outcome.output) == (PASSED, 0, "")
    assert served(checker.sandbox) == []


@pytest.mark.parametrize(
    ("wait", "why"),
    [
        (WaitHttp(target="/none", timeout_s=1), "/none: status 404, wanted 200 after "),
        (
            WaitHttp(target="/page.txt", contains=("it's",), timeout_s=1),
            "/page.txt: body does not contain it's after ",
        ),
        (
            WaitHttp(target="http://127.0.0.1:1/", timeout_s=1),
            "GET http://127.0.0.1:1/: connection refused after ",
        ),
    ],
    ids=["status", "body", "nobody"],
)
def test_a_server_that_answers_wrong_fails_and_says_how(checker, serve, wait, why):
    outcome = checker.run("exit 0", serve=serve, wait_http=wait)

    assert (outcome.ending, outcome.exit_code) == (FAILED, 1)
    assert why in outcome.output
    assert served(checker.sandbox) == []


def test_a_server_that_dies_fails_with_its_log(checker):
    outcome = checker.run(serve="echo no such module >&2; exit 2", wait_http=LISTING)

    assert outcome.ending == FAILED
    assert "ended with exit code 2\n" in outcome.output
    assert "no such module\n" in outcome.output


def test_a_server_that_never_answers_fails(checker):
    script = "qs_wait_http / --timeout 2"
    outcome = checker.run(script, serve="exec nc -l -p $QS_PORT >/dev/null 2>&1 || sleep 60")

    assert outcome.ending == FAILED
    assert "check failed: GET http://127.0.0.1:" in outcome.output


def test_a_child_that_reads_standard_input_does_not_swallow_the_rest(checker):
    outcome = checker.run("cat\nsh\necho still here\nexit 1\n")

    assert (outcome.ending, outcome.exit_code, outcome.output) == (FAILED, 1, "still here\n")


def test_nothing_of_the_agents_shell_is_left(checker):
    checker.sandbox.bash(
        "export PATH=/nowhere MINE=1; cd /tmp; set -e; test() { false; }; umask 777", AMPLE
    )
    checker.sandbox.bash(
        "printf 'exit 0\\n' | /bin/tee ~/.bashrc ~/.profile ~/.bash_profile >/dev/null", AMPLE
    )

    outcome = checker.run(
        'test -z "${MINE-}" && pwd && touch made && cat made && rm made && exit 9'
    )
    checker.sandbox.reset_shell()

    assert (outcome.exit_code, outcome.output) == (9, "/workspace\n")


def test_the_check_runs_as_the_images_user(checker):
    outcome = checker.run("id -u")

    expected = {"reader": "1234"}.get(checker.sandbox.facts["user"], checker.sandbox.facts["user"])
    assert outcome.output == f"{expected}\n"


def test_what_the_agent_printed_is_there_for_the_check_only(checker):
    sandbox = checker.sandbox
    printed = [
        sandbox.bash("printf 'Listening on \\033[1m3000\\033[0m\\n'", AMPLE),
        sandbox.bash("echo wrong; exit 1", AMPLE),
    ]
    expect = ExpectOutput(contains=("Listening on 3000",), matches=("^Listening.*[0-9]+$",))

    outcome = checker.run(expect_output=expect, outputs=collect_output(printed))
    missed = checker.run(
        expect_output=ExpectOutput(contains=("wrong",)), outputs=collect_output(printed)
    )

    assert (outcome.ending, outcome.output) == (PASSED, "")
    assert missed.ending == FAILED
    assert sandbox.get_file(CHECK_OUTPUT_PATH, 100) == b""


def test_a_check_that_does_not_end_is_broken_and_leaves_nothing(checker):
    outcome = checker.run("qs_serve 'sleep 300'\nsleep 300 & sleep 300", timeout_s=3.0)

    assert (outcome.ending, outcome.timed_out, outcome.exit_code) == (BROKEN, True, 124)
    assert served(checker.sandbox) == []
    assert checker.run("exit 0").ending == PASSED


def test_a_check_that_kills_every_process_gives_no_verdict(checker):
    outcome = checker.run("kill -9 -1; kill -9 $$; sleep 1; exit 0")

    assert outcome.ending == BROKEN
    assert checker.run("exit 0").ending == PASSED


def test_a_child_that_stays_does_not_hold_the_check_up(checker):
    outcome = checker.run("sleep 300 &\necho done")

    assert (outcome.ending, outcome.output) == (PASSED, "done\n")
    checker.sandbox.restart()


def test_a_long_script_and_long_output_are_judged(checker):
    script = f"cat <<'E'\n{'x' * 400_000}\nE\nexit 7"

    outcome = checker.run(script)

    assert (outcome.ending, outcome.exit_code) == (FAILED, 7)
    assert len(outcome.output) < 30_000
    assert "qs-check-" not in outcome.output


def test_a_script_in_bash_asks_for_bash(checker):
    has_bash = checker.sandbox.facts["shell"].endswith("bash")

    outcome = checker.run("#!/usr/bin/env bash\nx=(1 2)\n[[ ${#x[@]} == 2 ]]\n")

    assert outcome.ending == (PASSED if has_bash else BROKEN)


def test_a_program_that_is_not_there_is_said(checker):
    outcome = checker.run("node --version")

    assert (outcome.ending, outcome.exit_code) == (FAILED, 127)
    assert "node" in outcome.output
    assert "not found" in outcome.output
