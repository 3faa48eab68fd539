import pytest

from fakes.attempts import (
    T0,
    agent_turn,
    docs_fetch,
    egress_allowed,
    egress_blocked,
    egress_error,
    run_end,
    run_start,
    success_check,
    tool_call,
    tool_result,
)
from quickstarted.console.entries import Entry
from quickstarted.console.narrate import OUTPUT_LINES, REASON_COLUMNS, Narrator
from quickstarted.events import AgentFinal, DocsRedirectFollowed, Fault, ToolCall


def _told(*events, verbose=False) -> list[Entry]:
    narrator = Narrator(verbose=verbose)
    narrator.hear(run_start())
    return [entry for event in events for entry in narrator.hear(event)]


def _words(entries) -> list[tuple[str, str, str]]:
    return [(entry.label, entry.text, entry.said) for entry in entries]


def test_a_command_is_told_once_it_has_ended_at_the_time_it_began():
    (entry,) = _told(tool_call("make", ts=T0 + 2), tool_result(2, ts=T0 + 5, duration=3.0))

    assert (
        entry.label,
        entry.text,
        entry.said,
        entry.at_s,
    ) == ("$", "make", "exit 2 (3.0 s)", 2.0)


@pytest.mark.parametrize(
    ("first", "second"),
    [({"call_id": "a"}, {"call_id": "b"}), ({"scope": 1}, {"scope": 2})],
    ids=["call_id", "scope"],
)
def test_results_are_joined_with_their_own_calls(first, second):
    entries = _told(
        tool_call("one", **first),
        tool_call("two", **second),
        tool_result(2, **second),
        tool_result(1, **first),
    )

    assert [(entry.text, entry.said) for entry in entries] == [
        ("two", "exit 2 (1.0 s)"),
        ("one", "exit 1 (1.0 s)"),
    ]


def test_without_ids_the_oldest_call_is_answered_first():
    entries = _told(tool_call("one"), tool_call("two"), tool_result(1), tool_result(2))

    assert [entry.text for entry in entries] == ["one", "two"]


def test_a_result_without_a_call_is_told_too():
    (entry,) = _told(tool_result(1, ts=T0 + 5))

    assert (entry.text, entry.at_s) == ("(bash)", 4.0)


def test_reading_is_told_by_the_page_and_not_by_the_call():
    entries = _told(
        ToolCall(ts=T0, tool="read_docs", url="https://docs.example/"), docs_fetch(), run_end()
    )

    assert [entry.label for entry in entries] == ["read", "end"]


def test_refusals_of_a_command_are_counted_beneath_it():
    entries = _told(
        tool_call("curl"),
        egress_blocked("a.example", method="DNS"),
        egress_blocked("a.example"),
        egress_blocked("a.example"),
        egress_blocked("docs.example", reason="docs_host_requires_read_docs"),
        egress_blocked("pypi.org", detail="path"),
        tool_result(22),
    )

    assert _words(entries) == [
        ("$", "curl", "exit 22 (1.0 s)"),
        ("refused", "a.example", "not on the allowlist (1 lookup, 2 requests)"),
        (
            "refused",
            "docs.example",
            "documentation is for read_docs, not for the shell (1 request)",
        ),
        (
            "refused",
            "pypi.org",
            "a path that is not open to the shell, see network.paths (1 request)",
        ),
    ]
    assert [entry.at_s for entry in entries] == [2.0, None, None, None]


def test_requests_are_for_those_who_want_everything():
    entries = _told(
        tool_call("pip"),
        egress_allowed("pypi.org", bytes_in=1000),
        egress_allowed("files.example", bytes_in=500),
        egress_allowed("pypi.org"),
        tool_result(),
    )

    assert [
        (entry.text, entry.said, entry.detail) for entry in entries if entry.label == "network"
    ] == [("files.example (1), pypi.org (2)", "3 requests, 1.5 kB", True)]


def test_a_failing_upstream_is_told():
    entries = _told(tool_call("pip"), egress_error(), egress_error(), tool_result(1))

    assert ("upstream", "pypi.org", "connect_failed (2 times)") in _words(entries)


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("model_path", "no call of a model, so it is not passed on (1 request)"),
        (
            "hosted_tool:web_search",
            "a call that would have the model's vendor read pages elsewhere (1 request)",
        ),
    ],
)
def test_refusals_of_a_program_by_its_model_are_told_as_such(detail, said):
    entries = _told(tool_call("x"), egress_blocked("m.example", detail=detail), tool_result(0))

    assert ("refused", "m.example", said) in _words(entries)


