"""Results folders as calls leave them, made without running anything."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fakes.attempts import T0, run_end, run_start, tool_call, tool_result
from quickstarted import __version__
from quickstarted.console.tables import suite_markdown
from quickstarted.events import EventBase, SandboxReady
from quickstarted.records import Opening, open_folder
from quickstarted.results import (
    AttemptDir,
    AttemptKey,
    CallFacts,
    ResultsDir,
    RunRecord,
    RunResult,
    suite_result,
    summarise,
)
from quickstarted.results.layout import place_of
from quickstarted.trace import encode

RUN_ID = "20260101-000000-1"
IMAGE_ID = "sha256:" + "1" * 64


def key_of(number: int = 1, **fields: str) -> AttemptKey:
    """An attempt of the task flask by replay."""
    known = {"task": "flask", "agent": "replay", "affordances": "all", "arm": "docs"}
    return AttemptKey(**(known | fields), attempt=number)


@dataclass(frozen=True, kw_only=True)
class Made:
    """An attempt as it is to look; also what plans it (`quickstarted.records.planned.Planned`)."""

    key: AttemptKey = field(default_factory=key_of)
    run_id: str = RUN_ID
    image_id: str = IMAGE_ID
    image_digest: str | None = None
    ending: dict[str, Any] = field(default_factory=dict)
    """Fields of `run_end`."""
    of_record: dict[str, Any] = field(default_factory=dict)
    """Fields of `run.json`."""
    of_result: dict[str, Any] = field(default_factory=dict)
    started: float = T0
    commands: int = 1

    def events(self) -> list[EventBase]:
        """Its trace."""
        key, start = self.key, self.started
        ready = SandboxReady(
            ts=start + 0.5,
            image="python:3.12",
            image_id=self.image_id,
            image_digest=self.image_digest,
            architecture="amd64",
            duration=0.5,
        )
        calls = itertools.chain.from_iterable(
            (
                tool_call(f"pip install flask-{number}", start + 1),
                tool_result(0, start + 2, output="Successfully installed\n" * 20),
            )
            for number in range(self.commands)
        )
        first = run_start(
            start,
            task=key.task,
            agent=key.agent,
            attempt=key.attempt,
            affordance_policy=key.affordances,
            arm=key.arm,
            run_id=self.run_id,
            harness_version=__version__,
        )
        return [first, ready, *calls, run_end(start + 10, **self.ending)]

    def result(self, trace: str = "trace.jsonl") -> RunResult:
        """What it amounts to."""
        return summarise(self.events()).model_copy(update={"trace": trace, **self.of_result})

    def record(self, backend: str = "docker", events: Iterable[EventBase] = ()) -> RunRecord:
        """Its `run.json`."""
        ready = next((one for one in events if isinstance(one, SandboxReady)), None)
        key = self.key
        known = {
            "harness_version": __version__,
            "task": key.task,
            "task_path": f"tasks/{key.task}.yaml",
            "task_source": f"name: {key.task}\n",
            "check_source": "true\n",
            "agent": key.agent,
            "model": None,
            "attempt": key.attempt,
            "affordance_policy": key.affordances,
            "arm": key.arm,
            "prompt_hash": None,
            "backend": backend,
            "enforced": True,
            "policy": {"allow": [{"host": f"host-{number}.example"} for number in range(40)]},
            "image": "python:3.12",
            "image_id": ready.image_id if ready else "",
            "image_digest": ready.image_digest if ready else None,
            "architecture": "amd64",
            "docs_sites": {},
            "resources": {"pids": 1000},
            "budgets": {"max_turns": 40},
        }
        return RunRecord(**(known | self.of_record))

    def write(self, out: Path, *, nested: bool = True, without: Sequence[str] = ()) -> AttemptDir:
        """Put it below *out*, but for the files that *without* names."""
        return self.write_at(out / place_of(self.key, nested=nested), without)

    def write_at(self, path: Path, without: Sequence[str] = ()) -> AttemptDir:
        """Put it into the folder *path*."""
        path.mkdir(parents=True)
        folder, events = AttemptDir(path), self.events()
        folder.trace.write_bytes(b"".join(map(encode, events)))
        (path / "run.json").write_text(self.record(events=events).model_dump_json(indent=2))
        (path / "report.md").write_text(f"# {self.key.task}\n")
        (path / "result.json").write_text(self.result().model_dump_json(indent=2))
        for name in without:
            (path / name).unlink()
        return folder


def made_of(keys: Iterable[AttemptKey], **fields: Any) -> list[Made]:
    """One of each, all alike."""
    return [Made(key=key, **fields) for key in keys]


def write_all(out: Path, attempts: Iterable[Made]) -> ResultsDir:
    """Write them, as a call with several attempts lays them out."""
    for one in attempts:
        one.write(out)
    return ResultsDir(out, nested=True)


def cut_short(one: Made) -> Made:
    """The same, had its call been interrupted."""
    ending = {"stop_reason": "interrupted", "classification": "skipped", "passed": None}
    return replace(one, ending=ending)


def lost(one: Made) -> Made:
    """The same, had the engine failed."""
    ending = {"stop_reason": "fault", "classification": "infra_error", "passed": None}
    return replace(one, ending=ending)


def write_call(
    out: Path,
    own: Sequence[Made],
    whole: Sequence[Made],
    *,
    make: Sequence[Made] | None = None,
    **fields: Any,
) -> None:
    """
    Leave what a call leaves that has made *own* of the plan *whole*.

    Args:
        out: Its results folder.
        own: What it is to make.
        whole: What all shards are to make.
        make: What it has made; None is all of *own*.
        fields: Of `Opening`.

    """
    usual = {"run_id": f"r-{out.name}", "backend": "docker", "nested": True}
    opening = Opening(out=out, plans=own, whole=whole, **(usual | fields))
    with open_folder(opening) as folder:
        for one in folder.missing if make is None else make:
            one.write(out, nested=folder.results.nested)
        runs = [
            one.result(f"{place_of(one.key, nested=folder.results.nested)}/trace.jsonl")
            for one in own
        ]
        suite = suite_result(runs, created=1.0, call=CallFacts(planned=len(own)))
        folder.results.write_suite(suite, suite_markdown(suite))


def write_shards(base: Path, plans: Sequence[Made], number: int, **fields: Any) -> list[Path]:
    """The folders of *number* calls below *base* that share *plans* out among them."""
    folders = [base / f"shard-{place + 1}" for place in range(number)]
    for place, folder in enumerate(folders):
        write_call(folder, plans[place::number], plans, shard=(place + 1, number), **fields)
    return folders
