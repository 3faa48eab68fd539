"""An attempt by a model on this machine: the real loop, SDK and shell, and a scripted service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fakes.gemini_api import ScriptedGeminiApi
from fakes.messages_api import ScriptedMessagesApi
from fakes.program import write_task
from fakes.responses_api import ScriptedResponsesApi
from fakes.scripted_http import Recorded, ScriptedServer
from quickstarted.agents import Agent
from quickstarted.agents.claude.vendor import ClaudeVendor
from quickstarted.agents.gemini.vendor import GeminiVendor
from quickstarted.agents.model import ModelAgent
from quickstarted.agents.model.patience import Patience
from quickstarted.agents.model.vendor import Vendor
from quickstarted.agents.openai.vendor import OpenAIVendor
from quickstarted.events import TraceEvent
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult
from quickstarted.run import AttemptHooks, run_attempt
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.task import load_task
from quickstarted.trace import read_trace

KEY = "sk-test"
TASK = """\
    success: {script: 'test -f done || qs_fail "there is no file done"'}
    """
HASTY = Patience(first_s=0.01, longest_s=0.05, max_wait_s=0.5)
"""Gives up as the default does, only sooner."""


@dataclass(frozen=True)
class Service:
    """A vendor, and the scripted service in the place of its own."""

    name: str
    model: str
    address_variable: str
    key_variable: str
    serve: Callable[..., ScriptedServer[Any]]
    """From a script, with `api_key` and `models`."""
    vendor: Callable[..., Vendor]
    """With `model`, `environ` and `silence_s`."""


CLAUDE = Service(
    name="claude",
    model="claude-sonnet-5-5",
    address_variable="ANTHROPIC_BASE_URL",
    key_variable="ANTHROPIC_API_KEY",
    serve=ScriptedMessagesApi,
    vendor=ClaudeVendor,
)
OPENAI = Service(
    name="openai",
    model="gpt-test",
    address_variable="OPENAI_BASE_URL",
    key_variable="OPENAI_API_KEY",
    serve=ScriptedResponsesApi,
    vendor=OpenAIVendor,
)
GEMINI = Service(
    name="gemini",
    model="gemini-test",
    address_variable="GOOGLE_GEMINI_BASE_URL",
    key_variable="GEMINI_API_KEY",
    serve=ScriptedGeminiApi,
    vendor=GeminiVendor,
)


@dataclass(frozen=True)
class Attempted:
    """An attempt that has ended."""

    result: RunResult
    events: list[TraceEvent]
    requests: list[Recorded]

    def of_type(self, kind: str) -> list[Any]:
        """The events of one type."""
        return [event for event in self.events if event.type == kind]

    @property
    def ending(self) -> tuple[str, str]:
        """Stop reason and classification."""
        return self.result.stop_reason.value, self.result.classification.value


@dataclass
class ModelAttempts:
    """Makes attempts below *folder*."""

    folder: Path
    service: Service = CLAUDE
    model: str = ""
    """The service's own where it is empty."""
    key: str = KEY
    """What the service takes."""
    body: str = TASK
    patience: Patience = HASTY
    silence_s: float = 120.0
    environ: Mapping[str, str] = field(default_factory=dict)
    """Beside address and key."""
    models: Mapping[str, Any] | None = None
    """Of the service; see `ScriptedMessagesApi`."""

    def __post_init__(self) -> None:
        self.model = self.model or self.service.model

    def run(self, *script: Any, done: bool = True) -> Attempted:
        """One attempt; *done*: the script must be used up, no more and no less."""
        with self.service.serve(script, api_key=self.key, models=self.models) as api:
            usual = {self.service.address_variable: api.base_url, self.service.key_variable: KEY}
            vendor = self.service.vendor(
                model=self.model, environ={**usual, **self.environ}, silence_s=self.silence_s
            )
            name = self.service.name
            agent = ModelAgent(name=name, vendor=vendor, patience=self.patience)
            attempted = attempt_by(agent, self.folder, self.body, api.requests)
        if done:
            api.assert_done()
        return attempted


def attempt_by(
    agent: Agent, folder: Path, body: str, requests: Sequence[Recorded] = ()
) -> Attempted:
    """One attempt by any agent, of a task with *body*."""
    backend = LocalBackend("test-model", {"PATH": "/usr/local/bin:/usr/bin:/bin"})
    results = AttemptDir(folder / "result")
    results.path.mkdir(exist_ok=True)
    task = load_task(write_task(folder, body))
    plan = AttemptPlan(task=task, agent=agent, attempt=1, run_id="test-model")
    hooks = AttemptHooks(
        observer=lambda event: None, note=lambda line: None, cancelled=lambda: False
    )
    result = run_attempt(plan, backend, results, hooks)
    backend.close()
    return Attempted(result, list(read_trace(results.trace)), list(requests))
