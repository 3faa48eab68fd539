"""The table of DESIGN, "The trace and the verdict": a test per row, and their order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.verdict import (
    BUDGET_STOPS,
    EVIDENTIAL,
    INFRA_COMPONENTS,
    TABLE,
    CheckEnding,
    Classification,
    Facts,
    StopReason,
    classify,
)

C = Classification
S = StopReason
E = CheckEnding

COMPONENTS = (*sorted(INFRA_COMPONENTS), "image", "setup", "service", "check", "price", "arm")

FACTS = st.builds(
    Facts,
    stop_reason=st.sampled_from(StopReason),
    check=st.sampled_from(CheckEnding),
    fault_component=st.sampled_from(("", *COMPONENTS)),
    refused_host=st.booleans(),
    upstream_failed=st.booleans(),
)

ROWS = {
    "infrastructure": (Facts(stop_reason=S.FAULT, fault_component="engine"), C.INFRA_ERROR),
    "model service": (Facts(stop_reason=S.MODEL_UNAVAILABLE), C.INFRA_ERROR),
    "model access": (Facts(stop_reason=S.MODEL_REJECTED), C.HARNESS_ERROR),
    "declined": (Facts(stop_reason=S.DECLINED, check=E.FAILED), C.AGENT_REFUSAL),
    "interrupted": (Facts(stop_reason=S.INTERRUPTED), C.SKIPPED),
    "max spend": (Facts(stop_reason=S.MAX_SPEND), C.SKIPPED),
    "nothing to run": (Facts(stop_reason=S.NOTHING_TO_RUN), C.SKIPPED),
    "preparation or check": (Facts(stop_reason=S.FAULT, fault_component="setup"), C.HARNESS_ERROR),
    "check broken": (Facts(stop_reason=S.COMPLETED, check=E.BROKEN), C.HARNESS_ERROR),
    "passed": (Facts(stop_reason=S.COMPLETED, check=E.PASSED), C.PASSED),
    "budget": (Facts(stop_reason=S.MAX_TURNS, check=E.FAILED), C.BUDGET_EXHAUSTED),
    "refused host": (
        Facts(stop_reason=S.COMMAND_FAILED, check=E.FAILED, refused_host=True),
        C.HARNESS_ERROR,
    ),
    "not kept": (
        Facts(stop_reason=S.COMPLETED, check=E.FAILED, missed_offline=True),
        C.HARNESS_ERROR,
    ),
    "upstream": (
        Facts(stop_reason=S.COMMAND_FAILED, check=E.FAILED, upstream_failed=True),
        C.INFRA_ERROR,
    ),
    "docs gap": (Facts(stop_reason=S.COMPLETED, check=E.FAILED), C.DOCS_GAP),
}

DESIGN_ORDER = [
    # 1, 2: what the attempt stands on, then the model's service
    "infrastructure",
    "model service",
    "model access",
    "declined",
    # an attempt that was not made has no check to be judged by
    "interrupted",
    "max spend",
    "nothing to run",
    # 3: preparation, and a check that could not speak
    "preparation or check",
    "check broken",
    # 4 to 8
    "passed",
    "budget",
    "refused host",
    "not kept",
    "upstream",
    "docs gap",
]


def test_the_rows_stand_in_the_order_of_the_design():
    assert [row.name for row in TABLE] == DESIGN_ORDER


@pytest.mark.parametrize("name", DESIGN_ORDER)
def test_each_row_gives_its_classification(name):
    facts, expected = ROWS[name]

    assert expected == classify(facts)


@pytest.mark.parametrize("name", DESIGN_ORDER)
def test_each_example_is_decided_by_its_own_row(name):
    facts, _ = ROWS[name]

    assert name == next(row.name for row in TABLE if row.holds(facts))


@pytest.mark.parametrize("component", sorted(INFRA_COMPONENTS))
def test_a_fault_of_what_the_attempt_stands_on_beats_a_passed_check(component):
    facts = Facts(stop_reason=S.COMPLETED, check=E.PASSED, fault_component=component)

    assert classify(facts) == C.INFRA_ERROR


@pytest.mark.parametrize("component", ["image", "setup", "service", "check"])
def test_a_fault_of_the_task_is_the_harness_s_business(component):
    facts = Facts(stop_reason=S.FAULT, fault_component=component)

    assert classify(facts) == C.HARNESS_ERROR


@pytest.mark.parametrize("stop_reason", [*sorted(BUDGET_STOPS), S.COMMAND_FAILED, S.COMPLETED])
def test_a_passed_check_counts_whatever_stopped_the_agent(stop_reason):
    facts = Facts(stop_reason=stop_reason, check=E.PASSED, refused_host=True, upstream_failed=True)

    assert classify(facts) == C.PASSED


@pytest.mark.parametrize("stop_reason", sorted(BUDGET_STOPS))
def test_a_budget_beats_a_refused_host_and_a_gap(stop_reason):
    facts = Facts(stop_reason=stop_reason, check=E.FAILED, refused_host=True)

    assert classify(facts) == C.BUDGET_EXHAUSTED


def test_a_refused_host_beats_a_failed_upstream():
    facts = Facts(stop_reason=S.COMPLETED, check=E.FAILED, refused_host=True, upstream_failed=True)

    assert classify(facts) == C.HARNESS_ERROR


@pytest.mark.parametrize("stop_reason", [S.COMPLETED, S.COMMAND_FAILED, S.FAULT])
def test_facts_that_contradict_each_other_are_no_gap(stop_reason):
    with pytest.raises(ValueError, match="no fault, and no check ran"):
        classify(Facts(stop_reason=stop_reason))


def test_only_passed_and_docs_gap_are_evidence():
    assert {C.PASSED, C.DOCS_GAP} == {one for one in Classification if one.evidential} == EVIDENTIAL


@given(FACTS)
def test_the_first_row_that_holds_decides(facts):
    holding = [row for row in TABLE if row.holds(facts)]
    if not holding:
        with pytest.raises(ValueError, match="no check ran"):
            classify(facts)
        return

    first = min(holding, key=lambda row: DESIGN_ORDER.index(row.name))

    assert first.classification == classify(facts)


@given(FACTS)
def test_documentation_is_blamed_only_when_nothing_else_can_be(facts):
    blamed = (
        not facts.fault_component
        and facts.check is E.FAILED
        and not facts.refused_host
        and not facts.upstream_failed
        and facts.stop_reason in {S.COMPLETED, S.COMMAND_FAILED, S.FAULT}
    )
    try:
        verdict = classify(facts)
    except ValueError:
        verdict = None

    assert blamed == (verdict is C.DOCS_GAP)


@given(FACTS)
def test_nothing_passes_without_a_check_that_passed(facts):
    try:
        verdict = classify(facts)
    except ValueError:
        return

    assert verdict is not C.PASSED or facts.check is E.PASSED
