"""Two runs of the same tasks side by side, and what their attempts can show of a difference."""

from quickstarted.comparison.compare import compare
from quickstarted.comparison.model import (
    CellComparison,
    CellName,
    Change,
    Comparison,
    GroupComparison,
    GroupName,
    Mismatch,
    RunSide,
    Side,
)

__all__ = [
    "CellComparison",
    "CellName",
    "Change",
    "Comparison",
    "GroupComparison",
    "GroupName",
    "Mismatch",
    "RunSide",
    "Side",
    "compare",
]
