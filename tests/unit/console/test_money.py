"""How money is said."""

import pytest

from fakes.attempts import result
from quickstarted.console.money import cost_said, max_spend_reached, source_said, usd
from quickstarted.results import CallFacts, PriceSource, suite_result


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "$0"),
        (0.00001, "<$0.0001"),
        (0.0001, "$0.0001"),
        (0.01234, "$0.0123"),
        (0.5, "$0.5000"),
        (0.99996, "$1.00"),
        (1, "$1.00"),
        (12.345, "$12.35"),
        (1234.5, "$1,234.50"),
    ],
)
def test_usd(value, said):
    assert said == usd(value)


@pytest.mark.parametrize(
    ("value", "unpriced", "said"),
    [
        (0.5, [], "$0.5000"),
        (None, ["a", "b"], "no price for a, b"),
        (None, [], "no price"),
    ],
)
def test_what_is_not_known_is_never_nothing(value, unpriced, said):
    assert said == cost_said(value, unpriced)


@pytest.mark.parametrize(
    ("date", "said"), [("2026-11-30", "prices.yaml of 2026-11-30"), (None, "prices.yaml")]
)
def test_a_table_is_named_with_its_date(date, said):
    assert said == source_said(PriceSource(source="prices.yaml", date=date))


def test_the_end_of_a_call_at_its_limit_says_what_was_spent_and_how_far_it_came():
    runs = [result("passed", estimated_cost_usd=1.5)]
    facts = CallFacts(planned=4, stopped="max_spend", max_spend_usd=2.0)
    suite = suite_result(runs, created=1.0, call=facts)

    assert (
        "stopped at --max-spend $2.00: $1.50 spent, 1 of 4 attempts begun; the results of those"
        " that ended by themselves stay"
    ) == max_spend_reached(suite)
