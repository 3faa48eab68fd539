import errno
import io

import pytest
from rich.console import Console

from fakes import attempts as fake
from fakes.glass import Glass, console_on
from fakes.shown_calls import ShownCall, key, planned, result_of
from quickstarted.console.live.labelled import LabelledShow
from quickstarted.console.live.names import label
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.sink import Sink

ONE, TWO = key("flask", attempt=1), key("django", "replay", attempt=12, arm="no-docs")


class Log:
    """What a show has written."""

    def __init__(self):
        self.stream = io.StringIO()
        console = Console(file=self.stream, width=10_000, highlight=False, markup=False)
        self.sink = Sink(console)

    @property
    def lines(self):
        return self.stream.getvalue().splitlines()


@pytest.fixture(name="out")
def _out():
    return Log()


@pytest.fixture(name="err")
def _err():
    return Log()


def test_each_line_begins_with_the_name_of_its_attempt(out, err):
    call = ShownCall(planned(4, 10), workers=8)
    show = LabelledShow(err.sink, out.sink, clock=lambda: 0.0)
    call.play(show)
    show.close()
    labels = tuple(label(one) for one in call.ended)

    assert "40 attempts of 4 cells" == err.lines[0]
    others = [line for line in err.lines[1:] if not line.startswith(labels)]
    assert {"waiting: anthropic: 4 at once"} == {line.split(" ", 2)[2] for line in others}
    assert all(line.startswith(labels) for line in out.lines)
    assert 40 == sum(" | [" in line for line in out.lines)


def test_there_is_a_line_for_each_thing_that_matters(out, err):
    show = LabelledShow(err.sink, out.sink)
    show.planned([Planned(ONE, uses_model=True), Planned(TWO, uses_model=False)], [])
    for one in (ONE, TWO):
        show.begun(one)
        show.phase(one, "working")
    show.heard(ONE, fake.run_start(task="flask", agent="claude"))
    show.heard(TWO, fake.run_start(task="django", agent="replay"))
    show.heard(ONE, fake.docs_fetch())
    show.heard(TWO, fake.tool_call("pip install x"))
    show.heard(TWO, fake.egress_allowed())
    show.heard(TWO, fake.tool_result(1, output="no x\n"))
    show.ended(ONE, "results/flask/claude/1/trace.jsonl", result_of(ONE))
    show.close()

    assert err.lines == [
        "2 attempts of 2 cells",
        "flask claude #1 |    0.0s run      flask by claude",
        "flask claude #1 |                  attempt 1, affordances all, docker  enforced",
        "django replay+no-docs #12 |    0.0s run      django by replay",
        "django replay+no-docs #12 |                  attempt 1, affordances all, docker  enforced",
        "flask claude #1 |    1.0s read     https://docs.example/  100 chars",
        "django replay+no-docs #12 |    2.0s $        pip install x  exit 1 (1.0 s)",
        "django replay+no-docs #12 |                  | no x",
    ]
    assert out.lines == ["flask claude #1 | [PASS] flask (40.0 s, 0 pages, 0 commands)"]


def test_a_second_try_is_told_from_the_first(out, err):
    show = LabelledShow(err.sink, out.sink)
    show.planned([Planned(ONE, uses_model=True)], [])
    for ending in ("infra_error", "passed"):
        show.begun(ONE)
        show.ended(ONE, "results/flask/trace.jsonl", result_of(ONE, ending))
    show.close()

    assert out.lines[0].startswith("flask claude #1 | [INFRA infra_error]")
    assert out.lines[-1].startswith("flask claude #1, try 2 | [PASS]")


def test_what_is_waited_for_is_said_when_it_changes_and_not_each_time_that_one_less_waits(out, err):
    show = LabelledShow(err.sink, out.sink)
    show.planned([], [])
    for waits in (
        [Wait(5, "anthropic: 4 at once")],
        [Wait(4, "anthropic: 4 at once")],
        [],
        [Wait(4, "0.1 GiB of memory free")],
        [Wait(4, "0.12 GiB of memory free")],
    ):
        show.holding(waits)
    show.close()

    assert err.lines[1:] == [
        "5 attempts waiting: anthropic: 4 at once",
        "4 attempts waiting: 0.1 GiB of memory free",
    ]


def test_after_a_minute_of_silence_there_is_a_sign_of_life(out):
    glass = Glass(200, 40)
    now = [0.0]
    show = LabelledShow(Sink(console_on(glass, 200)), out.sink, clock=lambda: now[0])
    show.planned([Planned(ONE, uses_model=True), Planned(TWO, uses_model=True)], [])
    show.begun(ONE)
    now[0] = 59.0
    show.flush()
    now[0] = 61.0
    show.close()

    assert glass.lines == [
        "2 attempts of 2 cells",
        "0 of 2 done, 1 under way, 0 passed, time left unknown, $0 spent",
    ]


def test_quiet_says_verdicts_and_nothing_else(out):
    show = LabelledShow(None, out.sink)
    call = ShownCall(planned(2, 5), workers=4)
    call.play(show)
    show.note("a note")
    show.close()

    heads = [line for line in out.lines if " | [" in line]
    assert 10 == len(heads)
    assert "a note" not in "\n".join(out.lines)


def test_an_earlier_call_is_mentioned(out, err):
    show = LabelledShow(err.sink, out.sink)
    show.planned([Planned(ONE, uses_model=True), Planned(TWO, uses_model=True)], [result_of(ONE)])
    show.close()

    assert ["2 attempts of 2 cells, 1 of them made already"] == err.lines


@pytest.mark.parametrize("error", [errno.EPIPE, errno.EIO, errno.ENOSPC])
def test_a_reader_that_is_gone_ends_the_showing_and_nothing_else(out, error):
    glass = Glass()
    glass.lost = OSError(error, "gone")
    show = LabelledShow(Sink(console_on(glass)), out.sink)
    call = ShownCall(planned(2, 5), workers=4)
    call.play(show)
    show.close()

    assert 10 == sum(" | [" in line for line in out.lines)


def test_lines_that_are_not_read_fast_enough_are_counted(out):
    glass = Glass(100, 100)
    glass.paused.set()
    show = LabelledShow(Sink(console_on(glass, 100)), out.sink, most_waiting=5)
    show.planned([Planned(ONE, uses_model=True)], [])
    show.begun(ONE)
    assert glass.reached.wait(30)
    for _ in range(20):
        show.heard(ONE, fake.docs_fetch())
    glass.resume()
    show.flush()
    show.heard(ONE, fake.docs_fetch())
    show.close()

    assert "(15 lines left out: they were not read fast enough)" in glass.lines


def test_pages_and_commands_never_drive_the_log(out, err):
    evil = "\x1b[2J\x07\x9b31m\u202e"
    one = key("flask", f"exec:{evil}")
    show = LabelledShow(err.sink, out.sink, verbose=True)
    show.planned([Planned(one, uses_model=True)], [])
    show.begun(one)
    show.heard(one, fake.tool_call(evil))
    show.heard(one, fake.tool_result(1, output=evil))
    show.holding([Wait(1, evil)])
    show.note(evil)
    show.ended(one, f"results/{evil}/trace.jsonl", result_of(one, "docs_gap"))
    show.close()

    assert all(line.isprintable() for line in [*err.lines, *out.lines])
