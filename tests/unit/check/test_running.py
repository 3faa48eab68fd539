from pathlib import Path

import pytest

from fakes.shell_sandbox import ShellSandbox
from quickstarted.check import CheckPlan, ExpectOutput, run_check
from quickstarted.check.running import judge
from quickstarted.events import CommandResult
from quickstarted.sandbox.protocol import check_output_path
from quickstarted.verdict import CheckEnding

PASSED, FAILED, BROKEN = CheckEnding.PASSED, CheckEnding.FAILED, CheckEnding.BROKEN
START = "N1 start\n"


def result(output="", exit_code=0, **more):
    return CommandResult(
        exit_code=exit_code, output=output, output_bytes=len(output), duration=1.5, **more
    )


@pytest.mark.parametrize(
    ("given", "ending", "output"),
    [
        (result(f"{START}hi\n\nN1 end 0\n"), PASSED, "hi\n"),
        (result(f"{START}hi\nN1 end 0\n"), PASSED, "hi"),
        (result(f"{START}\nN1 end 0\n"), PASSED, ""),
        (result(f"{START}no\n\nN1 end 1\n", 1), FAILED, "no\n"),
        (result(f"{START}\nN1 end 127\nlate\n", 127), FAILED, "late\n"),
        (result(f"{START}\nN1 end 0\n", 137), FAILED, ""),
        (result(f"{START}\nN1 end 3\n", 0), FAILED, ""),
        (
            result(f"{START}why\n\nN1 broken 125\n", 125),
            BROKEN,
            "why\nthe check gives no verdict: its script or the image is at fault",
        ),
        (
            result("sh: not found\n", 127),
            BROKEN,
            "sh: not found\nthe check gives no verdict: it could not start (exit code 127)",
        ),
        (result("", 0), BROKEN, "the check gives no verdict: it could not start (exit code 0)"),
        (
            result(f"{START}half", 0),
            BROKEN,
            (
                "half\nthe check gives no verdict: its shell was ended from outside the script"
                " (exit code 0)"
            ),
        ),
        (
            result(f"{START}half\n", 137, note="killed: out of memory (limit 4g)"),
            BROKEN,
            (
                "half\nkilled: out of memory (limit 4g)\nthe check gives no verdict:"
                " its shell was ended from outside the script (exit code 137)"
            ),
        ),
        (
            result(f"{START}half\n", 124, timed_out=True),
            BROKEN,
            "half\nthe check gives no verdict: it did not end within 30 s",
        ),
        (
            result(f"{START}half\n", 137, restarted="processes were left"),
            BROKEN,
            (
                "half\nthe check gives no verdict: the sandbox was restarted while it ran:"
                " processes were left"
            ),
        ),
        (
            result(f"{START}x\n\nN1 end 1\n", 1, note="a child was killed: out of memory"),
            FAILED,
            "x\na child was killed: out of memory",
        ),
        (result("N2 start\n\nN2 end 0\n"), BROKEN, None),
    ],
)
def test_the_marks_and_the_exit_code_decide_together(given, ending, output):
    outcome = judge(given, "N1", 30)

    assert ending == outcome.ending
    assert (ending is BROKEN) == bool(outcome.why)
    assert (given.exit_code, 1.5) == (outcome.exit_code, outcome.duration)
    assert output is None or output == outcome.output


@pytest.mark.parametrize("ending_line", ["\nN1 end 0\n", "\nN1 end 0"])
def test_marks_that_were_cut_from_the_output_are_read_from_the_record(tmp_path, ending_line):
    record = tmp_path / "full"
    record.write_bytes(START.encode() + b"x" * 3_000_000 + ending_line.encode())

    outcome = judge(result("cut", truncated=True, full_output_path=str(record)), "N1", 30)

    assert (outcome.ending, outcome.output) == (PASSED, "cut")


def test_a_record_that_cannot_be_read_gives_no_verdict(tmp_path):
    outcome = judge(result("cut", full_output_path=str(tmp_path / "gone")), "N1", 30)

    assert outcome.ending == BROKEN


def test_a_check_that_does_not_end_is_broken(checker):
    outcome = checker.run("sleep 60", timeout_s=1.0)

    assert (outcome.ending, outcome.timed_out, outcome.exit_code) == (BROKEN, True, 124)
    assert outcome.output.endswith("the check gives no verdict: it did not end within 1 s")


@pytest.mark.parametrize("signal", ["TERM", "KILL", "HUP"])
def test_a_check_whose_shell_is_ended_is_broken(checker, signal):
    outcome = checker.run(f"kill -{signal} $$; sleep 0.2; exit 0")

    assert outcome.ending == BROKEN


def test_a_shell_that_is_not_there_is_broken(tmp_path):
    sandbox = ShellSandbox(tmp_path, ["sh", "-c", "echo no bash here; exit 127", "sh"])

    outcome = run_check(sandbox, CheckPlan(script="true"))

    assert (outcome.ending, outcome.exit_code) == (BROKEN, 127)


def test_the_outputs_are_in_the_sandbox_for_the_check_only(tmp_path):
    sandbox = ShellSandbox(tmp_path)

    outcome = run_check(
        sandbox, CheckPlan(expect_output=ExpectOutput(contains=("hello",))), b"hello\n"
    )

    assert outcome.passed
    assert Path(check_output_path(sandbox.state_dir)).read_bytes() == b""


def test_the_outputs_are_emptied_after_a_failure_and_after_a_timeout(tmp_path):
    for script in ("qs_expect_output --contains absent", "qs_expect_output --contains x; sleep 60"):
        sandbox = ShellSandbox(tmp_path)

        outcome = run_check(sandbox, CheckPlan(script=script, timeout_s=1.0), b"x\n")

        assert not outcome.passed
        assert Path(check_output_path(sandbox.state_dir)).read_bytes() == b""


def test_a_check_that_does_not_ask_for_the_outputs_gets_none(tmp_path):
    sandbox = ShellSandbox(tmp_path)

    run_check(sandbox, CheckPlan(script="true"), b"hello\n")

    assert (sandbox.files, len(sandbox.scripts)) == ({}, 1)


def test_two_checks_have_different_words(tmp_path):
    sandbox = ShellSandbox(tmp_path)
    script = 'echo "word: $qs__nonce"'

    words = {run_check(sandbox, CheckPlan(script=script)).output for _ in range(2)}

    assert len(words) == 2
