"""`--repeat auto` and `--min-pass-rate`: what they come to, and what is refused."""

import click
import pytest

from fakes.attempts import result
from quickstarted.cli.gate_flags import (
    exit_code_for,
    gate_flags,
    judged_by,
    refuse_powerless,
    settled,
    stop_rule_for,
)
from quickstarted.errors import UsageError
from quickstarted.figures import SequentialPlan, rule_for
from quickstarted.results import suite_result


@gate_flags
@click.command()
def command(**flags):
    return flags


def _settled(*args, **others):
    return settled(command.main(args, standalone_mode=False) | others)


def test_without_flags_there_is_one_attempt_and_no_gate():
    assert _settled() == {"repeat": 1, "gate": None, "strict_inconclusive": False}


def test_a_fixed_number_is_judged_by_the_binomial_test():
    found = _settled("--repeat", "5", "--min-pass-rate", "0.9")

    assert (found["repeat"], found["gate"]) == (5, rule_for(0.9))
    assert stop_rule_for(found["gate"]) is None


@pytest.mark.parametrize(
    ("args", "plan"),
    [
        (["auto"], SequentialPlan(0.9)),
        (["auto:40"], SequentialPlan(0.9, longest=40)),
        (["auto", "--margin", "0.3"], SequentialPlan(0.9, 0.3)),
    ],
)
def test_auto_is_the_sequential_test_with_as_many_attempts_as_it_may_take(args, plan):
    found = _settled("--min-pass-rate", "0.9", "--repeat", *args)

    assert (found["repeat"], found["gate"]) == (plan.most, rule_for(0.9, plan))
    assert stop_rule_for(found["gate"]).most == plan.most


@pytest.mark.parametrize(
    ("args", "others", "words"),
    [
        (["--repeat", "auto"], {}, "there is none"),
        (["--repeat", "3", "--min-pass-rate", "0.9", "--margin", "0.1"], {}, "about --repeat auto"),
        (
            ["--repeat", "auto", "--min-pass-rate", "0.9"],
            {"shard": "1/2"},
            "takes them apart",
        ),
        (["--repeat", "auto:3", "--min-pass-rate", "0.5"], {}, "can never show"),
    ],
)
def test_what_contradicts_itself_is_refused(args, others, words):
    with pytest.raises(UsageError, match=words):
        _settled(*args, **others)


@pytest.mark.parametrize(
    "repeat", ["0", "-1", "x", "auto:0", "auto:", "1.5", "٣", "10001", "9" * 5000, "auto:100000"]
)
def test_what_is_no_number_of_attempts_is_refused(repeat):
    with pytest.raises(click.BadParameter, match="neither a number"):
        _settled("--repeat", repeat)


@pytest.mark.parametrize("rate", ["0", "1.01", "nan"])
def test_what_is_no_rate_is_refused(rate):
    with pytest.raises((click.BadParameter, UsageError)):
        _settled("--min-pass-rate", rate)


def test_a_gate_that_could_never_be_red_is_refused():
    with pytest.raises(UsageError, match="can never fail") as refusal:
        refuse_powerless(rule_for(0.5), [9, 4])

    assert refusal.value.hint == "Give --repeat 5 or more, or --repeat auto."


@pytest.mark.parametrize(
    ("rule", "repeats"),
    [
        (None, [1]),
        (rule_for(0.5), [5]),
        (rule_for(0.5), []),
        (rule_for(0.9, SequentialPlan(0.9)), [1]),
    ],
)
def test_a_gate_that_can_be_red_is_not(rule, repeats):
    assert refuse_powerless(rule, repeats) is None


@pytest.mark.parametrize(
    ("names", "shard", "code", "strict"),
    [
        (["passed", "passed", "docs_gap"], None, 0, 0),
        (["passed", "docs_gap", "docs_gap"], None, 1, 1),
        (["passed", "docs_gap", "docs_gap"], (1, 2), 0, 0),
        (["infra_error"], (1, 2), 2, 1),
        (["infra_error"], None, 2, 1),
    ],
)
def test_a_shard_judges_nothing_but_says_whether_it_has_evidence(names, shard, code, strict):
    suite = suite_result([result(name) for name in names], created=1.0)
    judged = judged_by(rule_for(0.9), shard)(suite)

    assert judged.gate == rule_for(0.9)
    assert (judged.cells[0].gate is None) == (shard is not None)
    assert code == exit_code_for(judged, shard, strict_inconclusive=False)
    assert strict == exit_code_for(judged, shard, strict_inconclusive=True)


def test_without_a_gate_results_and_exit_code_are_as_ever():
    suite = suite_result([result("passed"), result("docs_gap")], created=1.0)

    assert judged_by(None, None)(suite) is suite
    assert exit_code_for(suite, None, strict_inconclusive=False) == 1
