"""
Every attempt in a results folder, found by what their files say and not by how folders are called.

Reading is all it does: nothing is written, moved or removed here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from quickstarted.condition import Condition
from quickstarted.records.attempt import Found, Unfinished, read_attempt, standing_of
from quickstarted.results import AttemptKey, CellKey, RunResult

_LOOKS_ASIDE = re.compile(r".+\.[0-9]+(/.*)?")


@dataclass(kw_only=True)
class Index:
    """What is in a results folder."""

    out: Path
    found: dict[AttemptKey, Found] = field(default_factory=dict)
    """Whole attempts."""
    aside: dict[AttemptKey, list[Found]] = field(default_factory=dict)
    """Whole ones that were kept aside, in the order of their numbers: older results, lost tries."""
    misplaced: list[Found] = field(default_factory=list)
    """Whole ones that lie where another one's place is, or that are there twice."""
    unfinished: list[Unfinished] = field(default_factory=list)
    """What lies in the place of an attempt and is none."""
    problems: list[str] = field(default_factory=list)
    """What somebody should hear of: one line for each folder that cannot be used as it is."""

    @property
    def places(self) -> list[str]:
        """All folders with something of an attempt in them, relative to `out`."""
        return [one.place for one in (*self.found.values(), *self.others)]

    @property
    def others(self) -> list[Found | Unfinished]:
        """All that does not count."""
        aside = [one for kept in self.aside.values() for one in kept]
        return [*self.unfinished, *self.misplaced, *aside]

    @property
    def runs(self) -> list[RunResult]:
        """Of all whole attempts, by task, agent and number."""
        return [self.found[key].result for key in sorted(self.found)]


def index_of(out: Path) -> Index:
    """
    Look for attempts in *out*.

    Whatever is in it, this ends: folders and files that cannot be read are `problems`. A folder
    that is not there holds nothing.
    """
    index = Index(out=out)
    for place in _places(out, index.problems):
        match read_attempt(out, place):
            case Found() as found:
                _take(index, found)
            case Unfinished() as unfinished:
                _take_unfinished(index, unfinished)
            case None:
                pass
    for kept in index.aside.values():
        kept.sort(key=lambda one: _numbers(one.place))
    return index


def _places(out: Path, problems: list[str]) -> Iterator[str]:
    """`<task>` and `<task>/<agent>/<n>`, whatever they hold."""
    for task in _folders(f"{out}", "", problems) or ():
        agents = _folders(f"{out}", task, problems)
        if agents is None:
            continue
        yield task
        for agent in agents:
            yield from _folders(f"{out}", agent, problems) or ()


def _folders(out: str, place: str, problems: list[str]) -> list[str] | None:
    """Folders in *place*, in order; None where it cannot be read."""
    try:
        with os.scandir(f"{out}/{place}") as entries:
            names = [
                entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()
            ]
    except FileNotFoundError:
        return None
    except OSError as exc:
        problems.append(f"{place or out}: cannot be read: {exc.strerror}; left out")
        return None
    names.sort(key=lambda name: (int(name), name) if name.isdecimal() else (0, name))
    return [f"{place}/{name}" if place else name for name in names]


def _take(index: Index, found: Found) -> None:
    key = found.result.key
    match standing_of(found.place, key):
        case "in place" if key in index.found:
            index.misplaced.append(found)
            index.problems.append(
                f"{found.place}: the same attempt as {index.found[key].place}; left out"
            )
        case "in place":
            index.found[key] = found
        case "aside":
            index.aside.setdefault(key, []).append(found)
        case _:
            index.misplaced.append(found)
            index.problems.append(f"{found.place}: holds {named(key)}; left out")


def _take_unfinished(index: Index, unfinished: Unfinished) -> None:
    key, place = unfinished.key, unfinished.place
    standing = standing_of(place, key) if key else "in place"
    if standing == "aside" or (key is None and _LOOKS_ASIDE.fullmatch(place)):
        return
    index.unfinished.append(unfinished)
    if unfinished.is_damaged:
        index.problems.append(f"{place}: {unfinished.why}; it counts as not made")


def named(key: AttemptKey) -> str:
    """An attempt for people: `flask, claude, arm skill, attempt 3`."""
    return f"{named_cell(key.cell)}, attempt {key.attempt}"


def named_cell(key: CellKey) -> str:
    """A cell for people: `flask, claude, arm skill`."""
    label = Condition(affordances=key.affordances, arm=key.arm).label
    return ", ".join([key.task, key.agent, *([label] if label else [])])


def _numbers(place: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", place)]
