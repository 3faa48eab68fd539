"""The author's script behaves as in a file of its own, and cannot make the library misbehave."""

import pytest

from quickstarted.verdict import CheckEnding

PASSED, FAILED, BROKEN = CheckEnding.PASSED, CheckEnding.FAILED, CheckEnding.BROKEN

MEAN = """
set -eufC
IFS=:0
readonly url=1 status=2 line=3 file=4 code=5
cat() { false; }
grep() { false; }
sleep() { false; }
umask 077
trap 'echo "bye $?"' EXIT
"""
"""What a script may do to the shell that the library's functions run in too."""


@pytest.mark.parametrize(
    ("script", "ending", "exit_code", "output"),
    [
        ("", PASSED, 0, ""),
        ("echo hi", PASSED, 0, "hi\n"),
        ("exit 0; exit 1", PASSED, 0, ""),
        ("false", FAILED, 1, ""),
        ("false; true", PASSED, 0, ""),
        ("exit 3", FAILED, 3, ""),
        ("exit 126", FAILED, 126, ""),
        ("exit 127", FAILED, 127, ""),
        ("exit 125", FAILED, 125, ""),
        ("set -e\nfalse\necho no", FAILED, 1, ""),
        ("#!/bin/sh -e\nfalse\necho no", FAILED, 1, ""),
        ("f() { return 4; }\nf", FAILED, 4, ""),
        ("trap 'echo bye' EXIT\nexit 5", FAILED, 5, "bye\n"),
        ("(exit 6) || exit $?", FAILED, 6, ""),
        ("cat\nread x || echo empty\nexit 1", FAILED, 1, "empty\n"),
        ("cat <<EOF\n'\"$((1 + 1))\nEOF", PASSED, 0, "'\"2\n"),
        ("printf 'no newline'", PASSED, 0, "no newline"),
        ("exec true", PASSED, 0, ""),
        ("exec false", FAILED, 1, ""),
        ("sleep 0.1 & wait", PASSED, 0, ""),
        ("test \"$QS_PORT\" -gt 1024 && sh -c 'test $QS_PORT'", PASSED, 0, ""),
        ('test -z "${QS_CHECK_NONCE-}"', PASSED, 0, ""),
    ],
)  # fmt: skip
def test_a_script_does_what_it_does_in_a_file(checker, script, ending, exit_code, output):
    outcome = checker.run(script)

    assert (ending, exit_code, output) == (outcome.ending, outcome.exit_code, outcome.output)


def test_in_bash_a_script_is_the_main_one_and_its_lines_are_counted(bash_checker):
    outcome = bash_checker.run(
        "#!/bin/bash\n"
        "main() { nothing-of-this-name; exit 9; }\n"
        "shopt -s extglob\n"
        "case abc in @(abc|d)) ;; *) exit 1 ;; esac\n"
        'if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main; fi\n'
    )

    assert outcome.exit_code == 9
    assert "line 2: nothing-of-this-name: command not found\n" in outcome.output


def test_variables_of_the_script_are_there_for_its_exit_trap(bash_checker):
    outcome = bash_checker.run("declare -r name=x\ntrap 'echo \"bye $name\"' EXIT\nset -u\ntrue\n")

    assert (outcome.ending, outcome.output) == (PASSED, "bye x\n")


@pytest.mark.parametrize(
    "script",
    [
        "if true; then\necho hi\n",
        "echo 'open\n",
        "echo )\n",
        "done\n",
        "f() {\n",
        "case a in @(a)) ;; esac",
    ],
)
def test_a_script_that_no_shell_can_read_is_broken_and_not_failed(checker, script):
    outcome = checker.run(script)

    assert outcome.ending == BROKEN
    assert "check broken: its script is not valid" in outcome.output


def test_a_bash_script_where_there_is_no_bash_is_broken(checker, shell):
    outcome = checker.run("#!/usr/bin/env bash\nx=(1 2)\n")

    assert (PASSED if shell == "bash" else BROKEN) == outcome.ending
    assert (shell == "bash") == ("asks for bash, and this image has none" not in outcome.output)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        ("qs_fail 'it is' so\necho no", "check failed: it is so\n"),
        ("set -e\nqs_fail -n", "check failed: -n\n"),
        ("qs_fail 'a\nb'", "check failed: a\nb\n"),
    ],
)
def test_qs_fail_says_why_and_ends_the_check(checker, script, output):
    outcome = checker.run(script)

    assert (FAILED, 1, output) == (outcome.ending, outcome.exit_code, outcome.output)


@pytest.mark.parametrize(
    "script",
    [
        "(qs_fail inside)\ntrue",
        "x=$(qs_fail inside)\ntrue",
        "echo a | while read -r x; do qs_fail inside; done\ntrue",
        "echo a | { read -r x; qs_fail inside; } | cat\ntrue",
        "if (qs_fail inside); then :; fi\nexit 0",
        "(qs_fail inside) &\nwait\ntrue",
    ],
)
def test_qs_fail_in_a_subshell_fails_the_check_at_its_end(checker, script):
    outcome = checker.run(script)

    assert (outcome.ending, outcome.exit_code) == (FAILED, 1)
    assert "check failed: inside\n" in outcome.output


def test_what_a_script_sets_does_not_reach_the_library(checker):
    outcome = checker.run(
        MEAN + 'qs_serve python3 -m http.server --bind 127.0.0.1 "$QS_PORT"\n'
        'qs_serve "command sleep 60 | command sleep 60"\n'
        "qs_wait_http / --contains 'Directory listing' --matches '^<.*html' --timeout 40\n"
        "qs_wait_http /gone --status 404 --timeout 40\n"
        "qs_expect_output --contains 'port 10:0' --matches '^port .*0$'\n"
        "false\n",
        outputs=b"port 10:0\n",
    )  # fmt: skip

    assert "bye 1\n" in outcome.output
    assert "check failed" not in outcome.output
    assert (outcome.ending, outcome.exit_code) == (FAILED, 1)
