import pytest

from fakes.shown_calls import key
from quickstarted.console.live.estimate import Durations, left_said

CELL, OTHER = key("flask").cell, key("django").cell


def test_nothing_is_known_before_the_first_attempt_has_ended():
    durations = Durations()
    durations.under_way(4, 0.0)

    assert durations.left_s({CELL: 10}, [(CELL, 100.0)] * 4, 100.0) is None


def test_attempts_to_come_take_as_long_as_those_before_by_as_many_at_once():
    durations = Durations()
    durations.under_way(2, 0.0)
    durations.took(CELL, 30.0)
    durations.took(CELL, 50.0)

    # 3 to come of 40 s each, and of two under way the rests of 10 s and 40 s, two at once.
    assert durations.left_s({CELL: 3}, [(CELL, 30.0), (CELL, 0.0)], 80.0) == (120 + 10 + 40) / 2


def test_each_cell_has_its_own_usual_time_and_a_new_one_that_of_the_others():
    durations = Durations()
    durations.under_way(1, 0.0)
    durations.took(CELL, 10.0)
    durations.took(key("celery").cell, 30.0)

    assert durations.left_s({CELL: 1}, [], 40.0) == 10.0
    assert durations.left_s({OTHER: 1}, [], 40.0) == 20.0


def test_the_last_attempt_under_way_is_not_divided_among_workers():
    durations = Durations()
    durations.under_way(8, 0.0)
    durations.took(CELL, 100.0)
    durations.under_way(1, 100.0)

    assert durations.left_s({}, [(CELL, 20.0)], 110.0) == 80.0


def test_an_attempt_that_takes_longer_than_usual_is_taken_to_be_about_to_end():
    durations = Durations()
    durations.under_way(1, 0.0)
    durations.took(CELL, 10.0)

    assert durations.left_s({}, [(CELL, 500.0)], 510.0) == 0.0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "time left unknown"),
        (0.0, "about 5 s left"),
        (37.0, "about 35 s left"),
        (54.0, "about 55 s left"),
        (58.0, "about 1 min left"),
        (370.0, "about 6 min left"),
        (3569.0, "about 59 min left"),
        (3571.0, "about 1 h left"),
        (7800.0, "about 2 h 10 min left"),
        (86400.0, "about 24 h left"),
    ],
)
def test_the_time_that_is_left_is_said_no_more_exactly_than_it_is_known(seconds, said):
    assert left_said(seconds) == said
