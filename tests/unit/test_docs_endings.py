"""docs/troubleshooting.md has every ending, every reason to stop, and every part that can fail."""

import re
from typing import get_args

import pytest

from fakes.pages import CHECKOUT, inline_code, section
from quickstarted.agents.model.patience import Patience
from quickstarted.console.words import LABELS
from quickstarted.errors import Component
from quickstarted.verdict import (
    BUDGET_STOPS,
    CheckEnding,
    Classification,
    Facts,
    StopReason,
    classify,
)

PAGE = (CHECKOUT / "docs" / "troubleshooting.md").read_text()
README = (CHECKOUT / "README.md").read_text()
FAULTS = "### Which part failed"


def rows(heading):
    """The cells of the table's rows below *heading*, up to any next one."""
    text = re.split(r"^#", section(PAGE, heading), maxsplit=1, flags=re.MULTILINE)[0]
    lines = re.findall(r"^\| (?!---)(.+) \|$", text, re.MULTILINE)
    return [line.split(" | ") for line in lines[1:]]


@pytest.mark.parametrize("classification", Classification)
def test_every_classification_has_its_headline_and_what_to_do(classification):
    (row,) = [row for row in rows("## Endings") if f"`{classification.value}`" == row[1]]

    assert f"`[{LABELS[classification]}]`" == row[0]
    assert row[2]


@pytest.mark.parametrize("classification", Classification)
def test_the_readme_names_every_ending_that_asks_somebody_to_act(classification):
    assert classification is Classification.SKIPPED or f"`{classification.value}`" in README


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_to_stop_is_explained_with_the_ending_that_it_leads_to(reason):
    (row,) = [row for row in rows("### Why it stopped") if f"`{reason.value}`" in row[0]]
    failed = Facts(
        stop_reason=reason,
        check=CheckEnding.FAILED,
        fault_component="",
    )
    ending = classify(failed)

    if "as the check says" in row[2]:
        assert ending is Classification.DOCS_GAP
    elif reason is not StopReason.FAULT:
        assert f"`{ending.value}`" in row[2]
    assert ("`passed`" in row[2]) == (reason in BUDGET_STOPS)


@pytest.mark.parametrize("component", get_args(Component))
def test_every_part_that_can_fail_is_explained_with_the_ending_that_it_leads_to(component):
    (row,) = [row for row in rows(FAULTS) if f"`{component}`" == row[0]]
    stop = {
        "model_access": StopReason.MODEL_REJECTED,
        "model_service": StopReason.MODEL_UNAVAILABLE,
    }.get(component, StopReason.FAULT)
    ending = classify(Facts(stop_reason=stop, fault_component=component))

    assert f"`{ending.value}`" == row[1]
    assert row[2]


def test_the_page_names_no_part_that_there_is_not():
    named = {code for row in rows(FAULTS) for code in inline_code(row[0])}

    assert set(get_args(Component)) == named


def test_the_page_on_agents_says_how_long_the_models_service_is_waited_for():
    text = section((CHECKOUT / "docs" / "agents.md").read_text(), "## When the service fails")

    assert (300.0, 6) == (Patience().max_wait_s, Patience().max_failures)
    assert "up to five minutes a call; one that breaks is tried six times" in text
