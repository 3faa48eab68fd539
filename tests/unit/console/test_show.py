import io
from pathlib import Path

import pytest
from rich.console import Console

from fakes.attempts import docs_fetch, egress_blocked, run_end, run_start, tool_call, tool_result
from fakes.golden import TRACES, golden
from quickstarted.console.show import show_events
from quickstarted.events import EventBase
from quickstarted.trace import read_trace

NAMES = ("passed", "docs_gap", "harness_error", "infra_error", "torn", "predecessor")


def _shown(events, *, verbose=False, width=80, **options) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False, markup=False, **options)
    show_events(events, console, Path("results/x/trace.jsonl"), verbose=verbose)
    return stream.getvalue()


def _recorded(name) -> list[EventBase]:
    return list(read_trace(TRACES / f"{name}.jsonl", on_torn=lambda _: None))


@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_shown_as_it_was_found_right(name, verbose):
    text = _shown(_recorded(name), verbose=verbose)

    assert golden(f"show/{name}{'.verbose' if verbose else ''}.txt", text) == text


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", NAMES)
def test_the_story_fits_the_terminal_and_no_line_ends_in_blanks(name, width):
    story, _, _ = _shown(_recorded(name), width=width).partition("\n\n")

    assert [line.rstrip() for line in story.splitlines()] == story.splitlines()
    assert max(map(len, story.splitlines())) <= width


def test_local_documentation_stands_between_the_story_and_the_verdict():
    said = _shown(
        [
            run_start(agent="claude"),
            tool_call("flask --help"),
            tool_result(output="Usage: flask"),
            run_end(),
        ]
    )
    (line,) = [line for line in said.splitlines() if "help of a program" in line]

    assert "  help of a program     flask --help" == line
    assert said.index("stopped as") < said.index(line) < said.rindex("PASS")


def test_a_terminal_gets_colours_and_other_places_do_not():
    events = _recorded("docs_gap")

    assert "\x1b[" in _shown(events, force_terminal=True, color_system="standard")
    assert "\x1b[" not in _shown(events)
    assert "\x1b[3" not in _shown(events, force_terminal=True, no_color=True)


HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e[bold red]not bold[/]\r:smile:\x9b31m"


@pytest.mark.parametrize("verbose", [False, True])
def test_strings_of_a_trace_never_drive_the_terminal(verbose):
    events = [
        run_start(task=HOSTILE, agent=HOSTILE, affordance_policy=HOSTILE, backend=HOSTILE),
        docs_fetch(HOSTILE, resolved_to=HOSTILE),
        tool_call(HOSTILE),
        egress_blocked(HOSTILE),
        tool_result(1, output=HOSTILE + "\n", note=HOSTILE),
        run_end(passed=False, classification="docs_gap"),
    ]
    text = _shown(events, verbose=verbose, width=400)

    assert not set(text) & {"\x1b", "\x07", "\u202e", "\r", "\x9b"}
    assert "[bold red]not bold[/]" in text
    assert ":smile:" in text


def test_a_run_that_is_not_over_shows_what_is_still_going_on():
    text = _shown([run_start(), tool_call("make -j2")])

    assert text.endswith("make -j2  did not end\n")
