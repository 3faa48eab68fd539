"""Agent logs in files: one checked from its first byte to its last, and those in a folder."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.formats.agent_log.checker import LogChecker, LogReport
from quickstarted.formats.agent_log.rules import MAX_LINE_BYTES
from quickstarted.formats.agent_log.video import Video
from quickstarted.formats.encoding import BOM, HEAD_BYTES, head_problem
from quickstarted.formats.lines import LineTooLong, open_buffered, raw_lines

LOG_SUFFIX = ".jsonl"


def check_log(
    path: Path, *, video: Video | None = None, allow_changed_args: bool = False
) -> LogReport:
    """
    Check the log *path*; memory does not grow with its length.

    Raises:
        UsageError: The file cannot be read.

    """
    checker = LogChecker(allow_changed_args=allow_changed_args)
    try:
        with open_buffered(path) as stream:
            _feed(checker, stream)
    except OSError as exc:
        raise UsageError(f"cannot read {path}: {exc.strerror or exc}") from exc
    return checker.report(video)


def _feed(checker: LogChecker, stream: BufferedReader) -> None:
    head = stream.peek(HEAD_BYTES)[:HEAD_BYTES]
    problem = head_problem(head)
    if problem is not None:
        checker.stop(problem.code, f"the file {problem.message}")
        if problem.code != "bom":
            return
        stream.read(len(BOM))
    try:
        for raw in raw_lines(stream, MAX_LINE_BYTES):
            checker.feed(raw)
    except LineTooLong:
        checker.stop(
            "line-too-long",
            f"has more than {MAX_LINE_BYTES // 1024**2} MiB; it and what follows were not read",
        )


def find_logs(folder: Path) -> list[Path]:
    """
    All files below *folder* that can be logs: `*.jsonl`, in order of their paths.

    Raises:
        UsageError: There is none.

    """
    found = sorted(path for path in folder.rglob(f"*{LOG_SUFFIX}") if path.is_file())
    if not found:
        raise UsageError(
            f"there is no agent log in {folder}",
            hint=f"Logs are looked for at any depth, by their ending: *{LOG_SUFFIX}",
        )
    return found
