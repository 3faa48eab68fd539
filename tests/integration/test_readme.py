"""The README and the user guide work by pasting, and print what they show."""

from __future__ import annotations

import re

import pytest

from fakes.pages import CHECKOUT, blocks
from fakes.pasting import first_script, paste, same, steps
from quickstarted.rejudge import kept_sandbox
from quickstarted.results import AttemptDir

pytestmark = pytest.mark.docker

README = CHECKOUT / "README.md"
FIRST_FIVE_MINUTES = CHECKOUT / "docs" / "first-five-minutes.md"
TROUBLESHOOTING = CHECKOUT / "docs" / "troubleshooting.md"


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
    for block in blocks(FIRST_FIVE_MINUTES.read_text()):
        if block.language == "sh":
            done = paste(f"set -e\n{block.text}", tmp_path)
            assert 0 == done.returncode, done.stdout
        for step in steps(block.text) if block.language == "console" else ():
            printed = paste(step.command, tmp_path).stdout
            assert same(step.output, printed), f"{step.command}\n{printed}"
    remove_kept(engine, tmp_path / "results" / "table")


def remove_kept(engine, folder):
    """The sandbox that the page keeps would stay for days."""
    engine.api.remove_image(kept_sandbox(AttemptDir(folder)), force=True)


def test_mistakes_are_answered_as_the_page_on_troubleshooting_shows(tmp_path):
    for block in blocks(TROUBLESHOOTING.read_text()):
        named = re.match(r"# (\w+/\w+\.yaml)\n", block.text)
        if block.language == "yaml" and named:
            path = tmp_path / named[1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text)
        for step in steps(block.text) if block.language == "console" else ():
            printed = paste(f"{step.command} 2>&1", tmp_path, {"NO_COLOR": "1"}).stdout
            assert same(step.output, without_notes(printed)), f"{step.command}\n{printed}"


def without_notes(printed):
    """Where earlier results went, and which image stood in, differ from machine to machine."""
    return "".join(
        line
        for line in printed.splitlines(keepends=True)
        if not line.startswith(("note: earlier results", "no registry serves"))
    )
