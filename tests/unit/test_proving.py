import pytest

from fakes.attempts import result
from quickstarted.proving import Proof, Standing, Step, judge_replay, judge_untouched
from quickstarted.results import FaultResult
from quickstarted.task import parse_task
from quickstarted.verdict import StopReason

TASK = b"""\
name: x
goal: g
docs: {entrypoint: https://docs.example/}
replay: [pip install x]
success: {script: python a.py || qs_fail no}
"""


def fault(component):
    return FaultResult(component=component, error="it broke", hint="Mend it.")


@pytest.mark.parametrize(
    ("made", "standing", "reason"),
    [
        (result("docs_gap"), Standing.PROVED, ""),
        (
            result("passed"),
            Standing.NOT_PROVED,
            "the check passes although nothing has been done: it cannot tell",
        ),
        (
            result("harness_error", fault=fault("setup")),
            Standing.NO_EVIDENCE,
            "harness_error: setup: it broke Mend it.",
        ),
        (
            result("infra_error", fault=fault("engine")),
            Standing.NO_EVIDENCE,
            "infra_error: engine: it broke Mend it.",
        ),
    ],
)
def test_an_untouched_workspace_must_fail_the_check(made, standing, reason):
    assert (standing, reason) == judge_untouched(made)


@pytest.mark.parametrize(
    ("made", "standing", "reason"),
    [
        (result("passed"), Standing.PROVED, ""),
        (
            result("docs_gap"),
            Standing.NOT_PROVED,
            "the check fails although every command of `replay` succeeded",
        ),
        (
            result("docs_gap", stop_reason=StopReason.COMMAND_FAILED),
            Standing.NOT_PROVED,
            "a command of `replay` fails, and so does the check",
        ),
        (
            result("budget_exhausted", stop_reason=StopReason.MAX_SECONDS),
            Standing.NOT_PROVED,
            "replay does not end within the task's budgets (max_seconds)",
        ),
        (
            result("harness_error", refused_hosts=["a.example", "b.example"]),
            Standing.NO_EVIDENCE,
            (
                "harness_error: refused: a.example, b.example;"
                " if the docs ask for it, add it to `network.allow` or `.paths`"
            ),
        ),
        (
            result("infra_error"),
            Standing.NO_EVIDENCE,
            "infra_error: a host that the commands need did not answer",
        ),
    ],
)
def test_replay_must_pass_the_check(made, standing, reason):
    assert (standing, reason) == judge_replay(made)


@pytest.mark.parametrize(
    ("steps", "whole"),
    [
        (["proved", "proved"], "proved"),
        (["proved", "not_proved"], "not_proved"),
        (["not_proved", "no_evidence"], "not_proved"),
        (["proved", "no_evidence"], "no_evidence"),
        ([], "no_evidence"),
    ],
)
def test_a_proof_stands_as_its_heaviest_step(tmp_path, steps, whole):
    made = tuple(
        Step(
            name="replay",
            standing=Standing(standing),
            reason="",
            warning="",
            stopped_at=None,
            result=result(),
            folder=tmp_path,
        )
        for standing in steps
    )

    proof = Proof(task=parse_task(TASK, tmp_path / "x.yaml"), steps=made)

    assert Standing(whole) is proof.standing
