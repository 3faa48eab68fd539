"""
The whole of it: gather what is known, then judge.

What fails keeps nothing else from being told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quickstarted.doctor.agents import gather_agents
from quickstarted.doctor.engine import EngineQuestions, gather_engine, image_oracle
from quickstarted.doctor.facts import Facts
from quickstarted.doctor.findings import GROUPS, Finding
from quickstarted.doctor.machine import gather_machine
from quickstarted.doctor.rules.agents import judge_agents
from quickstarted.doctor.rules.engine import judge_engine
from quickstarted.doctor.rules.images import judge_images
from quickstarted.doctor.rules.machine import judge_machine
from quickstarted.doctor.rules.room import judge_room
from quickstarted.doctor.rules.sandbox import judge_sandbox
from quickstarted.doctor.rules.tasks import judge_tasks
from quickstarted.doctor.sandboxes import gather_sandbox
from quickstarted.doctor.tasks import gather_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """One call."""

    tasks: Sequence[Path]
    image: str
    answer_within_s: float
    """For each question to the engine."""
    note: Callable[[str], None]
    """Takes lines about what is being done."""


def gather(call: Examination, environ: Mapping[str, str]) -> Facts:
    """Ask everybody."""
    questions = EngineQuestions(
        answer_within_s=call.answer_within_s, image=call.image, note=call.note
    )
    engine = gather_engine(environ, questions)
    return Facts(
        machine=gather_machine(environ),
        engine=engine,
        sandbox=gather_sandbox(environ, engine, call.note),
        agents=gather_agents(environ),
        tasks=gather_tasks(call.tasks, image_oracle(engine, call.answer_within_s), environ),
    )


def judge(facts: Facts) -> list[Finding]:
    """All findings, by group, in the order in which they are shown."""
    found = list(_judged(facts))
    return [finding for group in GROUPS for finding in found if finding.group == group]


def _judged(facts: Facts) -> Iterator[Finding]:
    images = facts.engine.images
    registry_answers = images is not None and images.registry_says == ""
    yield from judge_engine(facts.machine, facts.engine)
    yield from judge_room(facts.machine, facts.engine)
    yield from judge_images(facts.engine)
    yield from judge_sandbox(facts.sandbox)
    yield from judge_agents(facts.agents)
    yield from judge_machine(facts.machine)
    yield from judge_tasks(facts.tasks, registry_answers=registry_answers)
