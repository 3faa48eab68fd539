"""Price files: what counts for a model, and that every mistake is told with its place."""

import json
from decimal import Decimal

import pytest

from quickstarted.errors import UsageError
from quickstarted.events import Usage
from quickstarted.prices.file import read_prices

ALL = Usage(
    input_tokens=1_000, output_tokens=200, cache_write_tokens=3_000, cache_read_tokens=50_000
)


@pytest.fixture(name="read")
def _read(tmp_path):
    def read(text, name="prices.yaml"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_prices(path)

    return read


@pytest.mark.parametrize(
    ("rates", "usage", "usd"),
    [
        ("{input: 3, output: 15, cache_write: 3.75, cache_read: 0.3}", ALL, "0.03225"),
        ("{input: 3, output: 15}", ALL, "0.165"),
        ("{input: 3, output: 15, cache_read: 0}", ALL, "0.015"),
        ("{input: 0, output: 0}", ALL, "0"),
        ("{input: 0.1, output: 0.2}", Usage(input_tokens=1, output_tokens=1), "0.0000003"),
        ("{input: 3, output: 15}", Usage(), "0"),
    ],
    ids=["all four", "cache as input", "cache read free", "free", "exact", "nothing used"],
)
def test_each_counter_costs_its_own_rate(read, rates, usage, usd):
    table = read(f"models:\n  m: {rates}\n")

    assert Decimal(usd) == table.cost_usd("m", usage, 0.0)


@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("claude-sonnet-5-5-20261001", "claude-sonnet-*"),
        ("claude-sonnet-4", "claude-sonnet-*"),
        ("claude-opus-5", "claude-*"),
        ("gpt-5", "gpt-?"),
        ("gpt-6", "gpt-?"),
        ("gpt-55", None),
        ("Claude-opus-5", None),
        ("", None),
    ],
)
def test_the_exact_name_wins_and_then_the_pattern_with_most_letters(read, model, entry):
    rates = "{input: 1, output: 1}"
    names = ["claude-*", "claude-sonnet-*", "claude-sonnet-5-5", "gpt-?", "gpt-[45]"]
    table = read("models:\n" + "".join(f'  "{name}": {rates}\n' for name in names))
    price = table.price(model, 0.0)

    assert entry == (price and price.entry)


def test_a_model_without_an_entry_has_no_cost(read):
    assert read("models: {a: {input: 1, output: 1}}").cost_usd("b", ALL, 0.0) is None


def test_the_table_says_where_it_is_from(read, tmp_path):
    table = read("date: 2026-11-30\nmodels: {a: {input: 1, output: 1}}\n")

    assert (str(tmp_path / "prices.yaml"), "2026-11-30", 64) == (
        table.source,
        table.date,
        len(table.sha256),
    )


def test_a_file_without_a_date_has_none(read):
    assert read("models: {a: {input: 1, output: 1}}").date is None


@pytest.mark.parametrize("indent", [2, "\t", None])
def test_json_is_taken_as_well(read, indent):
    document = {"models": {"a-*": {"input": 2.5, "output": 1e1}}, "date": "2026-01-02"}
    table = read(json.dumps(document, indent=indent), "prices.json")

    assert Decimal("12.5") == table.cost_usd(
        "a-1", Usage(input_tokens=1_000_000, output_tokens=1_000_000), 0.0
    )


PLACE = "expected US dollars per million tokens, a number that is not negative"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [":1:1: the file is empty: it is a map with `models:`"]),
        ("- a", [":1:1: the file is a list: it is a map with `models:`"]),
        ("date: 2026-01-01", [":1:1 models: expected a map of models to prices, got nothing"]),
        ("models: {}", [":1:1 models: expected a map of models to prices, got nothing"]),
        ("models: [a]", [":1:1 models: expected a map of models to prices, got a list"]),
        ("models:\n  a: 3", [":2:3 models.a: expected a map with `input`, `output`, got 3"]),
        ("models:\n  a: {input: 1}", [":2:3 models.a: `output` is missing"]),
        (
            "models:\n  a: {input: -1, output: '3'}",
            [
                f":2:7 models.a.input: {PLACE}, got -1",
                f':2:18 models.a.output: {PLACE}, got "3"',
            ],
        ),
        (
            "models:\n  a: {input: 1e999, output: true}",
            [
                f":2:7 models.a.input: {PLACE}, got 1e999",
                f":2:21 models.a.output: {PLACE}, got true",
            ],
        ),
        (
            "models:\n  a: {inptu: 1, output: 1}",
            [
                ":2:3 models.a: `input` is missing",
                ":2:7 models.a.inptu: unknown key: known here are `input`, `output`, `cache_write`",
            ],
        ),
        (
            "price: 1\nmodels: {a: {input: 1, output: 1}}\ndate: yesterday",
            [
                ":1:1 price: unknown key: known here are `models`, `date`",
                ':3:1 date: expected a day as YYYY-MM-DD, got "yesterday"',
            ],
        ),
        (
            "date: 2026-02-30\nmodels: {a: {input: 1, output: 1}}",
            [':1:1 date: expected a day as YYYY-MM-DD, got "2026-02-30"'],
        ),
        (
            "models:\n  a: {input: 1, output: 1}\n  a: {input: 2, output: 2}",
            [":3:3 models.a: this key is given twice; the first is on line 2"],
        ),
        ("models: {a", [":2:1: not YAML: "]),
        (b"\xff\xfe", [":1:1: not UTF-8: byte 0xff at offset 0"]),
    ],
)
def test_every_mistake_is_told_with_its_place(read, tmp_path, text, lines):
    with pytest.raises(UsageError) as caught:
        read(text)

    said = caught.value.message.splitlines()
    assert [True] * len(lines) == [
        one.startswith(f"{tmp_path / 'prices.yaml'}{line}")
        for one, line in zip(said, lines, strict=True)
    ], said


@pytest.mark.parametrize(
    ("name", "why"), [("nowhere.yaml", "No such file"), (".", "Is a directory")]
)
def test_a_file_that_cannot_be_read_is_a_mistake_of_the_call(tmp_path, name, why):
    with pytest.raises(UsageError, match=f"^--prices .*: cannot be read: {why}"):
        read_prices(tmp_path / name)


def test_a_file_of_more_than_a_megabyte_is_none(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_bytes(b" " * (1024 * 1024 + 1))

    with pytest.raises(UsageError, match="is larger than 1 MB"):
        read_prices(path)
