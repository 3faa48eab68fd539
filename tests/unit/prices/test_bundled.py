"""genai-prices: what its entries make of the four counters, and that nothing is fetched unasked."""

import json
import time
from decimal import Decimal

import pytest

from fakes.docs_server import DocsServer
from quickstarted.errors import QuickstartedError, UsageError
from quickstarted.events import Usage
from quickstarted.prices import has_price
from quickstarted.prices.bundled import bundled, refreshed
from quickstarted.prices.choosing import ADDRESS_VARIABLE, price_table

NOW = 1_796_000_000.0
"""30 November 2026."""
ALL = Usage(
    input_tokens=1_000, output_tokens=200, cache_write_tokens=3_000, cache_read_tokens=50_000
)


class Flags:
    def __init__(self, prices=None, *, refresh=False):
        self.prices = prices
        self.refresh_prices = refresh


def published(**models):
    """What genai-prices publishes, with these models of one vendor."""
    entries = [
        {"id": name, "match": {"equals": name}, "prices": prices} for name, prices in models.items()
    ]
    vendor = {
        "id": "anthropic",
        "name": "Anthropic",
        "api_pattern": "https://api\\.anthropic\\.com",
        "model_match": {"contains": "claude"},
        "models": entries,
    }
    return json.dumps([vendor]).encode()


@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"),
        ("vertex/claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"),
        ("bedrock/eu.anthropic.claude-sonnet-5-5", "aws/regional.anthropic.claude-sonnet-5-5"),
        ("gpt-5", "openai/gpt-5"),
        ("models/gemini-2.5-pro", "google/gemini-2.5-pro"),
    ],
)
def test_each_vendor_s_models_are_found_by_the_name_that_is_reported(model, entry):
    price = bundled().price(model, NOW)

    assert price is not None
    assert entry == price.entry


@pytest.mark.parametrize("model", ["claude-sonnet-99", "gpt-test", "nothing", "", "whisper-1"])
def test_a_model_that_it_does_not_know_has_no_price(model):
    table = bundled()

    assert (None, None, False) == (
        table.price(model, NOW),
        table.cost_usd(model, ALL, NOW),
        has_price(table, model, NOW),
    )


def fetched(**models):
    with DocsServer({"/data.json": (200, {}, published(**models))}) as server:
        return refreshed(server.url("/data.json"))


@pytest.mark.parametrize(
    ("prices", "usd"),
    [
        (
            {"input_mtok": 3, "output_mtok": 15, "cache_write_mtok": 3.75, "cache_read_mtok": 0.3},
            "0.03225",
        ),
        ({"input_mtok": 3, "output_mtok": 15, "cache_read_mtok": 0.3}, "0.03"),
        ({"input_mtok": 3, "output_mtok": 15}, "0.165"),
    ],
    ids=["all four", "writing to the cache as input", "the cache as input"],
)
def test_each_counter_is_billed_once_at_its_own_rate(prices, usd):
    table = fetched(**{"claude-a": prices})

    assert Decimal(usd) == table.cost_usd("claude-a", ALL, NOW)
    assert Decimal(usd) == table.price("claude-a", NOW).rates.cost(ALL)


def test_a_large_call_is_priced_by_its_own_size():
    tiers = {"base": 1, "tiers": [{"start": 200_000, "price": 2}]}
    table = fetched(**{"claude-a": {"input_mtok": tiers, "output_mtok": 10}})
    small = Usage(input_tokens=1_000)
    large = Usage(input_tokens=1_000, cache_read_tokens=299_000)

    assert (Decimal("0.001"), Decimal("0.6")) == tuple(
        table.cost_usd("claude-a", usage, NOW) for usage in (small, large)
    )
    price = table.price("claude-a", NOW)
    assert (True, Decimal(1)) == (price.depends_on_size, price.rates.input)


def test_a_call_is_priced_at_its_own_time():
    prices = [
        {"prices": {"input_mtok": 4, "output_mtok": 4}},
        {
            "constraint": {"start_date": "2026-11-29", "type": "start_date"},
            "prices": {"input_mtok": 2, "output_mtok": 2},
        },
    ]
    table = fetched(**{"claude-a": prices})
    million = Usage(input_tokens=1_000_000)

    assert (Decimal(4), Decimal(2)) == tuple(
        table.cost_usd("claude-a", million, at) for at in (NOW - 2 * 86_400, NOW + 2 * 86_400)
    )


def test_the_package_s_prices_are_named_by_its_version():
    table = bundled()

    assert table.source.startswith("genai-prices ")
    assert (None, None) == (table.date, table.sha256)


def test_prices_that_are_fetched_stand_in_for_those_of_the_package():
    body = published(**{"claude-new": {"input_mtok": 7, "output_mtok": 9}})
    with DocsServer({"/data.json": (200, {"content-type": "application/json"}, body)}) as server:
        address = server.url("/data.json")
        notes = []
        table = price_table(Flags(refresh=True), {ADDRESS_VARIABLE: address}, notes.append)
        assert [] == notes

    assert Decimal(16) == table.cost_usd(
        "claude-new", Usage(input_tokens=1_000_000, output_tokens=1_000_000), NOW
    )
    assert table.price("claude-sonnet-5-5", NOW) is None
    assert time.strftime("%Y-%m-%d", time.gmtime()) == table.date
    assert table.source.endswith(f", prices fetched from {address}")
    assert bundled().price("claude-sonnet-5-5", NOW) is not None


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((404, {}, b""), "HTTPStatusError: "),
        ((200, {}, b"no json"), "JSONDecodeError: "),
        ((200, {}, b"{}"), "ValueError: "),
        ((200, {}, b'[{"id": "a"}]'), "ValidationError: "),
        ((200, {}, b"[3]"), "ValidationError: "),
    ],
)
def test_prices_that_cannot_be_fetched_end_the_call(answer, why):
    with DocsServer({"/data.json": answer}) as server:
        address = server.url("/data.json")
        with pytest.raises(QuickstartedError) as caught:
            refreshed(address)

    assert caught.value.message.startswith(f"--refresh-prices: {address} gave no prices: {why}")
    assert "\n" not in caught.value.message


def test_an_address_where_nobody_answers_ends_the_call():
    with pytest.raises(QuickstartedError, match="gave no prices: ConnectError"):
        refreshed("http://127.0.0.1:1/data.json")


def test_a_file_and_fetched_prices_contradict_each_other(tmp_path):
    with pytest.raises(UsageError, match="contradict each other"):
        price_table(Flags(tmp_path / "prices.yaml", refresh=True), {}, print)


def test_without_a_flag_the_package_is_taken():
    notes = []

    assert bundled().source == price_table(Flags(), {}, notes.append).source
    assert [] == notes
