"""`quickstarted schema`: the formats as JSON Schema, for editors and for other programs."""

from __future__ import annotations

import json

import click

from quickstarted.errors import UsageError

EPILOG = """\
\b
Examples:
  quickstarted schema > tasks/task.schema.json
  quickstarted schema matrix > matrix.schema.json
  quickstarted schema --trace > trace.schema.json
  quickstarted schema --progress > progress.schema.json

\b
For completion and checks in editors that speak YAML, as first line of a task:
  # yaml-language-server: $schema=task.schema.json
"""


@click.command(
    "schema", short_help="print the JSON Schema of task files or of the trace", epilog=EPILOG
)
@click.argument("file", type=click.Choice(["task", "matrix"]), required=False)
@click.option("--trace", is_flag=True, help="The events of trace.jsonl instead of a file's.")
@click.option("--progress", is_flag=True, help="The lines of `run --json` instead of a file's.")
def command(*, file: str | None, trace: bool, progress: bool) -> int:
    """Print the JSON Schema (draft 2020-12) of task files, or of matrix files (`run --matrix`)."""
    named = [name for name, given in (("--trace", trace), ("--progress", progress)) if given]
    named += [f"that of {file} files"] if file is not None else []
    if len(named) > 1:
        raise UsageError(
            f"{named[0]} is another schema than {named[1]}", hint="Name one of the two."
        )
    made = _task_schema
    if trace or progress:
        made = _trace_schema if trace else _progress_schema
    elif file == "matrix":
        made = _matrix_schema
    click.echo(json.dumps(made(), indent=2))
    return 0


def _task_schema() -> dict[str, object]:
    from quickstarted.task.schema import task_schema  # noqa: PLC0415 - only what is asked for

    return task_schema()


def _matrix_schema() -> dict[str, object]:
    from quickstarted.matrix.file import matrix_schema  # noqa: PLC0415 - only what is asked for

    return matrix_schema()


def _trace_schema() -> dict[str, object]:
    from quickstarted.trace.reference import trace_schema  # noqa: PLC0415 - only what is asked for

    return trace_schema()


def _progress_schema() -> dict[str, object]:
    from quickstarted.console.live.json_lines.schema import (  # noqa: PLC0415 - only what is asked for
        progress_schema,
    )

    return progress_schema()
