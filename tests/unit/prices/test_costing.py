"""Costs on events of calls, as they are written."""

import pytest

from fakes.attempts import agent_turn, tool_call
from quickstarted.budget import Budget
from quickstarted.errors import PriceUnknown
from quickstarted.events import ApiRetry
from quickstarted.prices import Costing, SpendMeter
from quickstarted.prices.file import read_prices

RATES = "models:\n  known-*: {input: 1, output: 10, cache_write: 2, cache_read: 0.1}\n"


def retry(**fields):
    known = {"turn": 1, "attempt": 1, "sleep": 0.0, "error": "gone", "model": "known-asked"}
    return ApiRetry(ts=1.0, **(known | fields))


@pytest.fixture(name="table")
def _table(tmp_path):
    (tmp_path / "prices.yaml").write_text(RATES)
    return read_prices(tmp_path / "prices.yaml")


class Written:
    """Events through the sink of one attempt."""

    def __init__(self, table, asked="known-asked", **limits):
        self.budget = Budget(max_seconds=9, max_command_seconds=9, max_turns=9, **limits)
        self.events = []
        costing = Costing(table=table, budget=self.budget, asked=asked)
        self.write = costing.sink(self.events.append)

    def costs(self):
        return [(event.model, event.cost_usd) for event in self.events]


def test_a_turn_costs_what_the_reported_model_does(table):
    written = Written(table, asked="alias")
    written.write(
        agent_turn(
            model="known-1",
            input_tokens=1_000,
            output_tokens=100,
            cache_write_tokens=500,
            cache_read_tokens=10_000,
        )
    )

    assert [("known-1", 0.004)] == written.costs()
    assert pytest.approx(0.004) == written.budget.cost_usd


def test_other_events_pass_as_they_are(table):
    written = Written(table)
    event = tool_call()
    written.write(event)

    assert [event] == written.events


def test_a_failed_try_is_priced_as_the_model_that_was_reported_last(table):
    written = Written(table, asked="known-asked")
    written.write(retry(input_tokens=1_000))
    written.write(agent_turn(model="known-1", input_tokens=0, output_tokens=0))
    written.write(retry(input_tokens=2_000, model="known-asked"))

    assert [("known-asked", 0.001), ("known-1", 0.0), ("known-1", 0.002)] == written.costs()
    assert pytest.approx(0.003) == written.budget.cost_usd


def test_a_turn_that_was_broken_off_is_priced_as_the_model_that_was_reported_last(table):
    written = Written(table)
    written.write(agent_turn(model="known-1", input_tokens=0, output_tokens=0))
    broken = agent_turn(stop_reason="unfinished", model="known-asked", input_tokens=1_000)
    written.write(broken.model_copy(update={"output_tokens": 0}))

    assert ("known-1", 0.001) == written.costs()[-1]


@pytest.mark.parametrize(
    "event",
    [retry(), retry(model=None), agent_turn(stop_reason="unfinished", model="b")],
    ids=["failed", "failed, no model", "unfinished"],
)
def test_a_broken_call_without_tokens_costs_nothing_whatever_its_model(event):
    written = Written(None, asked=None)
    written.write(event.model_copy(update={"input_tokens": 0, "output_tokens": 0}))

    assert 0.0 == written.events[0].cost_usd


@pytest.mark.parametrize("with_table", [True, False])
def test_a_model_without_a_price_has_no_cost(table, with_table):
    written = Written(table if with_table else None)
    written.write(agent_turn(model="other", input_tokens=0, output_tokens=0))
    written.write(retry(input_tokens=5))

    assert [("other", None), ("other", None)] == written.costs()
    assert 0.0 == written.budget.cost_usd


def test_a_limit_that_cannot_be_counted_ends_the_attempt_once_the_turn_is_on_record(table):
    written = Written(table, max_cost_usd=1.0)
    with pytest.raises(PriceUnknown, match=r"no price for other in .*prices\.yaml"):
        written.write(agent_turn(model="other"))

    assert [("other", None)] == written.costs()


def test_a_call_that_was_broken_off_hides_no_other_ending(table):
    written = Written(table, asked="other", max_cost_usd=1.0)
    written.write(agent_turn(model="other", stop_reason="unfinished"))

    assert [("other", None)] == written.costs()


def test_the_whole_call_s_meter_is_charged_too(table):
    meter = SpendMeter(1.0)
    with meter.attempt() as part:
        written = Written(table, spending=part)
        written.write(agent_turn(model="known-1", input_tokens=1_000, output_tokens=0))

    assert pytest.approx(0.001) == meter.spent_usd
