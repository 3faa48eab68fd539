"""Ask the container engine, each question with a time limit, until one is not answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Network

from quickstarted.doctor.facts import EngineFacts, Images, Room
from quickstarted.errors import ImageFault, UsageError
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.images.inventory import list_images
from quickstarted.sandbox.images.resolve import inspect
from quickstarted.sandbox.images.sidecar import ROLE_NAME as SIDECAR_ROLE
from quickstarted.sandbox.images.standins import (
    DEFAULT_IMAGE,
    SANDBOX_NODE,
    STAND_INS,
    stand_in_for,
)
from quickstarted.sandbox.lanes.networks import (
    DEFAULT_RANGE,
    configured_range,
    egress_subnets,
    lane_subnets,
    subnets_in_use,
)
from quickstarted.sandbox.survey import (
    About,
    Survey,
    Unanswered,
    registry_serves,
    which_engine,
)

PUBLIC_NODE_IMAGES = sorted(SANDBOX_NODE.stands_for)
REGISTRY_ANSWER_S = 20.0
"""The engine itself waits 15 s for a registry that swallows packets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineQuestions:
    """What is asked, and how."""

    answer_within_s: float
    image: str = DEFAULT_IMAGE
    note: Callable[[str], None]
    """Takes lines about what is being done."""


def gather_engine(environ: Mapping[str, str], questions: EngineQuestions) -> EngineFacts:
    """What is known of the engine; never raises: what went wrong is part of it."""
    facts = EngineFacts(where=which_engine())
    questions.note(f"asking the engine at {facts.where.address}")
    with Survey(facts.where, answer_within_s=questions.answer_within_s) as survey:
        try:
            about = survey.about()
            facts = replace(facts, about=about)
            if not can_be_asked(about):
                return facts
            room = survey.ask("for its networks", lambda engine: _room(engine, environ))
            facts = replace(facts, room=room)
            facts = replace(facts, left_over=survey.ask("for what is left over", _left_over))
            images = survey.ask("for its images", lambda engine: _images(engine, questions.image))
            facts = replace(facts, images=images)
        except Unanswered as unanswered:
            return replace(facts, trouble=unanswered.trouble)
    questions.note("asking for a registry")
    says = _registry_says(facts, images)
    return replace(facts, images=replace(images, registry_says=says))


def can_be_asked(about: About) -> bool:
    """Whether it is an engine that a run could use at all."""
    return not about.is_podman and about.os == "linux"


def usable_image(engine: Engine, name: str) -> str | None:
    """What would run for the image *name* without a registry: itself, its stand-in, or None."""
    try:
        if inspect(engine, name):
            return name
    except ImageFault:
        return None
    stand_in = stand_in_for(name)
    return stand_in.tag if stand_in and inspect(engine, stand_in.tag) else None


def image_oracle(facts: EngineFacts, answer_within_s: float) -> Callable[[str], bool | None]:
    """A function that says whether an image can run without a registry; None: nobody knows."""
    if facts.images is None:
        return lambda _: None
    known: dict[str, bool | None] = {}

    def is_usable(name: str) -> bool | None:
        if name not in known:
            known[name] = _is_usable(facts, name, answer_within_s)
        return known[name]

    return is_usable


def _is_usable(facts: EngineFacts, name: str, answer_within_s: float) -> bool | None:
    with Survey(facts.where, answer_within_s=answer_within_s) as survey:
        try:
            survey.about()
            return survey.ask("for an image", lambda engine: usable_image(engine, name)) is not None
        except Unanswered:
            return None


def _room(engine: Engine, environ: Mapping[str, str]) -> Room:
    address_range = _range(environ)
    taken = subnets_in_use(engine)

    def free(subnets: list[IPv4Network]) -> int:
        return sum(not any(subnet.overlaps(other) for other in taken) for subnet in subnets)

    return Room(
        address_range=str(address_range),
        free_lanes=free(list(lane_subnets(address_range))),
        free_egress=free(list(egress_subnets(address_range))),
    )


def _range(environ: Mapping[str, str]) -> IPv4Network:
    try:
        return configured_range(environ)
    except UsageError:
        # Told by the machine's own rule.
        return DEFAULT_RANGE


def _left_over(engine: Engine) -> tuple[str, ...]:
    swept = sweep(engine, now=time.time(), dry_run=True)
    return tuple(
        f"{one.kind} {one.id.removeprefix('sha256:')[:12]}" for one in swept if one.removed
    )


def _images(engine: Engine, wanted: str) -> Images:
    listed = [one for one in list_images(engine) if not one.stale]
    present = tuple(one.name for one in listed if one.name)
    node = next((name for name in PUBLIC_NODE_IMAGES if inspect(engine, name)), None)
    return Images(
        present=present,
        sidecar=any(one.role == SIDECAR_ROLE for one in listed),
        default_image=DEFAULT_IMAGE,
        stand_ins=tuple(one.tag for one in STAND_INS if inspect(engine, one.tag)),
        wanted=wanted,
        usable=usable_image(engine, wanted),
        node=node or usable_image(engine, PUBLIC_NODE_IMAGES[0]),
    )


def _registry_says(facts: EngineFacts, images: Images) -> str:
    """Empty where a registry answers for the image, else why none does."""
    with Survey(facts.where, answer_within_s=REGISTRY_ANSWER_S) as survey:
        try:
            survey.about()
            survey.ask("for a registry", lambda engine: _serves(engine, images.default_image))
        except Unanswered as unanswered:
            return unanswered.trouble.said
    return ""


def _serves(engine: Engine, image: str) -> None:
    registry_serves(engine, image)
