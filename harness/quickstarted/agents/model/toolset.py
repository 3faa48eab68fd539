"""
The tools as a model knows them, and what it gets back for using them.

A call that cannot be carried out is an answer which says why, so that the model can mend it, and is
on record.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quickstarted.agents.model.vendor import ToolAnswer, ToolSpec, ToolUse
from quickstarted.docs import Blocked, Failed, Page, Withheld
from quickstarted.events import CommandResult, plain

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


class BashInput(BaseModel):
    """Input of `bash`; a superset of what vendors' own shell tools send."""

    model_config = ConfigDict(strict=True)

    command: Annotated[str, Field(description="The command to run.")] = ""
    restart: Annotated[bool, Field(description="Start a new shell instead.")] = False


class ReadDocsInput(BaseModel):
    """Input of `read_docs`."""

    model_config = ConfigDict(strict=True)

    url: Annotated[str, Field(description="Absolute URL of the page.")]
    page: Annotated[int, Field(ge=1, description="Which part of a long page, from 1.")] = 1


BASH = ToolSpec(
    name="bash",
    description=(
        "Run a command in the shell of the container. Working directory and variables are kept"
        " from one command to the next. What it prints and its exit code are returned."
    ),
    schema=BashInput.model_json_schema(),
)
READ_DOCS = ToolSpec(
    name="read_docs",
    description=(
        "Read a page of the documentation. Returns its text as Markdown; its links can be read in"
        " turn, by absolute URL. Long pages come in parts; the text says so."
    ),
    schema=ReadDocsInput.model_json_schema(),
)
TOOLS = (BASH, READ_DOCS)


def carry_out(use: ToolUse, tools: Toolbelt) -> ToolAnswer:
    """
    Do what a model asks for; the answer's text can be encoded, whatever a program has printed.

    Raises:
        BudgetExceeded: The agent's time is over.
        Interrupted: Somebody asked to stop.
        AttemptFault: Sandbox, sidecar or engine failed.

    """
    answer = _carried_out(use, tools)
    return replace(answer, text=plain(answer.text))


def _carried_out(use: ToolUse, tools: Toolbelt) -> ToolAnswer:
    if use.name not in {tool.name for tool in TOOLS}:
        names = ", ".join(tool.name for tool in TOOLS)
        return _refused(use, tools, f"there is no tool of this name; there are: {names}")
    if use.problem:
        return _refused(use, tools, use.problem)
    try:
        return _bash(use, tools) if use.name == BASH.name else _read_docs(use, tools)
    except ValidationError as invalid:
        return _refused(use, tools, _said(invalid))


def _bash(use: ToolUse, tools: Toolbelt) -> ToolAnswer:
    wanted = BashInput.model_validate(use.arguments)
    if wanted.restart:
        tools.restart_bash(call_id=use.call_id)
        return ToolAnswer(call_id=use.call_id, text="[A new shell was started.]")
    if not wanted.command.strip():
        return _refused(use, tools, "command: there is none")
    result = tools.bash(wanted.command, call_id=use.call_id)
    return ToolAnswer(call_id=use.call_id, text=_shown(result))


def _shown(result: CommandResult) -> str:
    """What was printed, then what the harness has to say, in square brackets."""
    lines = [result.output.rstrip("\n")] if result.output.strip() else []
    if result.timed_out:
        lines.append(f"[stopped after {result.duration:.0f} s: it had not ended]")
    if result.note:
        lines.append(f"[{result.note}]")
    lines.append(f"[exit code {result.exit_code}]")
    return "\n".join(lines)


def _read_docs(use: ToolUse, tools: Toolbelt) -> ToolAnswer:
    wanted = ReadDocsInput.model_validate(use.arguments)
    match tools.read_docs(wanted.url, page=wanted.page, call_id=use.call_id).outcome:
        case Page() as page:
            text = page.text if page.text.strip() else "[This page is empty.]"
            return ToolAnswer(call_id=use.call_id, text=text)
        case Blocked() as blocked:
            said = f"[Not read: {blocked.url}: {blocked.detail or blocked.reason}]"
            return ToolAnswer(call_id=use.call_id, text=said, is_error=True)
        case Failed() as failed:
            said = f"[Could not be read: {failed.url}: {failed.error}]"
            text = f"{said}\n{failed.text}" if failed.text else said
            return ToolAnswer(call_id=use.call_id, text=text, is_error=True)
        case Withheld(url=url):
            said = f"[Not read: {url}: this address is not available.]"
            return ToolAnswer(call_id=use.call_id, text=said, is_error=True)


def _refused(use: ToolUse, tools: Toolbelt, why: str) -> ToolAnswer:
    tools.refuse(use.name, why, call_id=use.call_id)
    return ToolAnswer(call_id=use.call_id, text=f"[Not carried out: {why}]", is_error=True)


def _said(invalid: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}"
        for error in invalid.errors(include_url=False, include_input=False)
    )
