"""The README and the user guide work by pasting, and print what they show."""

from __future__ import annotations

import re

import pytest

from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, call, say
from fakes.pages import CHECKOUT, blocks
from fakes.pasting import first_script, paste, same, steps
from quickstarted.events import SandboxSaved
from quickstarted.trace import read_trace

pytestmark = pytest.mark.docker

README = CHECKOUT / "README.md"
FIRST_FIVE_MINUTES = CHECKOUT / "docs" / "first-five-minutes.md"
TROUBLESHOOTING = CHECKOUT / "docs" / "troubleshooting.md"
NO_KEY = {"ANTHROPIC_API_KEY": "", "QUICKSTARTED_ANTHROPIC_API_KEY": ""}
A_READER = [
    call("read_docs", {"url": "https://docs.example/"}),
    bash("python3 -m venv .venv && .venv/bin/pip install tabulate"),
    bash(
        "cat > table.py <<'PYTHON'\nfrom tabulate import tabulate\n"
        'print(tabulate([["tea", 3], ["milk", 1]], headers=["what", "cups"]))\nPYTHON'
    ),
    bash(".venv/bin/python table.py"),
    say("table.py prints the table."),
]
"""The model of the page: it does what the mended page says."""


def test_the_first_task_passes_as_pasted_and_fails_as_shown(tmp_path):
    first = paste(f"set -e\n{first_script(README.read_text(), '## Your first task')}", tmp_path)

    assert 0 == first.returncode, first.stdout
    assert "[PASS] hello" in first.stdout

    task = tmp_path / "tasks" / "hello.yaml"
    task.write_text(task.read_text().replace("pip install cowsay", "pip install cowsays"))
    second = paste("quickstarted run tasks/hello.yaml 2>/dev/null", tmp_path)

    assert 1 == second.returncode
    shown = README.read_text().split("\n[FAIL docs_gap] hello", 1)[1].split("```", 1)[0]
    assert shown.splitlines()[1:] == second.stdout.splitlines()[1:]


def test_the_first_five_minutes_go_as_the_page_shows(tmp_path, engine):
    with ScriptedMessagesApi(A_READER, api_key="sk-test") as api:
        environ = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "QUICKSTARTED_ANTHROPIC_API_KEY": "sk-test",
        }
        for block in blocks(FIRST_FIVE_MINUTES.read_text()):
            if block.language == "sh":
                done = paste(f"set -e\n{block.text}", tmp_path)
                assert 0 == done.returncode, done.stdout
            for step in steps(block.text) if block.language == "console" else ():
                printed = paste(step.command, tmp_path, environ).stdout
                assert same(step.output, printed), f"{step.command}\n{printed}"
    api.assert_done()
    remove_kept(engine, tmp_path / "results")


def remove_kept(engine, results):
    """What the page keeps would stay for days."""
    events = [event for path in results.rglob("trace.jsonl") for event in read_trace(path)]
    (kept,) = [event.image for event in events if isinstance(event, SandboxSaved)]
    engine.api.remove_image(kept, force=True)


def test_mistakes_are_answered_as_the_page_on_troubleshooting_shows(tmp_path):
    for block in blocks(TROUBLESHOOTING.read_text()):
        named = re.match(r"# (\w+/\w+\.yaml)\n", block.text)
        if block.language == "yaml" and named:
            path = tmp_path / named[1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text)
        for step in steps(block.text) if block.language == "console" else ():
            printed = paste(step.command, tmp_path, NO_KEY).stdout
            assert same(step.output, without_notes(printed)), f"{step.command}\n{printed}"


def without_notes(printed):
    """Where earlier results went, and which image stood in, differ from machine to machine."""
    return "".join(
        line
        for line in printed.splitlines(keepends=True)
        if not line.startswith(("note: earlier results", "no registry serves"))
    )
