"""What is known of the machine, without any judgement; one record for each part of the world."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from quickstarted.probes import ProbeResult
from quickstarted.sandbox.survey import About, Where
from quickstarted.sandbox.trouble import Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFacts:
    """The machine on which the program runs."""

    system: str
    """`linux`, `darwin`, `windows`."""
    has_systemd: bool = False
    has_apt: bool = False
    has_engine: bool = False
    """Whether a Docker daemon, or Docker Desktop, is installed."""
    has_default_socket: bool = False
    python: str = ""
    harness: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    """Proxy and certificate variables that are set, fit to be shown: without credentials."""
    missing_files: dict[str, str] = field(default_factory=dict)
    """Variables that name a file or folder which is not there, and what they name."""
    upstream_problem: str = ""
    """Why a run would refuse the proxy or certificate variables; empty where it takes them."""
    upstream_hint: str = ""
    upstream_variable: str = ""
    """The variable that it would refuse."""
    range_problem: str = ""
    """Why a run would refuse QUICKSTARTED_NETWORK_RANGE."""
    packages_problem: str = ""
    """Why a run would refuse QUICKSTARTED_PACKAGE_CACHE_SIZE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Networks that can still be made."""

    address_range: str
    free_lanes: int
    free_egress: int

    @property
    def attempts(self) -> int:
        """How many attempts fit side by side: each needs one of both."""
        return min(self.free_lanes, self.free_egress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """Which images are here."""

    present: tuple[str, ...]
    """Tags of the default image and of ours that are current, and images of tasks."""
    sidecar: bool
    default_image: str
    stand_ins: tuple[str, ...]
    wanted: str
    """The image that the sandbox is probed in, as asked for."""
    usable: str | None
    """What would run for it without asking a registry; None where nothing would."""
    node: str | None = None
    """An image with Node, where one is here."""
    registry_says: str | None = None
    """Why no registry answers; empty where one does; None where it was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """The container engine; what could not be asked is None."""

    where: Where
    about: About | None = None
    trouble: Trouble | None = None
    """What ended the questions."""
    room: Room | None = None
    left_over: tuple[str, ...] | None = None
    """What dead runs left, each as a word and an id."""
    images: Images | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFacts:
    """What was asked inside real sandboxes."""

    results: tuple[ProbeResult, ...] = ()
    fault: str = ""
    """Why there was no sandbox, or none any more."""
    hint: str = ""
    skipped: str = ""
    """Why none was tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFacts:
    """Where the key of one vendor comes from; never its value."""

    vendor: str
    variables: tuple[str, ...]
    """That may hold it; the first that is set counts."""
    set: tuple[str, ...]
    differ: bool = False
    """Whether two that are set hold different keys."""
    padded: tuple[str, ...] = ()
    """Those with space or a line break before or after the key."""
    broken: tuple[str, ...] = ()
    """Those that hold something which no key can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """Who can act, and what they need."""

    agents: tuple[str, ...]
    announced: tuple[str, ...]
    sdks: dict[str, str | None]
    """Package to the version that is installed; None: it is not."""
    keys: tuple[KeyFacts, ...]
    """Of the vendors whose packages are there."""
    optional: dict[str, str] = field(default_factory=dict)
    """Packages that not everybody needs, to the command that installs each."""
    address_problems: dict[str, str] = field(default_factory=dict)
    """Variables that name a service's address, to what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """One task file."""

    path: Path
    problems: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    image: str | None = None
    """That it names."""
    image_usable: bool | None = None
    """Whether that can run without a registry; None where nobody could be asked."""
    secrets: tuple[str, ...] = ()
    """Variables with keys that it needs."""
    unset_secrets: tuple[str, ...] = ()
    """Those of them that are not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All of it."""

    machine: MachineFacts
    engine: EngineFacts
    sandbox: SandboxFacts
    agents: AgentFacts
    tasks: tuple[TaskFacts, ...]
