"""The one prompt of every model."""

from __future__ import annotations

from pathlib import Path

from quickstarted.agents.assignment import Assignment
from quickstarted.agents.prompt import SYSTEM, prompt_for


def assignment(**fields):
    known = {
        "goal": "Serve a page.\n",
        "route": ("https://a.example/", "https://b.example/x"),
        "replay": ("true",),
    }
    return Assignment(**(known | fields))


def test_it_names_the_goal_and_the_route_in_order():
    told = prompt_for(assignment()).task

    expected = (
        "Goal: Serve a page.\n\n"
        "The documentation starts here:\n- https://a.example/\n- https://b.example/x"
    )
    assert expected == told


def test_it_is_the_same_for_the_same_task_and_another_for_another():
    first, again = prompt_for(assignment()), prompt_for(assignment())
    other = prompt_for(assignment(goal="Serve two pages."))

    assert first.hash == again.hash
    assert first.hash != other.hash
    assert first.system == other.system
    assert first.hash.startswith("sha256:")


def test_the_documented_commands_are_not_in_it():
    prompt = prompt_for(assignment(replay=("pip install secretly-named",)))

    assert "secretly-named" not in prompt.system + prompt.task


def test_the_user_guide_has_the_prompt_as_it_is():
    guide = (Path(__file__).parents[3] / "docs" / "agents.md").read_text("utf-8")
    block = guide.split("```text\n")[1].split("```")[0]

    assert SYSTEM.split() == block.split()
