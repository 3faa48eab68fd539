"""What one attempt is to do, and what each part of the program needs to know of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from quickstarted import __version__
from quickstarted.agents.assignment import Assignment
from quickstarted.agents.programs.needs import Resident
from quickstarted.agents.programs.services import opened_to
from quickstarted.agents.protocol import Agent, SandboxAgent
from quickstarted.allowlist import docs_hosts, egress_policy
from quickstarted.arms import DEFAULT_ARM, Arm
from quickstarted.check import CheckPlan, plan_for
from quickstarted.condition import DEFAULT_CONDITION, Condition
from quickstarted.docs import DocsLibrary, DocsOptions, DocsRules, HostHeaders, Site
from quickstarted.errors import ModelRejected
from quickstarted.events import AgentTurn, Event, RunStart, SandboxReady
from quickstarted.prices import Meter, PriceTable, has_price, no_price, price_record
from quickstarted.results import AttemptKey, RunRecord
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE
from quickstarted.sandbox.protocol import Resources, SandboxSpec
from quickstarted.task import FROM_DOCS, Task
from quickstarted.task_contents import TaskContents
from quickstarted.task_headers import header_secrets, header_values
from quickstarted.task_secrets import secrets_of
from quickstarted_proxy.policy import EgressPolicy
from quickstarted_proxy.secrets_table import Secret


@dataclass(frozen=True, kw_only=True)
class AttemptPlan:
    """One attempt of one task by one agent."""

    task: Task
    agent: Agent
    attempt: int
    """Counts from 1."""
    run_id: str
    default_image: str = DEFAULT_IMAGE
    """For a task that names none (`--image`)."""
    extra_ca_files: tuple[Path, ...] = ()
    """Certificates that documentation may be served with (`--upstream-ca`)."""
    condition: Condition = DEFAULT_CONDITION
    arm: Arm = DEFAULT_ARM
    """What `condition` calls by its name."""
    prices: PriceTable | None = field(default=None, repr=False)
    """What costs are estimated with; None estimates none."""
    meter: Meter | None = field(default=None, repr=False)
    """What all attempts of a call may spend together; None is no limit."""
    probe_affordances: bool = False
    """Whether what the documentation has for agents is looked up before the agent starts."""
    contents: TaskContents | None = field(default=None, repr=False)
    """Workspace and local sites as the call found them; None watches over neither."""
    keep_sandbox: bool = False
    library: DocsLibrary | None = field(default=None, repr=False)
    """What the attempts of a call share of documentation; None shares nothing."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    """The caller's, which has the values of the task's secrets."""
    node: str | None = None
    """The node of a cluster that makes it; None: this machine."""

    @property
    def key(self) -> AttemptKey:
        """What tells this attempt from all others of its call."""
        condition = self.condition
        return AttemptKey(
            self.task.name, self.agent.name, condition.affordances, condition.arm, self.attempt
        )

    @property
    def image(self) -> str:
        """The image that is asked for."""
        return self.task.image or self.default_image

    @cached_property
    def resident(self) -> Resident | None:
        """
        The agent as it is inside the sandbox; None for one that acts from outside.

        Raises:
            ModelRejected: There is no key, or no usable address.

        """
        return self.agent.move_in() if isinstance(self.agent, SandboxAgent) else None

    @cached_property
    def policy(self) -> EgressPolicy:
        """What the sandbox's shell may reach, and services of models where a program needs them."""
        policy = egress_policy(self.task)
        try:
            return self._opened(policy)
        except ModelRejected:
            # There will be no sandbox.
            return policy

    def _opened(self, policy: EgressPolicy) -> EgressPolicy:
        resident = self.resident
        return opened_to(policy, resident.needs.services) if resident is not None else policy

    @cached_property
    def secrets(self) -> tuple[Secret, ...]:
        """
        The task's secrets, with the same placeholders for the whole attempt.

        Raises:
            SecretFault: One is not set, or cannot be used.

        """
        return secrets_of(self.task, self.environ)

    @cached_property
    def docs_headers(self) -> tuple[HostHeaders, ...]:
        """
        What documentation hosts are sent.

        Raises:
            SecretFault: A value is not set, or cannot be used.

        """
        table = header_values(self.task, self.environ)
        return tuple(HostHeaders(host=host, headers=own) for host, own in table.items())

    @cached_property
    def scrubbed(self) -> tuple[Secret, ...]:
        """
        All values that no record may hold.

        Raises:
            SecretFault: One is not set, or cannot be used.
            ModelRejected: The agent's own is not set, or cannot be used.

        """
        keys = self.resident.needs.secrets if self.resident is not None else ()
        return (*self.secrets, *header_secrets(self.task, self.environ), *keys)

    @cached_property
    def assignment(self) -> Assignment:
        """What the agent is told."""
        replay = self.task.replay
        return Assignment(
            goal=self.task.goal,
            route=self.task.route,
            replay=() if replay == FROM_DOCS else tuple(replay),
            replays_pages=replay == FROM_DOCS,
        )

    @property
    def prices_said(self) -> dict[str, str | None] | None:
        """What `run_start` says of the price table."""
        if self.prices is None or self.agent.is_replay:
            return None
        return {"source": self.prices.source, "date": self.prices.date}

    def check_prices(self) -> None:
        """
        See that a limit on cost can be kept, as far as that is known before anything starts.

        Raises:
            PriceUnknown: There is a limit, and no price for the model that is asked for.

        """
        is_limited = self.task.budgets.max_cost_usd or self.meter is not None
        model = self.agent.model
        if is_limited and model is not None and not has_price(self.prices, model, time.time()):
            raise no_price(model, self.prices)

    @cached_property
    def prompt_hash(self) -> str | None:
        """Of what the agent's model is told; None for an agent without one."""
        prompt = self.agent.prompt(self.assignment)
        return prompt.hash if prompt else None

    @cached_property
    def check_plan(self) -> CheckPlan:
        """How the outcome is judged."""
        return plan_for(self.task)

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Local folders and previews that stand in for pages."""
        return tuple(
            Site(prefix=prefix, folder=site.folder, url=site.url, named=site.named)
            for prefix, site in self.task.docs.sites.items()
        )

    @property
    def docs_options(self) -> DocsOptions:
        """How documentation is fetched."""
        return self.library.options if self.library else DocsOptions()

    @cached_property
    def docs_rules(self) -> DocsRules:
        """What may be read."""
        return DocsRules(
            allow_hosts=docs_hosts(self.task),
            sites=self.sites,
            headers=self.docs_headers,
            serve_affordances=self.condition.affordances != "none",
            has_docs=self.condition.has_docs,
            route=self.task.route,
            private_hosts=self.task.network.private,
            extra_ca_files=self.extra_ca_files,
            respect_robots=self.docs_options.respect_robots,
            min_interval_s=self.docs_options.rate_limit_s,
        )

    def sandbox_spec(self, record_dir: Path) -> SandboxSpec:
        """
        The sandbox that the attempt needs.

        Raises:
            ModelRejected: The model's service is where the documentation is.

        """
        task = self.task
        spec = SandboxSpec(
            run_id=self.run_id,
            image=self.image,
            policy=self._opened(egress_policy(task)),
            platform=task.platform,
            user=task.user,
            env=dict(task.env),
            resources=Resources(
                memory_bytes=task.resources.memory_bytes,
                cpus=task.resources.cpus,
                pids=task.resources.pids,
                disk_bytes=task.resources.disk_bytes,
            ),
            record_dir=record_dir,
            secrets=self.secrets,
        )
        return spec if self.resident is None else self._with_agent(spec, self.resident)

    def _with_agent(self, spec: SandboxSpec, resident: Resident) -> SandboxSpec:
        """*spec*, with what an agent needs that is in the sandbox itself."""
        needs, budgets = resident.needs, self.task.budgets
        turns, tokens = budgets.max_turns, budgets.max_tokens or None
        return replace(
            spec,
            secrets=(*spec.secrets, *needs.secrets),
            models=tuple(
                replace(one.api, max_calls=turns, max_tokens=tokens) for one in needs.services
            ),
            door_host=needs.door_host,
            doorkeeper=needs.doorkeeper,
            on_model_call=needs.on_model_call,
            program=needs.program,
        )

    def record(self, backend: str, events: Iterable[Event]) -> RunRecord:
        """Everything needed to run the attempt again."""
        known = list(events)
        models = {event.model: event.ts for event in known if isinstance(event, AgentTurn)}
        ready = next((event for event in known if isinstance(event, SandboxReady)), None)
        start = next((event for event in known if isinstance(event, RunStart)), None)
        return RunRecord(
            harness_version=__version__,
            task=self.task.name,
            task_path=str(self.task.source.path),
            task_source=self.task.source.text,
            check_source=self.task.success.script_text,
            agent=self.agent.name,
            model=self.agent.model,
            attempt=self.attempt,
            affordance_policy=self.condition.affordances,
            arm=self.arm.name,
            arm_folder=self.arm.source,
            arm_hash=self.arm.content_hash,
            prices=price_record(self.prices, models) if self.prices and models else None,
            probe_affordances=self.probe_affordances,
            prompt_hash=self.prompt_hash,
            backend=backend,
            node=self.node,
            enforced=start is not None and start.enforced,
            policy=self.policy.to_json(),
            image=self.image,
            image_id=ready.image_id if ready else "",
            image_digest=ready.image_digest if ready else None,
            architecture=ready.architecture if ready else "",
            docs_sites={site.prefix: site.source for site in self.sites},
            docs_site_hashes=dict(self.contents.site_hashes) if self.contents else {},
            workspace_hash=self.contents.workspace_hash if self.contents else None,
            docs_freshness=self.docs_options.freshness,
            respect_robots=self.docs_options.respect_robots,
            resources=self.task.resources.model_dump(mode="json"),
            budgets=self.task.budgets.model_dump(mode="json"),
        )
