"""
How long a video is, and whether it covers the run.

The log does not say where in the video the run starts, so that is asked for; without it only the
lengths are compared. ffprobe may open files only: a video can be a list of addresses.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.formats.agent_log.rules import VIDEO_TOLERANCE_S

PROBE_TIMEOUT_S = 60
_GIVE_SECONDS = "Give the length yourself: --video-seconds N."


@dataclass(frozen=True, slots=True)
class Video:
    """
    The video of a run.

    Attributes:
        seconds: Its length.
        offset_s: Where in it the run starts; negative where it starts later than the run; None
            where nobody knows.

    """

    seconds: float
    offset_s: float | None = None


def probe_seconds(path: Path) -> float:
    """
    The length of the video file *path*, as ffprobe says.

    Raises:
        UsageError: There is no ffprobe, or it cannot say.

    """
    program = shutil.which("ffprobe")
    if program is None:
        raise UsageError(
            "there is no ffprobe on this machine to ask how long the video is",
            hint=f"Install ffmpeg, which it is part of. {_GIVE_SECONDS}",
        )
    try:
        done = subprocess.run(  # noqa: S603 (a fixed program and options; the path is one argument)
            [program, *_OPTIONS, f"file:{path}"],
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=PROBE_TIMEOUT_S,
        )
        seconds = float(json.loads(done.stdout)["format"]["duration"])
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"ffprobe has not said in {PROBE_TIMEOUT_S} s how long {path} is", hint=_GIVE_SECONDS
        ) from None
    except (OSError, ValueError, LookupError, TypeError):
        raise UsageError(f"ffprobe cannot say how long {path} is", hint=_GIVE_SECONDS) from None
    if not math.isfinite(seconds) or seconds < 0:
        raise UsageError(f"ffprobe says that {path} is {seconds} s long", hint=_GIVE_SECONDS)
    return seconds


_OPTIONS = (
    "-v",
    "error",
    "-protocol_whitelist",
    "file",
    "-show_entries",
    "format=duration",
    "-of",
    "json",
)


def video_problems(run_seconds: float, video: Video) -> Iterator[tuple[str, str]]:
    """Codes and messages for what *video* lacks of a run of *run_seconds*; 5 s are included."""
    if video.offset_s is None:
        missing = run_seconds - video.seconds
        if missing > VIDEO_TOLERANCE_S:
            yield (
                "video-too-short",
                f"the run took {run_seconds:.10g} s and the video has {video.seconds:.10g} s",
            )
        return
    if -video.offset_s > VIDEO_TOLERANCE_S:
        yield (
            "video-starts-late",
            f"the video starts {-video.offset_s:.10g} s after run_start; at most 5 s are allowed",
        )
    missing = video.offset_s + run_seconds - video.seconds
    if missing > VIDEO_TOLERANCE_S:
        yield (
            "video-ends-early",
            f"the video ends {missing:.10g} s before run_end; at most 5 s are allowed",
        )
