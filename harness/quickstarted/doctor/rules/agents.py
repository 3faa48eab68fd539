"""Rules: agents, SDKs and keys; a key is named by its variable and never shown."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.doctor.facts import AgentFacts, KeyFacts
from quickstarted.doctor.findings import Finding, not_applicable, ok, warning
from quickstarted.doctor.rules import mending

LEAST_SAID = "replay needs no key"


def judge_agents(facts: AgentFacts) -> Iterator[Finding]:
    """Who can act."""
    later = f"Not in this version: {', '.join(facts.announced)}." if facts.announced else ""
    yield ok("agents", "agents", f"agents: {', '.join(facts.agents)}", later)
    for package, version in facts.sdks.items():
        if version is None and package in facts.optional:
            yield not_applicable(
                "agents",
                f"sdk-{package}",
                f"the SDK {package} is not installed",
                f"The agent that needs it: {facts.optional[package]}",
            )
        elif version is None:
            yield warning(
                "agents",
                f"sdk-{package}",
                f"the SDK {package} is not installed: agents of that vendor cannot run",
                fix=f"pip install {package}",
            )
        else:
            yield ok("agents", f"sdk-{package}", f"SDK {package} {version}")
    keyless = not any(key.set for key in facts.keys)
    for n, key in enumerate(facts.keys):
        # One key is enough for models to run; which vendor's is a matter of taste.
        yield from _key(key, matters=keyless and n == 0)
    for variable, problem in facts.address_problems.items():
        yield warning("agents", "service-address", problem, fix=f"unset {variable}")


def _key(key: KeyFacts, *, matters: bool) -> Iterator[Finding]:
    if not key.set:
        yield _no_key(key, matters=matters)
        return
    used = key.set[0]
    if used in key.broken:
        yield warning(
            "agents",
            f"key-{key.vendor}",
            f"{used} holds something that no key is: spaces, line breaks or other characters",
            detail=mending.PASTE,
            fix=mending.ask_for(used),
        )
    else:
        yield ok("agents", f"key-{key.vendor}", f"the key for {key.vendor} comes from {used}")
    for name in key.padded:
        yield warning(
            "agents",
            f"key-{key.vendor}-padded",
            f"{name} has space or a line break around the key",
            detail="It is left out here; other programs may send it.",
            fix=f'export {name}="$(printf %s "${name}" | tr -d \'[:space:]\')"',
        )
    if key.differ:
        yield warning(
            "agents",
            f"key-{key.vendor}-differ",
            f"{' and '.join(key.set)} are set, and differ; {used} counts",
            fix=f"unset {key.set[1]}",
        )


def _no_key(key: KeyFacts, *, matters: bool) -> Finding:
    code = f"key-{key.vendor}"
    title = f"no key for {key.vendor}: models of that vendor cannot run ({LEAST_SAID})"
    detail = f"Looked at {', then '.join(key.variables)}."
    if not matters:
        return not_applicable("agents", code, title, detail)
    fix = mending.ask_for(key.variables[0])
    return warning("agents", code, title, detail=f"{detail} {mending.PASTE}", fix=fix)
