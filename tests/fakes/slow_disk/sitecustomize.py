"""
A disk that is slow for files of one name, in a program that has this folder on its PYTHONPATH.

Python loads a module of this name at its start. `QS_SLOW_NAME` is a part of the files' paths,
`QS_SLOW_SEEN` a file that is made when the first of them is to be on disk, `QS_SLOW_S` how long
that takes.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_fsync = os.fsync


def _slowly(descriptor: int) -> None:
    name = Path(f"/proc/self/fd/{descriptor}").readlink().name
    if os.environ["QS_SLOW_NAME"] in name:
        Path(os.environ["QS_SLOW_SEEN"]).touch()
        time.sleep(float(os.environ["QS_SLOW_S"]))
    _fsync(descriptor)


if "QS_SLOW_NAME" in os.environ:
    os.fsync = _slowly
