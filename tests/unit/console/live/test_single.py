import io

import pytest
from rich.console import Console

from fakes import attempts as fake
from fakes.glass import Glass, console_on
from fakes.shown_calls import key, result_of
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.single import SingleShow
from quickstarted.console.live.sink import Sink

ONE = key("flask")
TRACE = "results/flask/trace.jsonl"


def _console(stream):
    return Console(file=stream, width=10_000, highlight=False, markup=False)


def _told(show):
    show.planned([Planned(ONE, uses_model=True)], [])
    show.begun(ONE)
    show.phase(ONE, "working")
    show.heard(ONE, fake.run_start())
    show.heard(ONE, fake.docs_fetch())
    show.note("a note")
    show.holding([Wait(1, "no room")])
    show.ended(ONE, TRACE, result_of(ONE, "docs_gap"))
    show.close()


@pytest.mark.parametrize("quiet", [False, True])
def test_the_story_is_on_standard_error_and_the_verdict_on_standard_output(quiet):
    out, err = io.StringIO(), io.StringIO()
    _told(SingleShow(_console(err), Sink(_console(out)), quiet=quiet))

    assert out.getvalue().splitlines()[0] == "[FAIL docs_gap] flask (40.0 s, 0 pages, 0 commands)"
    assert out.getvalue().endswith("quickstarted show results/flask --verbose\n")
    story = [
        "   0.0s run      flask by replay",
        "                 attempt 1, affordances all, docker  enforced",
        "   1.0s read     https://docs.example/  100 chars",
        "a note",
        "1 attempt waiting: no room",
    ]
    assert err.getvalue().splitlines() == ([] if quiet else story)


def test_a_terminal_shows_the_same_and_nothing_is_left_of_what_goes_on():
    glass = Glass(100, 24)
    console = console_on(glass, 100)
    _told(SingleShow(console, Sink(console)))

    assert glass.lines[:4] == [
        "   0.0s run      flask by replay",
        "                 attempt 1, affordances all, docker  enforced",
        "   1.0s read     https://docs.example/  100 chars",
        "a note",
    ]
    assert glass.lines[5] == "[FAIL docs_gap] flask (40.0 s, 0 pages, 0 commands)"
    assert glass.has_cursor


def test_a_terminal_that_somebody_has_stopped_holds_up_no_attempt():
    glass = Glass(100, 24)
    glass.paused.set()
    console = console_on(glass, 100)
    show = SingleShow(console, Sink(console))
    show.begun(ONE)
    assert glass.reached.wait(30)
    for _ in range(100):
        show.heard(ONE, fake.docs_fetch())
    show.ended(ONE, TRACE, result_of(ONE))
    glass.resume()
    show.close()

    assert glass.all_lines[-1] == "[PASS] flask (40.0 s, 0 pages, 0 commands)"
