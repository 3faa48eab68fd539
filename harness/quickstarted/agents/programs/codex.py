"""
Codex CLI, OpenAI's own program: `--agent codex:MODEL`.

https://developers.openai.com/codex/noninteractive and /codex/config-reference; what it prints are
events, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.keys import KEY_VARIABLES
from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.openai.vendor import ADDRESS
from quickstarted.agents.programs import mcp
from quickstarted.agents.programs.agent import ProgramAgent
from quickstarted.agents.programs.door import MCP_URL
from quickstarted.agents.programs.json_lines import (
    json_object,
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
from quickstarted.programs import CODEX, Release
from quickstarted_proxy.model_apis import Vendor

KEY_VARIABLE = "OPENAI_API_KEY"
_CONFIG = """\
model = {model}
model_provider = "quickstarted"
developer_instructions = {instructions}
approval_policy = "never"
sandbox_mode = "danger-full-access"
web_search = "disabled"
check_for_update_on_startup = false
# A login shell forgets the PATH that an image sets.
allow_login_shell = false

[model_providers.quickstarted]
name = "quickstarted"
base_url = {base_url}
env_key = "{key_variable}"
wire_api = "responses"
supports_websockets = false

[mcp_servers.{server}]
url = {mcp_url}
required = true

[features]
apps = false
enable_request_compression = false
plugins = false

[analytics]
enabled = false

[otel]
metrics_exporter = "none"

[history]
persistence = "none"
"""


@dataclass(frozen=True, kw_only=True)
class Codex:
    """See `program.Program`."""

    model: str | None
    name: str = "codex"
    release: Release | None = CODEX
    log_name: str = "agent.jsonl"

    def vendors(self, environ: Mapping[str, str]) -> tuple[Vendor, ...]:
        """Its maker's."""
        del environ
        return ("openai",)

    def launch(self, prompt: Prompt, place: Place) -> Launch:
        """Without questions, updates, its own sandbox, and tools of its vendor's."""
        access = place.access["openai"]
        config = _CONFIG.format(
            model=_toml(self.model or ""),
            instructions=_toml(prompt.system),
            base_url=_toml(access.base_url),
            key_variable=KEY_VARIABLE,
            server=mcp.SERVER,
            mcp_url=_toml(MCP_URL),
        )
        argv = [
            *(place.command, "exec", "--json", "--skip-git-repo-check"),
            *("--dangerously-bypass-approvals-and-sandbox", "-"),
        ]
        env = {KEY_VARIABLE: access.secret.placeholder, "CODEX_HOME": place.home}
        return Launch(
            shell=shlex.join(argv), env=env, stdin=prompt.task, files={"config.toml": config}
        )

    def reader(self) -> LogReader:
        """Of its events."""
        return CodexLog()


def _toml(text: str) -> str:
    """A basic string (TOML 1.0, "String"), whose escapes JSON has as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class CodexLog:
    """Reads events; items that have begun and never end were ended with the program."""

    def __init__(self) -> None:
        self._commands: set[str] = set()
        self._last = ""

    def read(self, line: bytes) -> Iterator[Entry]:
        """See `LogReader`."""
        said = json_object(line)
        item = member(said, "item")
        match said.get("type"):
            case "item.started" | "item.updated":
                yield from self._begun(item)
            case "item.completed":
                yield from self._begun(item)
                yield from self._completed(item)
            case "turn.completed":
                yield Ended(text=self._last)
            case "turn.failed":
                yield Ended(text=text_of(member(said, "error"), "message"), failed=True)

    def rest(self) -> Iterator[Entry]:
        """All has been said."""
        return iter(())

    def _begun(self, item: dict[str, Any]) -> Iterator[Entry]:
        call_id = text_of(item, "id")
        is_new = item.get("type") == "command_execution" and call_id not in self._commands
        if is_new and call_id:
            self._commands.add(call_id)
            command = _within_shell(text_of(item, "command"))
            yield Called(call_id=call_id, tool="bash", command=command)

    def _completed(self, item: dict[str, Any]) -> Iterator[Entry]:
        call_id = text_of(item, "id")
        match item.get("type"):
            case "agent_message":
                self._last = text_of(item, "text")
            case "command_execution" if call_id:
                code = item.get("exit_code")
                is_said = isinstance(code, int) and not isinstance(code, bool)
                yield Returned(
                    call_id=call_id,
                    exit_code=int(code) if is_said and code is not None else 1,
                    output=text_of(item, "aggregated_output"),
                    note="" if is_said else "the program does not say with which exit code",
                )
            case "file_change":
                for change in members(item, "changes"):
                    path = text_of(change, "path") or None
                    yield Called(call_id=call_id, tool="apply_patch", path=path)
            case "mcp_tool_call" if text_of(item, "server") != mcp.SERVER:
                tool = f"{text_of(item, 'server')}.{text_of(item, 'tool')}"
                yield Called(call_id=call_id, tool=tool)


def _within_shell(command: str) -> str:
    """`echo hi` of `/bin/bash -c 'echo hi'`, which is how Codex writes all that it runs."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_wrapped = len(words) == 3 and words[1] in {"-c", "-lc"}
    return words[2] if is_wrapped and words[0].endswith("sh") else command


def codex(model: str | None) -> ProgramAgent:
    """The agent `codex`; what it takes without a model depends on an account that it has not."""
    assert model is not None
    return ProgramAgent(program=Codex(model=model), environ=os.environ)


KIND = AgentKind(
    make=codex,
    argument="MODEL",
    needs_argument=True,
    vendor="openai",
    key_variables=KEY_VARIABLES["openai"],
    address=ADDRESS,
)
