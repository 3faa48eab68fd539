import pytest

from fakes.attempts import result
from quickstarted.console.words import (
    LABELS,
    MEANINGS,
    count,
    exit_said,
    headline,
    seconds,
    size,
    why,
)
from quickstarted.events import Usage
from quickstarted.results import FaultResult
from quickstarted.verdict import Classification, StopReason


def test_every_classification_has_its_words():
    assert set(Classification) == set(LABELS) == set(MEANINGS)


@pytest.mark.parametrize(
    ("classification", "head"),
    [
        ("passed", "[PASS] flask (12.3 s, 1 page, 5 commands)"),
        ("docs_gap", "[FAIL docs_gap] flask (12.3 s, 1 page, 5 commands)"),
        ("infra_error", "[INFRA infra_error] flask (12.3 s, 1 page, 5 commands)"),
        ("harness_error", "[ERROR harness_error] flask (12.3 s, 1 page, 5 commands)"),
        ("skipped", "[SKIP] flask (12.3 s, 1 page, 5 commands)"),
    ],
)
def test_the_headline_says_verdict_and_effort(classification, head):
    made = result(classification, duration_seconds=12.34, docs_pages_read=1, commands=5)

    assert head == headline(made)


def test_the_headline_of_a_model_has_its_turns_and_tokens():
    tokens = Usage(input_tokens=10, output_tokens=2000, cache_read_tokens=300)
    made = result(duration_seconds=1, turns=2, tokens=tokens)

    assert "[PASS] flask (1.0 s, 0 pages, 0 commands, 2 turns, 2,310 tokens, $0)" == headline(made)


@pytest.mark.parametrize("classification", Classification)
def test_no_verdict_of_an_unenforced_attempt_looks_like_one_that_was(classification):
    free = result(classification.value, enforced=False)

    assert f"[{LABELS[classification]}, nothing enforced] " in headline(free)
    assert f"[{LABELS[classification]}]" not in headline(free)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0.0 s"), (12.34, "12.3 s"), (99.9, "99.9 s"), (100, "1 min 40 s"), (3725, "62 min 05 s")],
)
def test_seconds(value, said):
    assert said == seconds(value)


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 pages"), (1, "1 page"), (12000, "12,000 pages")]
)
def test_count(number, said):
    assert said == count(number, "page")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_999, "1.0 MB"),
        (2_500_000_000, "2.5 GB"),
        (7_000_000_000_000, "7.0 TB"),
    ],
)
def test_size(number, said):
    assert said == size(number)


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "said"),
    [
        (0, False, "ok"),
        (1, False, "exit 1"),
        (124, True, "ran out of time"),
        (124, False, "exit 124"),
    ],
)
def test_exit_said(exit_code, timed_out, said):
    assert said == exit_said(exit_code, timed_out=timed_out)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            result("infra_error", fault=FaultResult(component="engine", error="gone\n")),
            "engine: gone",
        ),
        (
            result("budget_exhausted", stop_reason=StopReason.MAX_TURNS),
            "the task's max_turns was reached",
        ),
        (
            result("harness_error", refused_hosts=["a.example"]),
            "no evidence: a host was refused that the documented commands may need",
        ),
        (result("docs_gap"), MEANINGS[Classification.DOCS_GAP]),
        (
            result("docs_gap", refused_hosts=["a.example"], stop_reason=StopReason.COMMAND_FAILED),
            MEANINGS[Classification.DOCS_GAP],
        ),
    ],
)
def test_why_names_the_nearest_cause(made, said):
    assert said == why(made)


def test_the_headline_names_a_condition_other_than_the_default():
    made = result(affordance_policy="none")

    assert headline(made).startswith("[PASS] flask, affordances none (")
