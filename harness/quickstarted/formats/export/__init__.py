"""
Traces of this program in the formats of others, written as they are read.

`convert` is the one door. A target is a module with a function that writes an `Attempt` to a
stream, and a line in `TARGETS`. What a format has no place for is said in its module, and nothing
is made up.
"""

from quickstarted.formats.export.targets import TARGETS, Target, convert

__all__ = ["TARGETS", "Target", "convert"]
