"""What checkers of formats have found, in lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from quickstarted.console.text import visible
from quickstarted.formats.problems import Problem


def problem_lines(problems: Sequence[Problem], counts: dict[str, int]) -> Iterator[str]:
    """Errors, then findings; what a file says is made visible."""
    for severity in ("error", "finding"):
        for one in problems:
            if one.severity == severity:
                yield f"  {severity}: {one.where}: {visible(one.message)} [{one.code}]"
    kept = Counter(one.code for one in problems)
    for code, number in counts.items():
        if number > kept[code]:
            yield f"  and {number - kept[code]:,} more [{code}]"


def plural(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
