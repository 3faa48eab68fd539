"""`quickstarted schema`: the formats as JSON Schema, for editors and for other programs."""

from __future__ import annotations

import json

import click

EPILOG = """\
\b
Examples:
  quickstarted schema > tasks/task.schema.json
  quickstarted schema --trace > trace.schema.json

\b
For completion and checks in editors that speak YAML, as first line of a task:
  # yaml-language-server: $schema=task.schema.json
"""


@click.command(
    "schema", short_help="print the JSON Schema of task files or of the trace", epilog=EPILOG
)
@click.option("--trace", is_flag=True, help="The events of trace.jsonl instead of task files.")
def command(*, trace: bool) -> int:
    """Print the JSON Schema (draft 2020-12) of task files."""
    click.echo(json.dumps(_trace_schema() if trace else _task_schema(), indent=2))
    return 0


def _task_schema() -> dict[str, object]:
    from quickstarted.task.schema import task_schema  # noqa: PLC0415 - only what is asked for

    return task_schema()


def _trace_schema() -> dict[str, object]:
    from quickstarted.trace.reference import trace_schema  # noqa: PLC0415 - only what is asked for

    return trace_schema()
