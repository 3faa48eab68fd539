"""
The one prompt of every agent that is a model.

It says what there is and what is asked, and no way of working: how far the documentation leads is
what is measured. It is the same for every vendor and under every condition, so that attempts can be
compared; `run_start` has its hash.
"""

from __future__ import annotations

from quickstarted.agents.assignment import Assignment, Prompt

SYSTEM = """\
You are given a goal and the documentation of a piece of software. Reach the goal by following the \
documentation.

- You work in a Linux container. The shell tool runs commands there; each command starts in the \
working directory and with the variables that the one before it left. Nobody answers prompts, and \
a command that does not end is stopped after a while: start what is to keep running in the \
background.
- You read documentation with the read_docs tool only. The shell has no access to documentation; \
it can reach package registries, and little else.
- Rely on what the documentation says, not on what you remember of the software.
- Work in the current directory unless the documentation says otherwise.
- Nobody can answer questions. When the goal is reached, or when you cannot get further, stop \
calling tools and say briefly what you did and, if you could not get further, what was missing.\
"""


def prompt_for(assignment: Assignment) -> Prompt:
    """What a model is told of *assignment*."""
    route = "\n".join(f"- {url}" for url in assignment.route)
    task = f"Goal: {assignment.goal.strip()}\n\nThe documentation starts here:\n{route}"
    return Prompt(system=SYSTEM, task=task)
