"""Inspect AI's EvalLog (version 2, `.json`): a run for each sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.messages import add_message
from quickstarted.formats.trajectory.importing.run import Piece, Run
from quickstarted.formats.trajectory.importing.talk import Talk
from quickstarted.formats.trajectory.importing.times import stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, is_objects


class InspectImporter:
    """One log."""

    name: ClassVar[str] = "inspect"
    title: ClassVar[str] = "Inspect AI logs (.json)"

    def detects(self, value: Any) -> Claim | None:
        """It has `version`, `eval` and `samples`."""
        if not isinstance(value, dict) or type(value.get("version")) is not int:
            return None
        if isinstance(value.get("eval"), dict) and is_objects(value.get("samples")):
            return Claim("it has version, eval and samples")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each sample."""
        for record in records:
            with context.guard(record):
                log = Fields(record.value)
                samples = log.list("samples")
                if samples is None:
                    raise NotConvertible("has no samples", "An .eval file is a zip; dump it first.")
                about = log.left
                for sample in samples:
                    yield from _sample(record, Fields(sample), about, context).pieces()


def _sample(record: Record, sample: Fields, about: dict[str, Any], context: Context) -> Run:
    evaluated = Fields(about.get("eval"))
    own, epoch = sample.any("id"), sample.number("epoch")
    name = f"{evaluated.text('run_id') or context.name}/{own}/{epoch or 1:g}"
    run = context.run("inspect", record, name)
    run.framework, run.task_id = "inspect_ai", evaluated.text("task")
    usage = {
        model: usage_metadata(counts)
        for model, counts in (sample.object("model_usage") or {}).items()
    }
    made = {
        "sample_id": own,
        "epoch": epoch,
        "scores": sample.object("scores"),
        "model_usage": usage,
        "log": about,
        "target": sample.any("target"),
    }
    run.metadata |= {key: value for key, value in made.items() if value not in (None, {}, "")}
    talk = Talk(run)
    for message in sample.list("messages") or []:
        if not isinstance(message, dict):
            raise NotConvertible("has a message that is no object", "Take it out.")
        add_message(run, talk, message)
    events = sample.list("events") or []
    times = [at for one in events if isinstance(one, dict) and (at := stamp(one.get("timestamp")))]
    if times:
        run.started_at = min(times, key=lambda one: one.time)
        run.ended_at = max(times, key=lambda one: one.time)
    run.metadata |= {"events": events} if events else {}
    run.metadata |= {"native": sample.left} if sample.left else {}
    return run
