"""
A disk that is slow, and a clock that jumps, in a program that has this folder on its PYTHONPATH.

Python loads a module of this name at its start.

- `QS_SLOW_NAME` is a part of the names of files that are slow, `QS_SLOW_SEEN` a file that is made
  when the first of them is to be on disk, `QS_SLOW_S` how long that takes.
- `QS_CLOCK` is a file: by so many seconds is the wall clock wrong. The monotonic clock is right.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_fsync, _time = os.fsync, time.time


def _slowly(descriptor: int) -> None:
    name = Path(f"/proc/self/fd/{descriptor}").readlink().name
    if os.environ["QS_SLOW_NAME"] in name:
        Path(os.environ["QS_SLOW_SEEN"]).touch()
        time.sleep(float(os.environ["QS_SLOW_S"]))
    _fsync(descriptor)


def _wrongly() -> float:
    return _time() + float(Path(os.environ["QS_CLOCK"]).read_text() or 0)


if "QS_SLOW_NAME" in os.environ:
    os.fsync = _slowly
if "QS_CLOCK" in os.environ:
    time.time = _wrongly