def test_traffic_outside_a_command_is_told_before_what_comes_next():
    entries = _told(egress_blocked("a.example"), success_check(1))

    assert [entry.label for entry in entries] == ["refused", "check"]


def test_of_a_failed_command_the_end_of_the_output_is_shown():
    output = "".join(f"{number}\n" for number in range(100))
    failed, fine = _told(
        tool_call("a"), tool_result(1, output=output), tool_call("b"), tool_result(0, output=output)
    )

    assert tuple(str(number) for number in range(100 - OUTPUT_LINES, 100)) == failed.output
    assert fine.output == ()


def test_those_who_want_everything_get_all_output():
    (entry,) = _told(tool_call("a"), tool_result(0, output="1\n2\n" * 50), verbose=True)

    assert len(entry.output) == 100


@pytest.mark.parametrize(
    ("verbose", "text"),
    [(False, "cat > x <<'E' (and 2 more lines)"), (True, "cat > x <<'E'\nhello\nE")],
)
def test_a_command_of_several_lines_is_told_by_its_first(verbose, text):
    (entry,) = _told(tool_call("cat > x <<'E'\nhello\nE\n"), tool_result(), verbose=verbose)

    assert text == entry.text


@pytest.mark.parametrize(
    "last", [Fault(ts=T0 + 4, component="engine", error="gone"), run_end()], ids=["fault", "end"]
)
def test_a_command_that_never_ended_is_told_before_what_ended_it(last):
    entries = _told(tool_call("sleep 9"), last)

    assert _words(entries)[0] == ("$", "sleep 9", "did not end")


def test_a_command_that_never_ended_is_told_once():
    entries = _told(
        tool_call("sleep 9"), Fault(ts=T0 + 4, component="engine", error="gone"), run_end()
    )

    assert [entry.label for entry in entries] == ["$", "fault", "end"]


def test_what_the_harness_has_to_say_of_a_command_stands_with_its_ending():
    (entry,) = _told(tool_call("x"), tool_result(137, note="killed: out of memory (limit 4g)"))

    assert entry.said == "exit 137 (1.0 s), killed: out of memory (limit 4g)"


def test_a_redirect_that_was_told_is_not_told_again_by_the_page():
    url, real = "https://docs.example/", "https://docs.example/real/"
    followed = DocsRedirectFollowed(ts=T0, requested=url, resolved_to=real)

    assert [entry.label for entry in _told(followed, docs_fetch(url, resolved_to=real))] == [
        "redirect",
        "to",
        "read",
    ]
    assert [entry.label for entry in _told(docs_fetch(url, resolved_to=real))] == ["read", "at"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I will try pip.", ["I will try pip."]),
        ("\n\nFirst the page,\nthen\nthe shell.\n", ["First the page, (and 2 more lines)"]),
        (None, []),
        ("  \n", []),
    ],
)
def test_what_a_model_says_stands_before_what_comes_of_it(text, told):
    entries = _told(agent_turn(text=text, ts=T0 + 1), tool_call("pip"), tool_result(0))

    assert [*[("says", one) for one in told], ("$", "pip")] == [
        (entry.label, entry.text) for entry in entries if not entry.detail
    ]


def test_long_words_of_a_model_are_cut():
    (said,) = _told(agent_turn(text="x" * 5000), agent_turn(2))[1:2]

    assert "says" == said.label
    assert REASON_COLUMNS == len(said.text)


def test_what_a_model_says_is_told_once():
    last = AgentFinal(ts=T0 + 2, text="Done.")
    final = _told(agent_turn(text="Done."), last)
    verbose = _told(agent_turn(text="I will."), tool_call("pip"), tool_result(0), verbose=True)

    assert ["agent"] == [entry.label for entry in final if not entry.detail]
    assert ["turn", "$"] == [entry.label for entry in verbose]


def test_the_last_words_before_a_fault_are_told():
    fault = Fault(ts=T0 + 2, component="engine", error="gone")

    labels = [entry.label for entry in _told(agent_turn(text="I will."), fault)]

    assert ["turn", "says"] == labels[:2]
