"""What a summary and a comment say, and what they leave out where there is no room."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fakes.attempts import result
from quickstarted.ci.comment import COMMENT_BYTES
from quickstarted.ci.github import SUMMARY_BYTES
from quickstarted.ci.markdown import OPEN_FAILURES, Surroundings, report_markdown
from quickstarted.ci.outcomes import Outcome, TaskFile
from quickstarted.console.text import visible
from quickstarted.results import suite_result

PLAIN = Surroundings()
ANY_TEXT = st.text(st.characters(exclude_categories=()))


def outcome(run, line="  check:     exit 1: no"):
    return Outcome(run=run, lines=("headline", line), task_file=TaskFile())


def said(runs, *, limit=SUMMARY_BYTES, around=PLAIN, line="  check:     exit 1: no"):
    outcomes = [outcome(run, line) for run in runs]
    return report_markdown(suite_result(runs, created=1.0), outcomes, around, limit_bytes=limit)


def test_the_figures_come_first_then_what_to_look_at_then_the_job():
    text = said(
        [result("passed"), result("docs_gap", attempt=2)],
        around=Surroundings(title="nightly", link="https://github.com/o/n/actions/runs/1"),
    )
    parts = [
        "## nightly",
        "2 attempts, 2 gave evidence, 1 passed.",
        "| `flask` | `replay` |",
        "### What to look at",
        "**FAIL docs_gap: `flask by replay #2`**",
        "  check:     exit 1: no",
        "[The job, with all results](https://github.com/o/n/actions/runs/1)",
    ]
    places = [text.index(part) for part in parts]

    assert places == sorted(places)


def test_nothing_is_to_be_looked_at_where_everything_passed():
    assert "look at" not in said([result("passed")])


def test_gaps_stand_before_what_gives_no_evidence():
    text = said([result("infra_error"), result("docs_gap", attempt=2)])

    assert text.index("FAIL docs_gap") < text.index("INFRA infra_error")


def test_the_first_failures_are_open_and_the_others_folded():
    text = said([result("docs_gap", attempt=number) for number in range(1, OPEN_FAILURES + 3)])

    assert 2 == text.count("<details>")
    assert OPEN_FAILURES == text.count("**FAIL docs_gap")


def test_changes_stand_above_the_figures():
    text = said([result("passed")], around=Surroundings(changes="### Worse than before"))

    assert text.index("### Worse than before") < text.index("1 attempt,")


@pytest.mark.parametrize("limit", [SUMMARY_BYTES, COMMENT_BYTES, 5_000])
def test_ten_thousand_failures_are_cut_to_the_limit_and_counted(limit):
    runs = [result("docs_gap", attempt=number) for number in range(1, 10_001)]
    text = said(runs, limit=limit, line="é" * 100)
    shown = text.count("```text")

    assert len(text.encode()) <= limit
    assert 0 < shown < 10_000
    assert (
        f"**Of {10_000 - shown:,} further attempts without a pass there was no room here**" in text
    )
    assert "10,000 attempts, 10,000 gave evidence, 0 passed." in text


def test_a_table_that_is_too_long_is_cut_between_its_lines():
    text = said([result("passed", task=f"task{number}") for number in range(2_000)], limit=20_000)

    assert len(text.encode()) <= 20_000
    assert "lines of the tables had no room here**; `suite.md` has them." in text
    assert all(line.endswith("|") for line in text.splitlines() if line.startswith("| `"))


@pytest.mark.parametrize("limit", [0, 10, 700])
def test_a_limit_that_holds_next_to_nothing_is_kept(limit):
    runs = [result("docs_gap", attempt=number) for number in range(1, 20)]

    assert len(said(runs, limit=limit).encode()) <= limit


@given(ANY_TEXT, ANY_TEXT)
@example("\udc80", "\ud800")
def test_what_an_attempt_printed_calls_nobody_and_ends_no_block(agent, line):
    runs = [result("docs_gap", agent=f"exec:{agent}", attempt=number) for number in range(1, 8)]
    outcomes = [
        Outcome(run=run, lines=("h", visible(f"```{line}")), task_file=TaskFile()) for run in runs
    ]
    text = report_markdown(
        suite_result(runs, created=1.0), outcomes, Surroundings(), limit_bytes=SUMMARY_BYTES
    )

    assert 7 == sum(one.startswith("````") and one.endswith("text") for one in text.splitlines())
    for summary in (one for one in text.splitlines() if one.startswith("<summary>")):
        assert "<" not in summary.removeprefix("<summary>FAIL docs_gap: <code>").removesuffix(
            "</code></summary>"
        )
