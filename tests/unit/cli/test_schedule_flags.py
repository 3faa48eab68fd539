"""Limits that are typed concern the call; those of a file may be about other calls."""

from dataclasses import dataclass

import pytest

from fakes.program import write_task
from quickstarted.agents import agent_named
from quickstarted.cli.schedule_flags import suite_options
from quickstarted.errors import UsageError
from quickstarted.plan import AttemptPlan
from quickstarted.task import load_task


@dataclass(frozen=True)
class Flags:
    """Those of a call that are looked at."""

    limit: tuple[str, ...]
    typed: frozenset[str] = frozenset()
    workers: int = 3
    retries: int = 1
    gate: None = None


@pytest.fixture
def plans(tmp_path):
    task = load_task(write_task(tmp_path, "success: {script: 'true'}\n"))
    return [AttemptPlan(task=task, agent=agent_named("claude"), attempt=1, run_id="r")]


def test_limits_are_on_what_attempts_use(plans):
    typed = Flags(("anthropic=2", "docs.example=1"), frozenset({"limit"}))

    options = suite_options(typed, plans)

    assert ({"anthropic": 2, "docs.example": 1}, 3, 1) == (
        options.limits,
        options.workers,
        options.retries,
    )


def test_a_typed_limit_that_nothing_uses_is_refused(plans):
    with pytest.raises(UsageError) as caught:
        suite_options(Flags(("antropic=2",), frozenset({"limit"})), plans)

    assert (
        "--limit antropic: no attempt of this call uses it\n"
        "Name a vendor (anthropic, openai, gemini) or a host of the documentation."
    ) == str(caught.value)


def test_a_files_limit_that_nothing_uses_is_left_alone(plans):
    assert {"anthropic": 2} == suite_options(Flags(("openai=1", "anthropic=2")), plans).limits


NO_LIMITS = ["anthropic", "anthropic=", "=3", "anthropic=0", "anthropic=x", "anthropic=²"]


@pytest.mark.parametrize("text", [*NO_LIMITS, f"anthropic={'9' * 5000}"])
def test_what_is_no_limit_is_refused(plans, text):
    with pytest.raises(UsageError) as caught:
        suite_options(Flags((text,)), plans)

    assert (f"--limit {text}: expected a name and a number from 1, such as anthropic=4") == str(
        caught.value
    )


def test_a_limit_that_is_given_twice_is_refused(plans):
    with pytest.raises(UsageError, match="--limit openai is given twice, as 1 and as 2"):
        suite_options(Flags(("openai=1", "openai=2")), plans)
