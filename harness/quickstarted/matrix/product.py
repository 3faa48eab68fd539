"""
From a matrix file to cells: the product of its lists, less `exclude`, and with `include`.

What an entry names that is nowhere is an error and never nothing: a name that is misspelled would
change what is measured, and nobody would see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from quickstarted.agents import Agent, vendor_of
from quickstarted.arms import DEFAULT_ARM, Arm, crossed
from quickstarted.condition import NO_DOCS, Condition
from quickstarted.errors import FileInvalid, UsageError
from quickstarted.matrix.cells import Cell, crossed_cells
from quickstarted.matrix.file import Exclude, Include, Matrix
from quickstarted.matrix.values import arm_in, as_named_here
from quickstarted.task import KeyPath, Task, find_tasks
from quickstarted.task.file_format import flaw_lines
from quickstarted.task.source import quoted
from quickstarted.task.yaml_nodes import Flaw

_Identity = tuple[str, str, str, str]
"""Task, agent, affordances and arm of a cell, by name."""


def task_paths(matrix: Matrix) -> list[Path]:
    """
    The task files of *matrix*, each once, in its order.

    Raises:
        FileInvalid: It names none, and there is none in `tasks` beside it.

    """
    file = matrix.file
    if file.tasks or file.examples:
        named = (path for item in file.tasks for path in item)
        return list(dict.fromkeys((*named, *file.examples)))
    try:
        paths = find_tasks([str(matrix.source.folder / "tasks")])
    except UsageError as exc:
        flaw = Flaw(matrix.source.position(()), (), "there is no task file in tasks/: name `tasks`")
        raise FileInvalid(flaw_lines(matrix.source.path, [flaw])) from exc
    return [as_named_here(path) for path in paths]


def cells_of(matrix: Matrix, tasks: Sequence[Task], repeat: int) -> list[Cell]:
    """
    The cells of *matrix*.

    Args:
        matrix: That was read.
        tasks: Loaded from `task_paths`.
        repeat: Attempts of cells of which the file says nothing else.

    Raises:
        FileInvalid: With all entries that name what is not there, or would change nothing, and all
            cells that make no sense.

    """
    product = _Product(matrix, tasks, repeat)
    for index, exclude in enumerate(matrix.file.exclude):
        product.leave_out(("exclude", index), exclude)
    for index, include in enumerate(matrix.file.include):
        product.add(("include", index), include)
    product.check()
    if product.flaws:
        raise FileInvalid(flaw_lines(matrix.source.path, product.flaws))
    return product.in_order()


class _Product:
    """Cells by name, and what is wrong with the entries that change them."""

    def __init__(self, matrix: Matrix, tasks: Sequence[Task], repeat: int) -> None:
        self.matrix = matrix
        self.tasks = tasks
        self.repeat = repeat
        self.arms = {arm.name: arm for arm in matrix.file.arms or (DEFAULT_ARM,)}
        self.flaws: list[Flaw] = []
        file = matrix.file
        arms = tuple(self.arms.values())
        conditions = crossed([Condition(affordances=one) for one in file.affordances], arms)
        cells = crossed_cells(tasks, file.agents, conditions, arms, repeat=repeat)
        self.cells = {_identity(cell): cell for cell in cells}
        self.listed = tuple(self.cells)
        """Before anything is left out: what entries may name."""
        self.added: dict[_Identity, KeyPath] = {}
        """By which entry."""

    def leave_out(self, key: KeyPath, exclude: Exclude) -> None:
        given = exclude.model_dump(exclude_none=True)
        patterns = tuple(given.get(name, "*") for name in Exclude.model_fields)
        if not any(_matches(one, patterns) for one in self.listed):
            self._nowhere(key, given)
        for identity in [one for one in self.cells if _matches(one, patterns)]:
            del self.cells[identity]

    def add(self, key: KeyPath, include: Include) -> None:
        arm = None if include.arm is None else include.arm.partition("=")[0]
        agent = None if include.agent is None else include.agent.name
        patterns = tuple(one or "*" for one in (include.task, agent, include.affordances, arm))
        present = [one for one in self.cells if _matches(one, patterns)]
        if not present:
            for cell in self._meant(key, include):
                self.cells[_identity(cell)] = cell
                self.added[_identity(cell)] = key
        elif include.repeat is None:
            have = _counted(len(present), "such cell")
            self._flaw(key, f"adds nothing: the matrix has {have}; give a `repeat`, or remove it")
        else:
            for one in present:
                self.cells[one] = replace(self.cells[one], repeat=include.repeat)

    def in_order(self) -> list[Cell]:
        """By task and agent, so that those that were added stand beside those like them."""
        cells = list(self.cells.values())
        tasks = list(dict.fromkeys(task.name for task in self.tasks))
        agents = list(dict.fromkeys(cell.agent.name for cell in cells))
        return sorted(
            cells,
            key=lambda cell: (tasks.index(cell.task.name), agents.index(cell.agent.name)),
        )

    def check(self) -> None:
        """See that there are cells, and that each of them makes sense."""
        senseless = {
            self.added.get(one, ("arms",)): cell.agent.name
            for one, cell in self.cells.items()
            if cell.agent.is_replay and cell.arm.name == NO_DOCS
        }
        for key, agent in senseless.items():
            self._flaw(
                key,
                f"{agent} runs what the documentation says, and knows nothing without it: exclude"
                f" agent {agent} with arm {NO_DOCS}",
            )
        if not self.cells and not self.flaws:
            self._flaw(("exclude",), "leaves out every cell")
        used = {name for cell in self.cells.values() for name in _used_by(cell)}
        for name in self.matrix.file.limits:
            if name not in used:
                message = f"no cell uses {name}; there are {', '.join(sorted(used))}"
                self._flaw(("limits", name), message)

    def _meant(self, key: KeyPath, include: Include) -> Iterator[Cell]:
        tasks = self._named_tasks(key, include)
        agents = self._named_agents(key, include)
        arms = self._named_arms(key, include)
        policies = (include.affordances,) if include.affordances else self.matrix.file.affordances
        conditions = crossed([Condition(affordances=one) for one in policies], arms)
        repeat = include.repeat or self.repeat
        yield from crossed_cells(tasks, agents, conditions, arms, repeat=repeat)

    def _named_tasks(self, key: KeyPath, include: Include) -> list[Task]:
        pattern = include.task
        tasks = [one for one in self.tasks if pattern is None or _is_meant(one.name, pattern)]
        if not tasks and pattern is not None:
            known = ", ".join(task.name for task in self.tasks)
            self._flaw((*key, "task"), f"no task is called {quoted(pattern)}; there are {known}")
        return tasks

    def _named_agents(self, key: KeyPath, include: Include) -> tuple[Agent, ...]:
        if include.agent is None and not self.matrix.file.agents:
            self._flaw(key, "needs an `agent`: the file has no `agents`")
        return self.matrix.file.agents if include.agent is None else (include.agent,)

    def _named_arms(self, key: KeyPath, include: Include) -> tuple[Arm, ...]:
        text = include.arm
        if text is None:
            return tuple(self.matrix.file.arms) or (DEFAULT_ARM,)
        try:
            arm = self.arms[text] if text in self.arms else arm_in(text, self.matrix.source.folder)
        except ValueError as exc:
            self._flaw((*key, "arm"), str(exc))
            return ()
        first = self.arms.setdefault(arm.name, arm)
        if first.content_hash != arm.content_hash:
            message = f"the arm {arm.name} is another folder elsewhere: {first.folder}"
            self._flaw((*key, "arm"), message)
        return (arm,)

    def _nowhere(self, key: KeyPath, given: dict[str, str]) -> None:
        """Say which key of an exclude is at fault, where one alone is."""
        fields = tuple(Exclude.model_fields)
        for name, pattern in given.items():
            known = list(dict.fromkeys(one[fields.index(name)] for one in self.listed))
            if not any(_is_meant(one, pattern) for one in known):
                there = f"there are {', '.join(known)}" if known else "`agents` is empty"
                message = f"matches nothing: no cell has {name} {quoted(pattern)}; {there}"
                self._flaw((*key, name), message)
                return
        words = " and ".join(f"{name} {quoted(pattern)}" for name, pattern in given.items())
        self._flaw(key, f"matches nothing: no cell has {words}")

    def _flaw(self, key: KeyPath, message: str) -> None:
        self.flaws.append(Flaw(self.matrix.source.position(key), key, message))


def _identity(cell: Cell) -> _Identity:
    return (cell.task.name, cell.agent.name, cell.condition.affordances, cell.arm.name)


def _used_by(cell: Cell) -> Iterator[str]:
    """What of the names that a limit may have attempts of *cell* use."""
    yield vendor_of(cell.agent.name)
    if cell.condition.has_docs:
        yield from cell.task.docs.hosts


def _matches(identity: _Identity, patterns: Sequence[str]) -> bool:
    return all(map(_is_meant, identity, patterns))


def _is_meant(name: str, pattern: str) -> bool:
    """By name or by glob; agents of the kind `exec` may have in their names what globs are of."""
    return name == pattern or fnmatchcase(name, pattern)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
