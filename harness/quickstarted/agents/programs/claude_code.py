"""
Claude Code, the vendor's own program: `--agent claude-code[:MODEL]`.

https://code.claude.com/docs/en/cli-reference and /en/headless; what it prints is stream-json.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.claude.address import ADDRESS
from quickstarted.agents.keys import KEY_VARIABLES
from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.programs import mcp
from quickstarted.agents.programs.agent import ProgramAgent
from quickstarted.agents.programs.door import MCP_URL
from quickstarted.agents.programs.json_lines import (
    json_object,
    lines_of,
    member,
    members,
    text_of,
)
from quickstarted.agents.programs.program import (
    Called,
    Ended,
    Entry,
    Launch,
    LogReader,
    Place,
    Returned,
)
from quickstarted.programs import CLAUDE_CODE, Release
from quickstarted_proxy.model_apis import Vendor

SYSTEM_FILE = "system.txt"
MCP_FILE = "mcp.json"
_READING = f"mcp__{mcp.SERVER}__"
"""Begins the names of tools that the harness itself records."""
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,3})\n?")


@dataclass(frozen=True, kw_only=True)
class ClaudeCode:
    """See `program.Program`."""

    model: str | None
    name: str = "claude-code"
    release: Release | None = CLAUDE_CODE
    log_name: str = "agent.jsonl"

    def vendors(self, environ: Mapping[str, str]) -> tuple[Vendor, ...]:
        """Its maker's."""
        del environ
        return ("anthropic",)

    def launch(self, prompt: Prompt, place: Place) -> Launch:
        """Headless; without questions, updates, and tools with which its vendor reads pages."""
        access = place.access["anthropic"]
        argv = [
            *(place.command, "-p", "--output-format", "stream-json", "--verbose"),
            "--dangerously-skip-permissions",
            *("--append-system-prompt-file", place.file(SYSTEM_FILE)),
            *("--mcp-config", place.file(MCP_FILE), "--strict-mcp-config"),
            *(("--model", self.model) if self.model else ()),
            *("--disallowedTools", "WebFetch", "WebSearch"),
        ]
        # Without `alwaysLoad` the first call of the model is made before the server is known.
        server = {"type": "http", "url": MCP_URL, "alwaysLoad": True}
        env = {
            "ANTHROPIC_API_KEY": access.secret.placeholder,
            "CLAUDE_CONFIG_DIR": place.file("claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # It refuses to go without questions as root, but for a place that is made for that.
            "IS_SANDBOX": "1",
        }
        if access.service.is_own:
            env[ADDRESS.variable] = access.base_url
        return Launch(
            shell=shlex.join(argv),
            env=env,
            stdin=prompt.task,
            files={
                SYSTEM_FILE: prompt.system,
                MCP_FILE: json.dumps({"mcpServers": {mcp.SERVER: server}}),
            },
        )

    def reader(self) -> LogReader:
        """Of stream-json."""
        return ClaudeCodeLog()


class ClaudeCodeLog:
    """Reads stream-json; its counts of tokens are not, as they are those of a reply's beginning."""

    def __init__(self) -> None:
        self._commands: set[str] = set()

    def read(self, line: bytes) -> Iterator[Entry]:
        """See `LogReader`."""
        said = json_object(line)
        match said.get("type"):
            case "assistant":
                for block in members(said.get("message"), "content"):
                    if block.get("type") == "tool_use":
                        yield from self._called(block)
            case "user":
                for block in members(said.get("message"), "content"):
                    if text_of(block, "tool_use_id") in self._commands:
                        yield self._returned(block, said.get("tool_use_result"))
            case "result":
                failed = bool(said.get("is_error")) or said.get("subtype") != "success"
                words = text_of(said, "result") or (text_of(said, "subtype") if failed else "")
                yield Ended(text=words, failed=failed)

    def rest(self) -> Iterator[Entry]:
        """All has been said."""
        return iter(())

    def _called(self, block: dict[str, Any]) -> Iterator[Entry]:
        call_id, tool = text_of(block, "id"), text_of(block, "name")
        given = member(block, "input")
        if not call_id or not tool or tool.startswith(_READING):
            return
        if tool == "Bash":
            self._commands.add(call_id)
            yield Called(call_id=call_id, tool="bash", command=text_of(given, "command"))
        else:
            path = text_of(given, "file_path") or text_of(given, "notebook_path")
            yield Called(call_id=call_id, tool=tool, path=path or None)

    def _returned(self, block: dict[str, Any], result: Any) -> Entry:
        """What the model gets says how a command that failed has ended, and nothing else does."""
        call_id = text_of(block, "tool_use_id")
        self._commands.discard(call_id)
        shown = _shown(block.get("content"))
        if not block.get("is_error"):
            printed = text_of(result, "stdout") if isinstance(result, dict) else shown
            started = "goes on in the background" if text_of(result, "backgroundTaskId") else ""
            return Returned(call_id=call_id, exit_code=0, output=lines_of(printed), note=started)
        if found := _EXIT_CODE.match(shown):
            printed = lines_of(shown[found.end() :])
            return Returned(call_id=call_id, exit_code=int(found[1]), output=printed)
        note = "the program does not say with which exit code"
        return Returned(call_id=call_id, exit_code=1, output=lines_of(shown), note=note)


def _shown(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text_of(part, "text") for part in members({"parts": content}, "parts"))


def claude_code(model: str | None) -> ProgramAgent:
    """The agent `claude-code`; without a model it takes the one that its version has."""
    return ProgramAgent(program=ClaudeCode(model=model), environ=os.environ)


KIND = AgentKind(
    make=claude_code,
    argument="MODEL",
    vendor="anthropic",
    key_variables=KEY_VARIABLES["anthropic"],
    address=ADDRESS,
)
