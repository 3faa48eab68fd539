import pytest

from quickstarted.errors import UsageError
from quickstarted.matrix.past import PastAttempt
from quickstarted.matrix.selection import (
    Removed,
    classification_filter,
    failed_filter,
    keyword_filter,
    select,
    tag_filter,
)


@pytest.fixture
def cells(make_cell):
    return [
        make_cell("flask", "replay", tags="web, python"),
        make_cell("flask", "claude", tags="web, python"),
        make_cell("lxml", "claude", tags="compiled"),
        make_cell("lxml", "claude", affordances="none", tags="compiled"),
    ]


def past(task, classification, agent="claude", affordances="all", arm="docs"):
    return PastAttempt(
        task=task,
        agent=agent,
        affordance_policy=affordances,
        arm=arm,
        classification=classification,
        duration_seconds=1.0,
    )


def names(selection):
    return [" ".join(cell.key[:3]) for cell in selection.cells]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("flask", ["flask replay all", "flask claude all"]),
        ("python and replay", ["flask replay all"]),
        ("not web", ["lxml claude all", "lxml claude none"]),
        ("REPLAY or compil", ["flask replay all", "lxml claude all", "lxml claude none"]),
    ],
)
def test_words_are_about_task_tags_and_agent(cells, text, left):
    assert left == names(select(cells, [keyword_filter(text)]))


@pytest.mark.parametrize(
    ("tags", "left"),
    [
        (["web"], ["flask replay all", "flask claude all"]),
        (["web", "compiled"], ["flask replay all", "flask claude all", "lxml claude all",
         "lxml claude none"]),
    ],
)  # fmt: skip
def test_a_task_with_one_of_the_tags_is_meant(cells, tags, left):
    assert left == names(select(cells, [tag_filter(tags, cells)]))


def test_a_tag_is_a_whole_word(cells):
    with pytest.raises(UsageError) as caught:
        select(cells, [tag_filter(["we"], cells)])

    assert (
        "nothing is left of 4 cells to run:\n"
        "  --tag we left out 4\n"
        "The tasks have the tags compiled, python, web."
    ) == str(caught.value)


def test_cells_with_an_attempt_that_did_not_pass_have_failed(cells):
    earlier = [
        past("flask", "passed", agent="replay"),
        past("flask", "docs_gap"),
        past("lxml", "passed"),
        past("lxml", "infra_error"),
        past("lxml", "passed", affordances="none"),
        past("gone", "docs_gap"),
    ]

    assert ["flask claude all", "lxml claude all"] == names(select(cells, [failed_filter(earlier)]))


def test_where_everything_passed_there_is_nothing_to_do_and_that_is_no_mistake(cells):
    selection = select(cells, [failed_filter([past("flask", "passed")])])

    assert [] == selection.cells
    assert (
        "nothing is left of 4 cells to run:\n"
        "  --last-failed left out 4\n"
        "Every attempt of the last call passed."
    ) == selection.nothing


def test_a_word_that_fits_nothing_stays_a_mistake_beside_a_choice_that_may_leave_nothing(cells):
    earlier = [past("flask", "docs_gap")]

    with pytest.raises(UsageError):
        select(cells, [failed_filter(earlier), keyword_filter("lxml")])


def test_only_keeps_cells_with_an_attempt_of_one_of_the_classifications(cells):
    earlier = [past("flask", "docs_gap"), past("lxml", "infra_error", affordances="none")]

    assert ["flask claude all", "lxml claude none"] == names(
        select(cells, [classification_filter(["infra_error", "docs_gap"], earlier)])
    )
    assert ["flask claude all"] == names(
        select(cells, [classification_filter(["docs_gap"], earlier)])
    )


def test_filters_hold_together_and_say_what_each_left_out(cells):
    selection = select(cells, [keyword_filter("claude"), tag_filter(["compiled"], cells)])

    assert [Removed('-k "claude"', 1), Removed("--tag compiled", 1)] == selection.removed
    assert ["lxml claude all", "lxml claude none"] == names(selection)


def test_where_nothing_is_left_each_filter_says_how_many_it_left_out(cells):
    filters = [
        keyword_filter("claude"),
        tag_filter(["web", "compiled"], cells),
        classification_filter(["skipped"], [past("flask", "passed")]),
    ]

    with pytest.raises(UsageError) as caught:
        select(cells, filters)

    assert (
        "nothing is left of 4 cells to run:\n"
        '  -k "claude" left out 1\n'
        "  --only skipped left out 3\n"
        "The last call has passed."
    ) == str(caught.value)
    assert 3 == caught.value.exit_code
