"""Names that no two have: one that is taken gets a number, in time that does not grow with it."""

from __future__ import annotations

from quickstarted.formats.ids import IdSet


class Names:
    """Names that are taken."""

    def __init__(self) -> None:
        self._taken = IdSet()
        self._numbers: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """*wanted*, or `wanted#2` and so on where it is taken."""
        if self._taken.add(wanted):
            return wanted
        number = self._numbers.get(wanted, 1)
        while True:
            number += 1
            name = f"{wanted}#{number}"
            if self._taken.add(name):
                self._numbers[wanted] = number
                return name
