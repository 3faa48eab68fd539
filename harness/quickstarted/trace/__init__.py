"""The trace of an attempt: written as things happen, read by everything else."""

from quickstarted.trace.clock import RunClock
from quickstarted.trace.writer import TraceWriter

__all__ = ["RunClock", "TraceWriter"]
