"""
Every agent, brought to do the same by whatever moves it.

An agent joins the suite with one entry in `CASES`: it is given a behaviour and a task, and makes an
attempt of it, with a scripted service in the place of its vendor's.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fakes import gemini_api_replies as gemini
from fakes import messages_api_replies as claude
from fakes import responses_api_replies as openai
from fakes.model_attempts import (
    CLAUDE,
    GEMINI,
    OPENAI,
    TASK,
    Attempted,
    ModelAttempts,
    Service,
    attempt_by,
)
from fakes.program_attempts import (
    ANTHROPIC,
    CLAUDE_CODE,
    CODEX,
    ProgramStage,
    Vendor,
)
from fakes.program_attempts import (
    OPENAI as OPENAI_HOST,
)
from quickstarted.agents.programs.program import Program
from quickstarted.agents.replay import ReplayAgent


@dataclass(frozen=True)
class Act:
    """One turn of an agent: what it says, and the tools that it calls with what."""

    says: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def bash(*commands: str) -> Act:
    """A turn that runs commands."""
    return Act(calls=tuple(("bash", {"command": command}) for command in commands))


def read(url: str) -> Act:
    """A turn that reads a page."""
    return Act(calls=(("read_docs", {"url": url}),))


Behaviour = tuple[Act, ...]


@dataclass(frozen=True)
class AgentCase:
    """How an agent is moved."""

    name: str
    attempt: Callable[[Path, Behaviour, str, ProgramStage | None], Attempted]
    """In a folder, with a behaviour, of a task with a body; programs need a stage."""
    is_model: bool = True
    """Whether it has turns, says something and uses tokens; 100 in and 20 out each."""
    is_program: bool = False
    """Whether it works inside a sandbox of the engine's, with tools of its own."""
    tells_commands: bool = True
    """Whether it is known what it runs."""


def by_model(service: Service, reply: Callable[[Act], Any]) -> AgentCase:
    """A model's agent: each act is a reply of its service."""

    def attempt(
        folder: Path, behaviour: Behaviour, body: str, stage: ProgramStage | None
    ) -> Attempted:
        del stage
        attempts = ModelAttempts(folder, service=service, body=body)
        return attempts.run(*(reply(act) for act in behaviour))

    return AgentCase(service.name, attempt)


def _claude(act: Act) -> claude.Turn:
    said = (claude.Text(act.says),) if act.says else ()
    return claude.Turn((*said, *(claude.ToolUse(name, given) for name, given in act.calls)))


def _openai(act: Act) -> openai.Turn:
    said = (openai.Text(act.says),) if act.says else ()
    return openai.Turn((*said, *(openai.Call(name, given) for name, given in act.calls)))


def _gemini(act: Act) -> gemini.Turn:
    said = (gemini.Text(act.says),) if act.says else ()
    return gemini.Turn((*said, *(gemini.Call(name, given) for name, given in act.calls)))


def by_program(
    program: Program, vendor: Vendor, translated: Callable[[Act], Act], reply: Callable[[Act], Any]
) -> AgentCase:
    """A program: each act is a reply of its vendor's service, with the program's own tools."""

    def attempt(
        folder: Path, behaviour: Behaviour, body: str, stage: ProgramStage | None
    ) -> Attempted:
        assert stage is not None
        script = [reply(translated(act)) for act in behaviour]
        return stage.by_program(program, vendor, script, folder, body)

    return AgentCase(program.name, attempt, is_program=True)


def _for_claude_code(act: Act) -> Act:
    names = {"bash": "Bash", "read_docs": "mcp__docs__read_docs"}
    return replace(act, calls=tuple((names[name], given) for name, given in act.calls))


def _for_codex(act: Act) -> openai.Turn:
    said = (openai.Text(act.says),) if act.says else ()
    calls = (
        openai.Call("exec_command", {"cmd": given["command"]})
        if name == "bash"
        else openai.Call(name, given, namespace="mcp__docs")
        for name, given in act.calls
    )
    return openai.Turn((*said, *calls))


def _by_command(
    folder: Path, behaviour: Behaviour, body: str, stage: ProgramStage | None
) -> Attempted:
    """A shell program that does it all."""
    assert stage is not None
    lines = []
    for act in behaviour:
        for name, given in act.calls:
            lines.append(given["command"] if name == "bash" else f"read_docs {given['url']}")
        if act.says:
            lines.append(f"echo {shlex.quote(act.says)}")
    return stage.by_command("\n".join(lines), folder, body)


def _by_replay(
    folder: Path, behaviour: Behaviour, body: str, stage: ProgramStage | None
) -> Attempted:
    """The documented commands are those of the behaviour; the pages are the task's own."""
    del stage
    calls = [call for act in behaviour for call in act.calls]
    commands = [given["command"] for name, given in calls if name == "bash"]
    replay = f"    replay: {json.dumps(commands)}\n"
    return attempt_by(ReplayAgent(), folder, replay + body)


CASES = (
    AgentCase("replay", _by_replay, is_model=False),
    by_model(CLAUDE, _claude),
    by_model(OPENAI, _openai),
    by_model(GEMINI, _gemini),
    by_program(CLAUDE_CODE, ANTHROPIC, _for_claude_code, _claude),
    by_program(CODEX, OPENAI_HOST, lambda act: act, _for_codex),
    AgentCase("exec", _by_command, is_model=False, is_program=True, tells_commands=False),
)
BODY = TASK
