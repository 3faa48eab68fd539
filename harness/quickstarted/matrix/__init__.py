"""Which attempts a call is to make."""

from quickstarted.matrix.cells import Cell, attempts_of, crossed_cells, is_nested

__all__ = ["Cell", "attempts_of", "crossed_cells", "is_nested"]
