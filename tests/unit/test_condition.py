"""Conditions: how they are named in calls, folders and headlines."""

import pytest

from quickstarted.condition import DEFAULT_CONDITION, Condition, conditions_of
from quickstarted.errors import UsageError

NONE = Condition(affordances="none")


@pytest.mark.parametrize(
    ("given", "conditions"),
    [
        ([], (DEFAULT_CONDITION,)),
        (["all"], (DEFAULT_CONDITION,)),
        (["none"], (NONE,)),
        (["none", "all"], (NONE, DEFAULT_CONDITION)),
    ],
)
def test_a_call_has_its_conditions_in_its_own_order(given, conditions):
    assert conditions == conditions_of(given)


def test_a_condition_given_twice_is_a_mistake():
    with pytest.raises(UsageError, match="--affordances none is given more than once"):
        conditions_of(["none", "all", "none"])


@pytest.mark.parametrize(
    ("condition", "suffix", "label"),
    [
        (DEFAULT_CONDITION, "", ""),
        (NONE, "+affordances-none", "affordances none"),
        (Condition(arm="no-docs"), "+no-docs", "no docs"),
        (Condition(arm="my-skill", arm_hash="sha256:1"), "+my-skill", "arm my-skill"),
        (
            Condition(affordances="none", arm="my-skill"),
            "+affordances-none+my-skill",
            "affordances none, arm my-skill",
        ),
    ],
)
def test_a_condition_is_named_by_what_differs_from_a_run_without_flags(condition, suffix, label):
    assert (suffix, label) == (condition.suffix, condition.label)


def test_only_one_arm_has_no_documentation():
    assert (False, True, True) == tuple(
        condition.has_docs
        for condition in (Condition(arm="no-docs"), DEFAULT_CONDITION, Condition(arm="skill"))
    )


def test_an_arm_of_one_name_with_other_content_is_another_condition():
    assert Condition(arm="a", arm_hash="sha256:1") != Condition(arm="a", arm_hash="sha256:2")
