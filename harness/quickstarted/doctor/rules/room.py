"""Rules: room for networks, and what dead runs left."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.doctor.facts import EngineFacts, MachineFacts
from quickstarted.doctor.findings import Finding, error, not_applicable, ok, warning

FEW_ATTEMPTS = 8
OTHER_RANGE = "export QUICKSTARTED_NETWORK_RANGE=10.214.0.0/16"
GC = "quickstarted gc"


def judge_room(machine: MachineFacts, engine: EngineFacts) -> Iterator[Finding]:
    """Networks and leavings."""
    if machine.range_problem:
        yield error(
            "room",
            "network-range",
            machine.range_problem,
            fix="unset QUICKSTARTED_NETWORK_RANGE",
        )
    elif engine.room is None:
        yield not_applicable("room", "networks", "free networks", "The engine was not asked.")
    else:
        yield _networks(engine)
    if machine.packages_problem:
        yield error(
            "room",
            "package-cache",
            machine.packages_problem,
            fix="unset QUICKSTARTED_PACKAGE_CACHE_SIZE",
        )
    if engine.left_over is None:
        yield not_applicable(
            "room", "leftovers", "what dead runs left", "The engine was not asked."
        )
    elif engine.left_over:
        yield warning(
            "room",
            "leftovers",
            f"dead runs left {len(engine.left_over)} objects on the engine",
            detail=", ".join(engine.left_over[:8]) + (", ..." if engine.left_over[8:] else ""),
            fix=GC,
        )
    else:
        yield ok("room", "leftovers", "dead runs left nothing on the engine")


def _networks(engine: EngineFacts) -> Finding:
    room = engine.room
    assert room is not None
    said = f"networks for {room.attempts:,} attempts side by side are free in {room.address_range}"
    if room.attempts >= FEW_ATTEMPTS:
        return ok("room", "networks", said)
    make_room = GC if engine.left_over else OTHER_RANGE
    if room.attempts:
        return warning("room", "networks", f"only {said}", fix=make_room)
    return error("room", "networks", f"no network is left in {room.address_range}", fix=make_room)
