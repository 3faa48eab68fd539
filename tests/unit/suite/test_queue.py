"""Which attempt comes next."""

from __future__ import annotations

from quickstarted.suite.hooks import Hold
from quickstarted.suite.queue import AttemptQueue


def free(plan):
    del plan


def test_attempts_come_in_their_order(plans):
    queue = AttemptQueue(plans(3))
    assert [1, 2, 3] == [queue.take(free).attempt for _ in range(3)]
    assert queue.take(free) is None


def test_an_attempt_with_an_obstacle_is_overtaken_and_keeps_its_place(plans):
    queue = AttemptQueue([*plans(2, name="held"), *plans(1, name="free")])

    def obstacle(plan):
        return "held" if plan.task.name == "held" else None

    assert "free" == queue.take(obstacle).task.name
    assert queue.take(obstacle) is None
    assert [Hold(attempts=2, reason="held")] == queue.holds(obstacle)
    assert 1 == queue.take(free).attempt


def test_what_is_put_back_comes_first_but_not_too_soon(plans):
    now = [10.0]
    queue = AttemptQueue(plans(2), clock=lambda: now[0])
    first = queue.take(free)
    queue.put_back(first, delay_s=5.0)

    assert [Hold(attempts=1, reason="a while before the next try")] == queue.holds(free)
    assert 2 == queue.take(free).attempt
    assert queue.take(free) is None
    now[0] = 15.1
    assert 1 == queue.take(free).attempt


def test_a_cell_can_be_withdrawn(plans):
    queue = AttemptQueue([*plans(2, name="one"), *plans(2, name="two")])
    dropped = queue.withdraw(plans(1, name="one")[0].key.cell)

    assert [1, 2] == [plan.attempt for plan in dropped]
    assert ["two", "two"] == [plan.task.name for plan in queue.plans]
