"""Every command with its arguments, options and examples, read from the commands: docs/cli.md."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

PREFORMATTED = "\b"
"""On a line of its own, click's mark of a paragraph that keeps its line breaks."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One command, as it is called."""

    words: tuple[str, ...]
    """From the program's name on: `("quickstarted", "examples", "copy")`."""
    command: click.Command
    context: click.Context

    @property
    def options(self) -> list[click.Option]:
        """Its own, without `--help`."""
        return [param for param in self.command.params if isinstance(param, click.Option)]


def entries(program: click.Command) -> list[Entry]:
    """*program* and all commands below it, each before its subcommands."""
    context = click.Context(program, info_name="quickstarted", **program.context_settings)
    return list(_walk(Entry(("quickstarted",), program, context)))


def _walk(entry: Entry) -> Iterator[Entry]:
    yield entry
    if not isinstance(entry.command, click.Group):
        return
    for name in entry.command.list_commands(entry.context):
        command = entry.command.get_command(entry.context, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=entry.context)
        yield from _walk(Entry((*entry.words, name), command, context))


def cli_reference(program: click.Command) -> str:
    """Usage, help text, options and examples of every command, as Markdown."""
    return "\n\n".join(_section(entry) for entry in entries(program)[1:])


def paragraphs(text: str) -> list[tuple[bool, str]]:
    """The paragraphs of a help text, each with whether it keeps its line breaks."""
    found = []
    for part in inspect.cleandoc(text).split("\n\n"):
        first, _, rest = part.strip("\n").partition("\n")
        kept = first.strip() == PREFORMATTED
        found.append((kept, inspect.cleandoc(rest) if kept else part))
    return [(kept, paragraph) for kept, paragraph in found if paragraph]


def _section(entry: Entry) -> str:
    command = entry.command
    usage = " ".join((*entry.words, *command.collect_usage_pieces(entry.context)))
    parts = [f"{'#' * len(entry.words)} {' '.join(entry.words[1:])}", _fenced(usage)]
    parts += [_paragraph(*one) for one in paragraphs(command.help or "")]
    if isinstance(command, click.Group):
        parts.append(_subcommands(command, entry))
    if entry.options:
        parts.append(_table(entry))
    parts += [_paragraph(*one) for one in paragraphs(command.epilog or "")]
    return "\n\n".join(parts)


def _subcommands(group: click.Group, entry: Entry) -> str:
    names = ", ".join(f"`{name}`" for name in group.list_commands(entry.context))
    return f"Subcommands: {names}."


def _table(entry: Entry) -> str:
    rows = [
        (_spelling(option, entry.context), _default(option, entry.context), _meaning(option))
        for option in entry.options
    ]
    lines = ["| option | default | meaning |", "| --- | --- | --- |"]
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _spelling(option: click.Option, context: click.Context) -> str:
    names = [*option.opts, *option.secondary_opts]
    value = "" if option.is_flag else f" {option.make_metavar(context).removesuffix(' RANGE')}"
    return ", ".join(f"`{name}{value}`" for name in names)


def _default(option: click.Option, context: click.Context) -> str:
    """Click has a mark of its own where there is none, which differs between its versions."""
    default = option.get_default(context)
    shown = isinstance(default, str | int | float | Path) and not option.is_flag
    return f"`{default}`" if shown and default != "" else ""


def _meaning(option: click.Option) -> str:
    notes = [
        "May be given several times." if option.multiple else "",
        f"Also from `{option.envvar}`." if option.envvar else "",
        "Required." if option.required else "",
    ]
    return " ".join(part for part in (option.help or "", *notes) if part)


def _paragraph(kept: bool, text: str) -> str:
    """What is indented below a first line that ends in a colon is a block."""
    first, _, rest = text.partition("\n")
    if not (kept and first.endswith(":")):
        return text
    return f"{first}\n\n{_fenced(inspect.cleandoc(rest))}"


def _fenced(text: str) -> str:
    language = "sh" if text.startswith("quickstarted ") else "text"
    return f"```{language}\n{text}\n```"
