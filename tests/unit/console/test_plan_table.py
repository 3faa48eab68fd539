import io

import pytest

from quickstarted.console.output import Terminal
from quickstarted.console.plan_table import print_plan
from quickstarted.results.planned import (
    Defaults,
    LeftOut,
    PlannedCall,
    PlannedCell,
    Range,
    Total,
)


def span(low, expected, high):
    return Range(low=low, expected=expected, high=high)


def cell(**facts):
    return PlannedCell(
        **{
            "task": "flask",
            "agent": "claude",
            "affordance_policy": "all",
            "arm": "docs",
            "attempts": 5,
            "done": 2,
            "past_attempts": 12,
            "cost_usd": span(0.01, 0.02, 0.05),
            "seconds": span(30.0, 45.5, 200.0),
            **facts,
        }
    )


KNOWN = Total(known=span(0.5, 1.5, 3.0), known_attempts=3, unknown_attempts=0)
MINUTES = Total(known=span(1.0, 5.0, 150.0), known_attempts=3, unknown_attempts=0)
NOTHING = Total(known=None, known_attempts=0, unknown_attempts=3)


def call(*cells, **facts):
    return PlannedCall(
        **{
            "cells": list(cells) or [cell()],
            "attempts": 5,
            "done": 2,
            "workers": 4,
            "cost_usd": KNOWN,
            "minutes": MINUTES,
            **facts,
        }
    )


def shown(plan, width=200):
    stream = io.StringIO()
    print_plan(plan, Terminal(file=stream, width=width, highlight=False, markup=False, emoji=False))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, ["flask", "claude", "5", "2", "$0.0100 / $0.0200 / $0.0500", "30 s / 46 s / 3 min"]),
        ({"cost_usd": None, "seconds": None}, ["unknown", "unknown"]),
        ({"cost_usd": span(0.0, 0.0, 0.0)}, ["$0 "]),
        ({"affordance_policy": "none", "arm": "skill"}, ["affordances none, arm skill"]),
        ({"past_attempts": 1, "is_of_other_conditions": True}, ["1 attempt, other conditions"]),
    ],
)
def test_the_row_of_a_cell(facts, words):
    row = f"{shown(call(cell(**facts)))[3]} "

    assert [] == [word for word in words if word not in row]


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({}, "5 attempts of 1 cell (1 task, 1 agent): 2 done, 3 to make"),
        (
            {"shard": "2/3"},
            "5 attempts of 1 cell (1 task, 1 agent) in shard 2/3: 2 done, 3 to make",
        ),
        ({"may_stop_early": True}, "at most: a cell ends once it is decided (--repeat auto)"),
        ({"left_out": [LeftOut(flag='-k "a\nb"', cells=3)]}, '-k "a\\nb" left out 3 cells'),
        ({}, "cost  $0.5000 low, $1.50 expected, $3.00 high"),
        ({}, "time  60 s low, 5 min expected, 2.5 h high with 4 workers"),
        ({"cost_usd": NOTHING}, "cost  unknown"),
        ({"minutes": NOTHING}, "time  unknown"),
        (
            {"cost_usd": Total(known=span(1.0, 1.0, 1.0), known_attempts=2, unknown_attempts=1)},
            "cost  unknown for 1 of 3 attempts; the others: $1.00 expected",
        ),
        ({"max_spend_usd": 5.0}, "      --max-spend $5.00"),
        ({"max_spend_usd": 2.0}, "      --max-spend $2.00 may end the call early"),
        ({"max_spend_usd": 1.0}, "      --max-spend $1.00 would end the call early"),
        ({"max_spend_usd": 1.0, "cost_usd": NOTHING}, "      --max-spend $1.00"),
        ({"attempts": 2}, "nothing is left to make"),
        (
            {"estimated_from": ["a.json", "b.json"]},
            (
                "Low and high are the 10th and 90th percentile of past attempts, taken for each"
                " attempt; expected is their mean. They are from a.json, b.json."
            ),
        ),
        (
            {"defaults": Defaults(file="q.yaml", options={"workers": 4, "quiet": True})},
            "defaults from q.yaml: workers 4, quiet true",
        ),
        (
            {"defaults": Defaults(file="q.yaml", options={})},
            "defaults from q.yaml: none that this call uses",
        ),
    ],
)
def test_the_lines_of_a_plan(facts, line):
    assert line in shown(call(**facts))


def test_on_a_narrow_terminal_names_take_several_lines_and_no_figure_is_cut():
    text = "\n".join(shown(call(cell(task="a-long-name-of-a-task" * 2)), width=78))

    assert "$0.0100 / $0.0200 / $0.0500  30 s / 46 s / 3 min" in text
    assert "…" not in text
    assert 78 >= max(map(len, text.splitlines()))


def test_a_column_with_nothing_in_it_is_left_out():
    plain, other = shown(call()), shown(call(cell(affordance_policy="none", past_attempts=0)))

    assert ("condition" in plain[2], "known from" in plain[2]) == (False, True)
    assert ("condition" in other[2], "known from" in other[2]) == (True, False)


def test_a_plan_of_nothing_has_no_table():
    nothing = Total(known=span(0.0, 0.0, 0.0), known_attempts=0, unknown_attempts=0)
    plan = PlannedCall(
        cells=[], attempts=0, done=0, shard="3/3", workers=1, cost_usd=nothing, minutes=nothing
    )

    assert [
        "0 attempts of 0 cells (0 tasks, 0 agents) in shard 3/3: 0 done, 0 to make",
        "nothing is left to make",
    ] == shown(plan)
