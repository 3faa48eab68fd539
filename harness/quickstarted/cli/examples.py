"""`quickstarted examples`: tasks of real projects to run, read and start from."""

from __future__ import annotations

from pathlib import Path

import click

from quickstarted.task.examples import copy_example, find_example, list_examples

EPILOG = """\
\b
Examples:
  quickstarted examples
  quickstarted examples show demo
  quickstarted examples copy demo
  quickstarted run --example demo
"""
SHOW_EPILOG = """\
\b
Examples:
  quickstarted examples show demo
  quickstarted examples show demo > tasks/mine.yaml
"""
COPY_EPILOG = """\
\b
Examples:
  quickstarted examples copy demo
  quickstarted examples copy demo my-tasks/
"""


@click.group(
    "examples",
    invoke_without_command=True,
    short_help="list, show or copy the examples",
    epilog=EPILOG,
)
@click.pass_context
def command(ctx: click.Context) -> int:
    """List the example tasks; `show` prints one, `copy` makes one your own."""
    if ctx.invoked_subcommand is None:
        examples = list_examples()
        width = max((len(example.name) for example in examples), default=0)
        for example in examples:
            click.echo(f"{example.name:{width}}  {example.about}")
    return 0


@command.command("show", epilog=SHOW_EPILOG)
@click.argument("name")
def show(name: str) -> int:
    """Print the task file of an example."""
    click.echo(find_example(name).path.read_text(encoding="utf-8"), nl=False)
    return 0


@command.command("copy", epilog=COPY_EPILOG)
@click.argument("name")
@click.argument("folder", default="tasks", type=click.Path(path_type=Path, file_okay=False))
def copy(name: str, folder: Path) -> int:
    """Copy an example with its check and documentation into FOLDER (tasks/); overwrite nothing."""
    copied = copy_example(name, folder)
    for path in copied.files:
        click.echo(f"wrote {path}")
    for path in copied.left_out:
        click.echo(f"not copied, the task reads it where it is: {path}")
    click.echo(f"run it: quickstarted run {copied.task} --agent replay")
    return 0
