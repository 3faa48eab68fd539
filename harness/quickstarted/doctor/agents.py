"""Ask the installation: which agents, which SDKs; and the environment: which key from where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata

from quickstarted.agents import ANNOUNCED, AgentKind, known_kinds
from quickstarted.agents.keys import key_in
from quickstarted.doctor.facts import AgentFacts, KeyFacts
from quickstarted.errors import QuickstartedError


def gather_agents(environ: Mapping[str, str]) -> AgentFacts:
    """Who can act here."""
    kinds = dict(known_kinds())
    packages = {package.name: package for kind in kinds.values() for package in kind.packages}
    sdks = {name: _version(name) for name in packages}
    vendors = {
        kind.vendor: kind.key_variables
        for kind in kinds.values()
        if kind.key_variables and all(sdks[package.name] for package in kind.packages)
    }
    return AgentFacts(
        agents=tuple(kinds),
        announced=tuple(name for name in ANNOUNCED if name not in kinds),
        sdks=sdks,
        optional={name: package.remedy for name, package in packages.items() if package.extra},
        keys=tuple(key_facts(vendor, names, environ) for vendor, names in vendors.items()),
        address_problems=_address_problems(kinds.values(), environ),
    )


def key_facts(vendor: str, names: Sequence[str], environ: Mapping[str, str]) -> KeyFacts:
    """Which of the variables *names* hold a key of *vendor*, and whether it can be used."""
    present = {name: environ[name] for name in names if environ.get(name, "").strip()}
    return KeyFacts(
        vendor=vendor,
        variables=tuple(names),
        set=tuple(present),
        differ=len({value.strip() for value in present.values()}) > 1,
        padded=tuple(name for name, value in present.items() if value != value.strip()),
        broken=tuple(name for name in present if _is_broken(name, present[name])),
    )


def _is_broken(name: str, value: str) -> bool:
    """What the agent itself says of the variable alone."""
    try:
        key_in((name,), {name: value})
    except QuickstartedError:
        return True
    return False


def _address_problems(kinds: Iterable[AgentKind], environ: Mapping[str, str]) -> dict[str, str]:
    problems = {}
    for kind in kinds:
        if kind.address is None:
            continue
        try:
            kind.address.of(environ)
        except QuickstartedError as problem:
            problems[kind.address.variable] = problem.message
    return problems


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
