"""Which attempts a call is to make."""

from quickstarted.matrix.cells import MOST_REPEAT, Cell, attempts_of, crossed_cells, is_nested

__all__ = ["MOST_REPEAT", "Cell", "attempts_of", "crossed_cells", "is_nested"]
