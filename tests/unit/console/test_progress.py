import errno
import io
import threading

import pytest
from rich.console import Console

from fakes.attempts import (
    docs_fetch,
    egress_allowed,
    egress_blocked,
    run_end,
    run_start,
    success_check,
    tool_call,
    tool_result,
)
from fakes.glass import Glass, console_on
from quickstarted.console.output import Terminal
from quickstarted.console.progress import Progress, ProgressPrinter

EVENTS = [
    run_start(),
    docs_fetch(),
    tool_call("pip install x"),
    egress_allowed(bytes_in=10),
    egress_blocked("a.example"),
    tool_result(1, output="no x\n"),
    success_check(1, output="check failed: x\n"),
    run_end(classification="docs_gap", passed=False),
]

STARTED = """\
   0.0s run      flask by replay
                 attempt 1, affordances all, docker  enforced"""
INSTALLED = """\
   2.0s $        pip install x  exit 1 (1.0 s)
                 | no x
        refused  a.example  not on the allowlist (1 request)"""


def _console(**options) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=80, highlight=False, markup=False, **options), stream


def test_there_is_a_line_for_each_thing_that_matters():
    progress = Progress()

    assert [progress(event) for event in EVENTS] == [
        STARTED,
        "   1.0s read     https://docs.example/  100 chars",
        None,
        None,
        None,
        INSTALLED,
        "   9.0s check    failed  exit 1\n                 | check failed: x",
        "  10.0s end      stopped as completed  FAIL docs_gap",
    ]


def test_those_who_want_everything_get_outputs_and_requests():
    progress = Progress(verbose=True)
    text = "\n".join(filter(None, map(progress, EVENTS)))

    assert "network  pypi.org (1)  1 request, 10 bytes" in text


def test_attempts_side_by_side_are_told_apart():
    assert str(Progress(prefix="flask/3 ")(run_start())).startswith("flask/3    0.0s run")


def test_the_printer_shows_the_same_lines_in_a_log():
    console, stream = _console()
    with ProgressPrinter(console) as printer:
        for event in EVENTS:
            printer(event)
    progress = Progress()

    assert (
        stream.getvalue().splitlines()
        == "\n".join(filter(None, map(progress, EVENTS))).splitlines()
    )


def test_quiet_says_nothing():
    console, stream = _console(force_terminal=True)
    with ProgressPrinter(console, quiet=True) as printer:
        for event in EVENTS:
            printer(event)

    assert stream.getvalue() == ""


def test_a_log_is_not_drawn_on_even_where_colours_are_forced():
    console, stream = _console(force_terminal=True, color_system="standard")
    with ProgressPrinter(console) as printer:
        printer(run_start())

    assert "\x1b[?25l" not in stream.getvalue()


def test_a_terminal_also_shows_what_goes_on_just_now():
    glass = Glass()
    console = console_on(glass)
    with ProgressPrinter(console) as printer:
        printer(run_start())
        printer(tool_call("sleep [bold]100[/bold]"))
        printer(egress_allowed())
        shown = threading.Event()
        for _ in range(100):
            if "$ sleep [bold]100[/bold]" in "".join(glass.written):
                shown.set()
                break
            shown.wait(0.05)

    assert shown.is_set()


class _Gone(io.StringIO):
    def __init__(self, error: int) -> None:
        super().__init__()
        self._error = error

    def write(self, text: str) -> int:
        raise OSError(self._error, "gone")


@pytest.mark.parametrize("error", [errno.EPIPE, errno.EIO, errno.ENOSPC])
def test_a_stream_that_takes_nothing_more_does_not_end_the_attempt(error):
    printer = ProgressPrinter(Terminal(file=_Gone(error), width=80))
    told = []
    with printer:
        for event in EVENTS:
            printer(event)
            told.append(event)

    assert told == EVENTS


def test_events_of_several_threads_are_shown_whole():
    console, stream = _console()
    with ProgressPrinter(console) as printer:
        printer(run_start())
        threads = [
            threading.Thread(target=lambda: [printer(docs_fetch()) for _ in range(50)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lines = stream.getvalue().splitlines()[2:]

    assert lines == ["   1.0s read     https://docs.example/  100 chars"] * 200
