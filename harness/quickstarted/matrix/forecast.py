"""
`--plan`: the attempts of a call, what of them is done, and what the rest is likely to take.

An estimate is made of attempts of the same task by the same agent: under the same condition, and
only where there are none of these under others. The bounds are percentiles of single attempts, all
of them alike, and not those of a sum of independent ones: what makes one attempt dear (a model, a
service, a page) makes most of a call dear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean, quantiles

from quickstarted.matrix.cells import Cell
from quickstarted.matrix.past import PastAttempt
from quickstarted.results import AttemptKey, CellKey
from quickstarted.results.planned import PlannedCell, Range, Total

NOTHING = Range(low=0.0, expected=0.0, high=0.0)


def planned_cells(
    attempts: Sequence[tuple[Cell, int]],
    done: Collection[AttemptKey],
    past: Iterable[PastAttempt],
) -> list[PlannedCell]:
    """
    The cells of *attempts* with what is known of each.

    Args:
        attempts: Of the call, or of its shard.
        done: Those that are not made again.
        past: What estimates are made of.

    """
    history = _History(past)
    cells = {cell.key: cell for cell, _ in attempts}
    number = Counter(cell.key for cell, _ in attempts)
    made = Counter(cell.key for cell, attempt in attempts if cell.key.attempt(attempt) in done)
    return [history.planned(cell, number[key], made[key]) for key, cell in cells.items()]


def total_cost(cells: Sequence[PlannedCell]) -> Total:
    """US dollars of all attempts that are still to be made."""
    return _total([(_left(cell), cell.cost_usd) for cell in cells])


def total_minutes(cells: Sequence[PlannedCell], workers: int) -> Total:
    """Minutes until *workers* side by side have made them."""
    parts = [(_left(cell), cell.seconds) for cell in cells]
    total = _total(parts)
    if total.known is None:
        return total
    longest = [part for number, part in parts if number and part is not None]
    known = {
        name: max([value / workers, *(getattr(part, name) for part in longest)]) / 60
        for name, value in total.known
    }
    return total.model_copy(update={"known": Range(**known)})


class _History:
    """Past attempts, by cell and by task and agent."""

    def __init__(self, past: Iterable[PastAttempt]) -> None:
        self._by_cell: dict[CellKey, list[PastAttempt]] = {}
        self._by_pair: dict[tuple[str, str], list[PastAttempt]] = {}
        for attempt in past:
            if attempt.came_to_an_end:
                self._by_cell.setdefault(attempt.cell, []).append(attempt)
                self._by_pair.setdefault((attempt.task, attempt.agent), []).append(attempt)

    def planned(self, cell: Cell, attempts: int, done: int) -> PlannedCell:
        key = cell.key
        own = self._by_cell.get(key, [])
        past = own or self._by_pair.get((key.task, key.agent), [])
        costs = [one.estimated_cost_usd for one in past if one.estimated_cost_usd is not None]
        return PlannedCell(
            task=key.task,
            agent=key.agent,
            affordance_policy=key.affordances,
            arm=key.arm,
            attempts=attempts,
            done=done,
            past_attempts=len(past),
            is_of_other_conditions=bool(past) and not own,
            # A replay asks no model.
            cost_usd=NOTHING if cell.agent.is_replay else _range(costs),
            seconds=_range([one.duration_seconds for one in past]),
        )


def _range(values: Sequence[float]) -> Range | None:
    if not values:
        return None
    mean = fmean(values)
    if len(values) == 1:
        return Range(low=mean, expected=mean, high=mean)
    tenths = quantiles(values, n=10, method="inclusive")
    # One attempt that is far off draws the mean beyond the tenths.
    return Range(low=min(tenths[0], mean), expected=mean, high=max(tenths[-1], mean))


def _left(cell: PlannedCell) -> int:
    return cell.attempts - cell.done


def _total(parts: Sequence[tuple[int, Range | None]]) -> Total:
    known = [(number, part) for number, part in parts if number and part is not None]
    number = sum(attempts for attempts, _ in known)
    return Total(
        known=_sum(known) if known or not any(attempts for attempts, _ in parts) else None,
        known_attempts=number,
        unknown_attempts=sum(attempts for attempts, _ in parts) - number,
    )


def _sum(parts: Sequence[tuple[int, Range]]) -> Range:
    return Range(
        low=sum(number * part.low for number, part in parts),
        expected=sum(number * part.expected for number, part in parts),
        high=sum(number * part.high for number, part in parts),
    )
