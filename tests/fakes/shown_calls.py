"""Imagined calls with many attempts, played to a show at any speed, event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fakes import attempts as fake
from quickstarted.console.live.board import Board
from quickstarted.console.live.show import Planned, Show, Wait
from quickstarted.events import Event
from quickstarted.results import AttemptKey, RunResult, summarise

MODEL = "claude-sonnet"
COMMANDS = (
    "pip install flask",
    "python -m venv .venv && . .venv/bin/activate",
    "curl -fsS http://127.0.0.1:5000/",
    "cat > hello.py <<'PY'\nfrom flask import Flask\nPY",
    "flask --app hello run &",
)
PAGES = (
    "https://flask.palletsprojects.com/en/stable/installation/",
    "https://flask.palletsprojects.com/en/stable/quickstart/#a-minimal-application",
)
Step = Callable[[Show], None]


def key(task: str = "flask", agent: str = "claude", attempt: int = 1, **more: str) -> AttemptKey:
    """Of an imagined attempt."""
    return AttemptKey(task, agent, more.get("affordances", "all"), more.get("arm", "docs"), attempt)


def planned(cells: int, repeat: int, *, agent: str = "claude") -> list[Planned]:
    """Attempts of so many cells, the number outermost."""
    tasks = [f"{name}-{place}" for place, name in enumerate(NAMES * (cells // len(NAMES) + 1), 1)]
    return [
        Planned(key(task, agent, number), uses_model=agent != "replay")
        for number in range(1, repeat + 1)
        for task in tasks[:cells]
    ]


NAMES = ["flask", "fastapi-tutorial", "django", "celery-first-steps", "sqlalchemy"]


def result_of(
    one: AttemptKey, classification: str = "passed", *, seconds: float = 40.0, **fields: object
) -> RunResult:
    """How an attempt has ended."""
    passed = {"passed": True, "docs_gap": False}.get(classification)
    start = fake.run_start(
        task=one.task,
        agent=one.agent,
        attempt=one.attempt,
        affordance_policy=one.affordances,
        arm=one.arm,
    )
    end = fake.run_end(fake.T0 + seconds, classification=classification, passed=passed)
    return summarise([start, end]).model_copy(update=fields)


class BoardShow(Board):
    """A board that is told what a show is told."""

    def ended(
        self, key: AttemptKey, trace: Path | RunResult, result: RunResult | None = None
    ) -> None:
        """A try is over."""
        super().ended(key, result if result is not None else trace)

    def note(self, line: str) -> None:
        """Not wanted."""


@dataclass
class ShownCall:
    """
    A call of *workers* attempts at once, as steps that a show is told one after the other.

    Each seed plays the same call each time. `clock` stands for the monotonic clock, and moves on
    by *step_s* with each step.
    """

    attempts: list[Planned]
    workers: int
    seed: int = 1
    step_s: float = 0.25
    now_s: float = 0.0
    ended: list[AttemptKey] = field(default_factory=list)

    def clock(self) -> float:
        """Seconds since the call began."""
        return self.now_s

    def steps(self) -> Iterator[Step]:
        """All that happens, in order."""
        random = Random(self.seed)
        yield lambda show: show.planned(self.attempts, [])
        to_come = list(self.attempts)
        under_way: list[Iterator[Step]] = []
        while to_come or under_way:
            while to_come and len(under_way) < self.workers:
                under_way.append(self._attempt(to_come.pop(0), random))
            waits = [Wait(len(to_come), "anthropic: 4 at once")] if to_come else []
            if not to_come:
                yield lambda show: show.holding([])
            elif random.random() < 0.05:
                yield lambda show, waits=waits: show.holding(waits)
            one = random.choice(under_way)
            step = next(one, None)
            self.now_s += self.step_s
            if step is None:
                under_way.remove(one)
            else:
                yield step

    def play(self, show: Show, *, until: int | None = None) -> None:
        """Tell *show* the first steps, or all of them."""
        for number, step in enumerate(self.steps()):
            if until is not None and number >= until:
                return
            step(show)

    def _attempt(self, attempt: Planned, random: Random) -> Iterator[Step]:
        one = attempt.key
        yield lambda show: show.begun(one)
        yield lambda show: show.phase(one, "opening")
        yield lambda show: show.phase(one, "waiting")
        yield lambda show: show.phase(one, "working")
        events = list(self._events(attempt, random))
        for event in events:
            yield lambda show, event=event: show.heard(one, event)
        yield lambda show: show.phase(one, "judging")
        name = random.choices(["passed", "docs_gap", "infra_error"], [8, 2, 1])[0]
        check = fake.success_check(int(name != "passed"), output="check failed: no page came back")
        if name != "infra_error":
            yield lambda show: show.heard(one, check)
        result = summarise(
            [
                *events,
                *([check] if name != "infra_error" else []),
                fake.run_end(
                    fake.T0 + 40 + random.random() * 50,
                    classification=name,
                    passed={"passed": True, "docs_gap": False}.get(name),
                ),
            ]
        )
        self.ended.append(one)
        yield lambda show: show.ended(
            one, Path(f"results/{one.task}/{one.attempt}/trace.jsonl"), result
        )

    def _events(self, attempt: Planned, random: Random) -> Iterator[Event]:
        one = attempt.key
        yield fake.run_start(task=one.task, agent=one.agent, attempt=one.attempt)
        for turn in range(1, random.randint(3, 7)):
            if attempt.uses_model:
                yield fake.agent_turn(
                    turn, model=MODEL, input_tokens=3000 * turn, output_tokens=200,
                    cost_usd=0.004 * turn,
                )  # fmt: skip
            if turn % 3 == 1:
                page = random.choice(PAGES)
                yield fake.tool_call(None, tool="read_docs", url=page)
                yield fake.docs_fetch(page)
            else:
                yield fake.tool_call(random.choice(COMMANDS))
                yield fake.egress_allowed()
                yield fake.tool_result(0 if random.random() < 0.8 else 1, output="no such thing")
