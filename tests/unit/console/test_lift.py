"""The table of what documentation adds."""

import pytest

from fakes.attempts import result
from quickstarted.console.lift import lift_sections
from quickstarted.console.tables import suite_markdown
from quickstarted.results import suite_result


def suite(*runs):
    return suite_result(
        [result(name, arm=arm, **fields) for name, arm, fields in runs], created=1.0
    )


def rows(*runs):
    sections = list(lift_sections(suite(*runs).cells))
    return sections[1].splitlines()[2:] if sections else []


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (
            [("passed", "docs", {}), ("passed", "docs", {}), ("docs_gap", "no-docs", {})],
            ["| `flask` | `replay` | `all` | `docs` | 2 of 2 (100%) | 0 of 1 (0%) | +100 |"],
        ),
        (
            [("docs_gap", "docs", {}), ("passed", "no-docs", {}), ("passed", "skill", {})],
            [
                "| `flask` | `replay` | `all` | `docs` | 0 of 1 (0%) | 1 of 1 (100%) | -100 |",
                "| `flask` | `replay` | `all` | `skill` | 1 of 1 (100%) | 1 of 1 (100%) | +0 |",
            ],
        ),
        (
            [("passed", "docs", {}), ("infra_error", "no-docs", {})],
            ["| `flask` | `replay` | `all` | `docs` | 1 of 1 (100%) | 0 of 0 | none |"],
        ),
        (
            [
                ("passed", "docs", {"affordance_policy": "none"}),
                ("passed", "no-docs", {}),
                ("passed", "docs", {"task": "other"}),
                ("passed", "docs", {"agent": "other"}),
            ],
            ["| `flask` | `replay` | `none` | `docs` | 1 of 1 (100%) | 1 of 1 (100%) | +0 |"],
        ),
        ([("passed", "docs", {}), ("passed", "skill", {})], []),
        ([("passed", "no-docs", {})], []),
    ],
    ids=["lift", "several arms", "no evidence", "same task and agent", "no base", "alone"],
)
def test_each_arm_stands_beside_the_attempts_without_documentation(runs, expected):
    assert expected == rows(*runs)


def test_the_tables_of_a_run_have_it_and_claim_nothing_of_chance():
    text = suite_markdown(suite(("passed", "docs", {}), ("docs_gap", "no-docs", {})))

    assert "## Lift over no documentation" in text
    assert "It says nothing of chance" in text


def test_a_run_without_such_attempts_has_none():
    assert "Lift" not in suite_markdown(suite(("passed", "docs", {})))
