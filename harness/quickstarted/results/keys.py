"""How attempts are told apart, in memory and across the folders of several calls."""

from __future__ import annotations

from typing import NamedTuple


class CellKey(NamedTuple):
    """One task, by one agent, under one condition; a rate is made of the attempts of one cell."""

    task: str
    agent: str
    affordances: str
    arm: str
    """By name; what is in the folder of an arm is no part of the key, and is compared apart."""

    def attempt(self, number: int) -> AttemptKey:
        """The key of one of its attempts, counted from 1."""
        return AttemptKey(*self, number)


class AttemptKey(NamedTuple):
    """One attempt; two with the same key are tries of the same."""

    task: str
    agent: str
    affordances: str
    arm: str
    attempt: int

    @property
    def cell(self) -> CellKey:
        """Without the number."""
        return CellKey(self.task, self.agent, self.affordances, self.arm)
