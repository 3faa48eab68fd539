"""Ask the installation: which agents, which SDKs; and the environment: which key from where."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata

from quickstarted.agents import AGENTS, ANNOUNCED
from quickstarted.agents.claude.address import ADDRESS_VARIABLE, service_address
from quickstarted.agents.keys import KEY_VARIABLES, api_key
from quickstarted.doctor.facts import AgentFacts, KeyFacts
from quickstarted.errors import QuickstartedError

SDKS = {"anthropic": "anthropic"}
"""Vendor to the package that talks to it."""


def gather_agents(environ: Mapping[str, str]) -> AgentFacts:
    """Who can act here."""
    return AgentFacts(
        agents=tuple(AGENTS),
        announced=tuple(name for name in ANNOUNCED if name not in AGENTS),
        sdks={package: _version(package) for package in SDKS.values()},
        keys=tuple(key_facts(vendor, environ) for vendor in KEY_VARIABLES),
        address_problems=_address_problems(environ),
    )


def key_facts(vendor: str, environ: Mapping[str, str]) -> KeyFacts:
    """Which variables hold a key of *vendor*, and whether it can be used."""
    names = KEY_VARIABLES[vendor]
    present = {name: environ[name] for name in names if environ.get(name, "").strip()}
    return KeyFacts(
        vendor=vendor,
        variables=tuple(names),
        set=tuple(present),
        differ=len({value.strip() for value in present.values()}) > 1,
        padded=tuple(name for name, value in present.items() if value != value.strip()),
        broken=tuple(name for name in present if _is_broken(vendor, name, present[name])),
    )


def _is_broken(vendor: str, name: str, value: str) -> bool:
    """What the agent itself says of the variable alone."""
    try:
        api_key(vendor, {name: value})
    except QuickstartedError:
        return True
    return False


def _address_problems(environ: Mapping[str, str]) -> dict[str, str]:
    try:
        service_address(environ)
    except QuickstartedError as problem:
        return {ADDRESS_VARIABLE: problem.message}
    return {}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
