import itertools

import pytest
from markdown_it import MarkdownIt

from fakes.attempts import (
    docs_fetch,
    egress_blocked,
    run_end,
    run_start,
    success_check,
    tool_call,
    tool_result,
)
from fakes.golden import TRACES, golden
from quickstarted.console.report import report_markdown
from quickstarted.errors import TraceInvalid
from quickstarted.events import AgentFinal
from quickstarted.trace import read_trace


@pytest.mark.parametrize(
    "name", ["passed", "docs_gap", "harness_error", "infra_error", "predecessor"]
)
def test_a_report_reads_as_it_was_found_right(name):
    text = report_markdown(read_trace(TRACES / f"{name}.jsonl"))

    assert golden(f"report/{name}.md", text) == text


def test_an_attempt_that_is_not_over_has_no_report():
    with pytest.raises(TraceInvalid, match="no run_end"):
        report_markdown([run_start()])


def test_local_documentation_has_a_section_of_its_own():
    text = report_markdown(
        [
            run_start(agent="claude"),
            tool_call("flask --help | tail"),
            tool_result(output="Usage: flask"),
            tool_call("cat node_modules/a|b/README.md"),
            tool_result(output="# A"),
            run_end(),
        ]
    )

    assert "## Local documentation that was read\n" in text
    assert "| help of a program | `flask --help` |" in text
    assert text.index("## Local documentation") < text.index("## What happened")


HOSTILE = "</details>\n```\n# owned\n<script>alert(1)</script> @everyone [x](javascript:1) | a | b"


def test_nothing_of_a_trace_becomes_markup():
    text = report_markdown(
        [
            run_start(task=HOSTILE, agent=HOSTILE, backend=HOSTILE, affordance_policy=HOSTILE),
            docs_fetch(HOSTILE, resolved_to=HOSTILE + "2"),
            tool_call(HOSTILE),
            egress_blocked(HOSTILE),
            tool_result(1, output=(HOSTILE + "\n") * 9, note=HOSTILE),
            AgentFinal(ts=1005.0, text=HOSTILE),
            success_check(1, output=HOSTILE),
            run_end(classification="docs_gap", passed=False),
        ]
    )
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    html = {token.content.strip() for token in tokens if token.type == "html_block"}
    inline = [
        child.type for token in tokens if token.type == "inline" for child in token.children or []
    ]
    titles = [
        after.content
        for token, after in itertools.pairwise(tokens)
        if token.type == "heading_open" and token.tag == "h2"
    ]

    assert html == {"<details>\n<summary>36 lines of output</summary>", "</details>"}
    assert not {"link_open", "html_inline", "image"} & set(inline)
    assert titles == [
        "What to look at",
        "The success check",
        "The agent's own account",
        "What happened",
    ]
    assert sum(token.type == "heading_open" and token.tag == "h1" for token in tokens) == 1


def test_the_report_of_an_unenforced_attempt_says_so_before_anything_else():
    start = run_start(backend="local", enforced=False)
    text = report_markdown([start, success_check(0), run_end()])

    assert text.startswith("# `flask`: PASS, nothing enforced\n")
    assert "**Nothing enforced**: commands ran on this machine" in text.split("| --- |")[0]
    assert "| requests | not on record |" in text
