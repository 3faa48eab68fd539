"""
Attempts by programs inside real sandboxes, with scripted services in the place of their vendors'.

One backend is shared by all attempts of a stage, as the attempts of one call share one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fakes import lanes
from fakes.bridge import bridge_address
from fakes.messages_api import ScriptedMessagesApi
from fakes.model_attempts import Attempted
from fakes.program import write_task
from fakes.responses_api import ScriptedResponsesApi
from fakes.scripted_http import ScriptedServer
from fakes.vendor_front import VendorFront
from quickstarted.agents import Agent
from quickstarted.agents.programs.agent import ProgramAgent
from quickstarted.agents.programs.claude_code import ClaudeCode
from quickstarted.agents.programs.codex import Codex
from quickstarted.agents.programs.exec_command import ExecCommand
from quickstarted.agents.programs.program import Program
from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir
from quickstarted.run import AttemptHooks, run_attempt
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.task import load_task
from quickstarted.trace import read_trace

KEY = "sk-ant-CANARY7d1f0c9e8b7a6f5e4d3c2b1a0canary"


@dataclass(frozen=True)
class Vendor:
    """Whose program it is, and what its service is called."""

    host: str
    key_variable: str
    serve: Callable[..., ScriptedServer[Any]]
    """From a script, with `api_key`."""


ANTHROPIC = Vendor("api.anthropic.com", "ANTHROPIC_API_KEY", ScriptedMessagesApi)
OPENAI = Vendor("api.openai.com", "OPENAI_API_KEY", ScriptedResponsesApi)
CLAUDE_CODE = ClaudeCode(model="claude-sonnet-5-5")
CODEX = Codex(model="gpt-test")


def agent_of(program: Program, environ: Mapping[str, str], argument: str = "") -> ProgramAgent:
    """The agent that *program* is."""
    return ProgramAgent(program=program, environ=environ, argument=argument or None)


@dataclass
class ProgramStage:
    """Where they take place."""

    engine: Engine
    front: VendorFront
    backend: DockerBackend
    run_id: str
    observer: Callable[[Event], None] = field(default=lambda _: None)
    cancelled: Callable[[], bool] = field(default=lambda: False)
    plan: dict[str, Any] = field(default_factory=dict)
    """Further fields of the plans."""
    own_images: set[str] = field(default_factory=set)
    """Images with programs that nobody else has a use for."""

    def by_program(
        self, program: Program, vendor: Vendor, script: Any, folder: Path, body: str
    ) -> Attempted:
        """One attempt of a task with *body*, the service answering from *script*."""
        agent = agent_of(program, {vendor.key_variable: KEY})
        with vendor.serve(script, api_key=KEY) as api:
            self.front.servers[vendor.host] = api
            return self.run(agent, folder, body, api)

    def by_command(
        self, command: str, folder: Path, body: str, environ: Mapping[str, str] | None = None
    ) -> Attempted:
        """One attempt by `exec:COMMAND`."""
        agent = agent_of(ExecCommand(command=command), environ or {}, command)
        return self.run(agent, folder, body)

    def run(
        self, agent: Agent, folder: Path, body: str, api: ScriptedServer[Any] | None = None
    ) -> Attempted:
        """One attempt by any agent."""
        results = AttemptDir(folder / "result")
        results.path.mkdir(exist_ok=True)
        plan = AttemptPlan(
            task=load_task(write_task(folder, body)),
            agent=agent,
            attempt=1,
            run_id=self.run_id,
            default_image=lanes.test_image(self.engine),
            environ={},
            **self.plan,
        )
        hooks = AttemptHooks(
            observer=self.observer,
            note=lambda _: None,
            cancelled=self.cancelled,
        )
        result = run_attempt(plan, self.backend, results, hooks)
        requests = list(api.requests) if api is not None else []
        return Attempted(result, list(read_trace(results.trace)), requests)


@contextmanager
def program_stage(engine: Engine, folder: Path) -> Iterator[ProgramStage]:
    """
    A stage that is cleared, and must then have left nothing but images with programs, which the
    next stage takes over as the next call of the program would.
    """
    run_id = f"stage-{lanes.new_run_id()}"
    with VendorFront(folder, bridge_address(engine)) as front:
        options = BackendOptions(run_id=run_id, upstream=front.upstream, environ=dict(os.environ))
        backend = DockerBackend(engine, options)
        stage = ProgramStage(engine, front, backend, run_id)
        try:
            yield stage
        finally:
            backend.close()
            # The backend has closed its own.
            with lanes.connected() as after:
                assert lanes.labelled(after, run_id) == []
                for image in stage.own_images:
                    after.api.remove_image(image, force=True)
