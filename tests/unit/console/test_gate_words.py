import pytest

from fakes.attempts import result
from quickstarted.console.gate_words import gate_lines
from quickstarted.console.tables import suite_markdown
from quickstarted.figures import SequentialPlan, gated, rule_for
from quickstarted.results import suite_result

NAMES = {"p": "passed", "f": "docs_gap", "i": "infra_error"}


def _suite(*cells, **fields):
    runs = [
        result(NAMES[letter], task=f"t{place}", attempt=number, **fields)
        for place, outcomes in enumerate(cells)
        for number, letter in enumerate(outcomes, 1)
    ]
    return suite_result(runs, created=1.0)


@pytest.mark.parametrize(
    ("outcomes", "line"),
    [
        (
            "ppf",
            "not below: t0 by replay: 2 of 3 passed; at a rate of 90% as few or fewer do in 27%",
        ),
        (
            "pff",
            "below: t0 by replay: 1 of 3 passed; at a rate of 90% as few or fewer do in 2.8%",
        ),
        ("ii", "undecided: t0 by replay: no attempt gave evidence"),
        (
            "p",
            "undecided: t0 by replay: 1 of 1 passed; 1 attempt with evidence did not decide, 2 can",
        ),
    ],
)
def test_every_cell_says_why_and_what_could_have_been_found(outcomes, line):
    rule, *lines = gate_lines(gated(_suite(outcomes), rule_for(0.9)))

    assert rule.startswith("--min-pass-rate 0.9: a cell fails where its attempts show")
    could = " of cases; a true rate of 29% or less is found in 4 of 5 cases"
    assert lines == [line + could if "at a rate" in line else line]


def test_a_sequential_test_states_its_error_rates_and_the_attempts_to_expect():
    rule, line = gate_lines(gated(_suite("ppppppp"), rule_for(0.9, SequentialPlan(0.9))))

    assert rule == (
        "--min-pass-rate 0.9 --repeat auto: attempts are made until a cell is decided, at most 32;"
        " a cell that truly passes 90% is called below in 4.6% of cases and takes 12.7 attempts on"
        " the average, one that passes 70% is missed in 19% and takes 13.7; one that always passes"
        " takes 7"
    )
    assert line == (
        "not below: t0 by replay: 7 of 7 passed, which decides it; a true rate of 70% or less is"
        " found in 4 of 5 cases"
    )


def test_several_cells_say_how_often_one_of_them_is_red_for_nothing():
    *_, together = gate_lines(gated(_suite("ppp", "ppp"), rule_for(0.9)))

    assert together.endswith("one or more would be called below in 5.5% of runs")


def test_without_a_gate_there_is_nothing_to_say():
    assert list(gate_lines(_suite("p"))) == []


def test_tables_have_the_gate_k_attempts_and_suspect_pages():
    suite = gated(_suite("ppf", docs_pages=["https://docs.example/a"]), rule_for(0.9))
    failed = suite_result(
        [
            result("docs_gap", attempt=1, docs_pages=["https://docs.example/a"]),
            result("passed", attempt=2),
            result("infra_error", attempt=3),
        ],
        created=1.0,
    )

    assert "| not below | `t0` | `replay` | `all` | `docs` | 2 of 3 passed;" in suite_markdown(
        suite
    )
    assert "| `t0` | `replay` | `all` | `docs` | 100% one, 33% all | 100% one, 0% all |" in (
        suite_markdown(suite)
    )
    assert "- `flask` by `replay`: `https://docs.example/a`" in suite_markdown(failed)
    assert "none: 2 of 3 attempts gave evidence, and it takes 3" in suite_markdown(failed)


def test_pages_to_look_at_are_told_with_the_condition_they_were_read_under():
    page = "https://docs.example/a"
    runs = [
        result(ending, affordance_policy=policy, docs_pages=[page] if ending == "docs_gap" else [])
        for policy in ("all", "none")
        for ending in ("docs_gap", "passed")
    ]
    text = suite_markdown(suite_result(runs, created=1.0))

    assert f"- `flask` by `replay`: `{page}`" in text
    assert f"- `flask` by `replay`, affordances none: `{page}`" in text


def test_a_shard_says_that_the_gate_is_judged_later():
    shard = _suite("ppf").model_copy(update={"gate": rule_for(0.9)})

    assert "It is judged once the attempts of all shards are together" in suite_markdown(shard)
    assert list(gate_lines(shard)) == []


def test_different_models_have_a_rate_each():
    runs = [result(models_reported=["x"]), result("docs_gap", models_reported=["y"])]
    text = suite_markdown(suite_result(runs, created=1.0))

    assert "| `flask` | `replay` | `all` | `docs` | `x` | 1 of 1 | 100% | 21% to 100% |" in text
    assert "| `flask` | `replay` | `all` | `docs` | `y` | 0 of 1 | 0% | 0% to 79% |" in text
