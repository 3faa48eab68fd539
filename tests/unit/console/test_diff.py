import io

import pytest
from rich.console import Console

from fakes.attempts import result
from fakes.golden import golden
from quickstarted.comparison import Change, compare
from quickstarted.console.diff_markdown import diff_markdown
from quickstarted.console.diff_terminal import show_diff
from quickstarted.console.diff_words import amount, amount_interval, p_said, points
from quickstarted.results import suite_result

NAMES = {"p": "passed", "f": "docs_gap", "i": "infra_error"}


def _suite(cells, **fields):
    runs = [
        result(
            NAMES[letter],
            task=task,
            attempt=number,
            turns=turns + number % 3,
            docs_pages_read=3,
            estimated_cost_usd=0.01 * (turns + number % 3),
            **fields,
        )
        for task, (outcomes, turns) in cells.items()
        for number, letter in enumerate(outcomes, 1)
    ]
    return suite_result(runs, created=1.0)


@pytest.fixture(scope="module")
def comparison():
    before = {
        "flask": ("pppff", 14),
        "fastapi": ("ppppppppfi", 9),
        "a-task-with-a-long-name": ("fffffpffff", 20),
        "lost": ("i", 1),
        "old": ("p", 1),
    }
    after = {
        "flask": ("ppppp", 9),
        "fastapi": ("fffffffff", 9),
        "a-task-with-a-long-name": ("pppppppppp", 12),
        "lost": ("p", 1),
        "new": ("p", 1),
    }
    return compare(_suite(before), _suite(after, harness_version="0.7"))


def shown(comparison, width=80):
    stream = io.StringIO()
    show_diff(comparison, Console(file=stream, width=width, highlight=False, markup=False))
    return stream.getvalue()


def test_a_comparison_fits_a_terminal_of_80_columns(comparison):
    text = shown(comparison)

    assert golden("diff.txt", text) == text
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text


@pytest.mark.parametrize("width", [20, 76, 100, 10_000])
def test_no_width_of_a_terminal_hides_a_figure(comparison, width):
    text = shown(comparison, width)

    assert "…" not in text
    assert text.count("+40 (-12 to +77)") == 1


def test_thousands_of_attempts_fit_too():
    many = compare(_suite({"t": ("pppf" * 500, 5)}), _suite({"t": ("ppff" * 500, 5)}))

    assert "1,500/2,000" in shown(many)
    assert "…" not in shown(many)


def test_a_comparison_as_markdown_reads_as_it_was_found_right(comparison):
    text = diff_markdown(comparison)

    assert golden("diff.md", text) == text


@pytest.mark.parametrize("name", ["a`|b", "x\x1b[31m", "a\nb", "@all [x](y) <b>"])
def test_no_name_breaks_out_of_its_place(name):
    cells = {name: ("ppp", 3)}
    found = compare(_suite(cells), _suite(cells, models_reported=["m\n|"]))
    text = diff_markdown(found)

    assert "\x1b" not in text + shown(found)
    assert not any(line.startswith("b") for line in text.splitlines())


def test_of_many_cells_the_changes_are_shown_and_the_rest_is_counted():
    before = {f"t{number}": ("ppppp" * 3, 5) for number in range(80)}
    after = before | {"t79": ("fffff" * 3, 5)}
    found = compare(_suite(before), _suite(after))
    text = diff_markdown(found)

    assert text.startswith("**Worse: 1 of 80 cells, replay over its tasks.**")
    assert text.index("`t79 by replay`") < text.index("`t0 by replay`")
    assert "And 30 more: `quickstarted diff --json` has all." in text
    assert "and 30 more; --json has all of them" in shown(found)
    assert len(text) < 65_536


def test_nothing_to_compare_is_said():
    found = compare(_suite({}), _suite({}))

    assert diff_markdown(found).startswith("**Nothing can be compared:")
    assert shown(found).startswith("Nothing can be compared:")


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.4, "+40"), (-0.125, "-12"), (0.0, "0"), (0.001, "0"), (-0.001, "0"), (1.0, "+100")],
)
def test_points_are_signed_and_nothing_is_minus_nothing(value, said):
    assert said == points(value)


@pytest.mark.parametrize(
    ("value", "said"), [(1.0, "1.00"), (0.444, "0.44"), (0.0079, "0.008"), (0.0001, "<0.001")]
)
def test_p_values_have_the_digits_that_matter(value, said):
    assert said == p_said(value)


@pytest.mark.parametrize(
    ("metric", "difference", "interval", "said"),
    [
        ("turns", -3.25, (-5.1, -1.2), ("-3.25", "-5.1 to -1.2")),
        ("tokens", 12_345.0, (0.0, 20_000.0), ("+12,345", "0 to +20,000")),
        ("cost_per_pass_usd", -0.0123, (None, 0.5), ("-$0.0123", "unbounded to +$0.5000")),
        ("cost_per_pass_usd", None, None, ("none", "none")),
    ],
)
def test_effort_is_said_in_its_unit(metric, difference, interval, said):
    change = Change(metric=metric, before=1.0, after=1.0, difference=difference, interval=interval)

    assert said == (amount(change, difference, signed=True), amount_interval(change))
