"""The trace of an attempt: written as things happen, read by everything else."""

from quickstarted.trace.clock import RunClock
from quickstarted.trace.find import find_trace, find_traces
from quickstarted.trace.reader import parse_event, read_trace
from quickstarted.trace.writer import TraceWriter, encode

__all__ = [
    "RunClock",
    "TraceWriter",
    "encode",
    "find_trace",
    "find_traces",
    "parse_event",
    "read_trace",
]
