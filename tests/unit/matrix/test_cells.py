import pytest

from quickstarted.agents import agent_named
from quickstarted.arms import Arm, crossed
from quickstarted.condition import Condition
from quickstarted.matrix import attempts_of, crossed_cells, is_nested
from quickstarted.results import CellKey


def test_numbers_change_slowest_so_that_all_cells_advance_together(make_cell):
    cells = [make_cell("a", repeat=2), make_cell("b", repeat=2)]

    order = [(cell.task.name, number) for cell, number in attempts_of(cells)]

    assert [("a", 1), ("b", 1), ("a", 2), ("b", 2)] == order


def test_conditions_change_fastest_then_agents_then_tasks(make_cell):
    arms = (Arm(), Arm(name="no-docs"))
    conditions = crossed([Condition(), Condition(affordances="none")], arms)
    tasks = [make_cell("a").task, make_cell("b").task]
    agents = [agent_named("claude"), agent_named("claude:other")]

    cells = crossed_cells(tasks, agents, conditions, arms, repeat=1)

    three = [("all", "docs"), ("all", "no-docs"), ("none", "docs")]
    assert [
        CellKey(task, agent, *condition)
        for task in ("a", "b")
        for agent in ("claude", "claude:other")
        for condition in three
    ] == [cell.key for cell in cells]


def test_a_cell_with_fewer_attempts_stands_back_when_it_has_them(make_cell):
    order = attempts_of([make_cell("a", repeat=3), make_cell("b", repeat=1)])

    assert [("a", 1), ("b", 1), ("a", 2), ("a", 3)] == [
        (cell.task.name, number) for cell, number in order
    ]


def test_no_cells_have_no_attempts():
    assert [] == attempts_of([])


@pytest.mark.parametrize(
    ("cells", "nested"),
    [
        ([], False),
        ([{"task": "a"}], False),
        ([{"task": "a"}, {"task": "b"}], False),
        ([{"task": "a", "repeat": 2}], True),
        ([{"task": "a"}, {"task": "b", "repeat": 2}], True),
        ([{"task": "a"}, {"task": "a", "agent": "claude"}], True),
        ([{"task": "a"}, {"task": "a", "affordances": "none"}], True),
    ],
)
def test_folders_are_nested_as_soon_as_a_task_has_several_attempts(make_cell, cells, nested):
    assert nested == is_nested([make_cell(**one) for one in cells])
