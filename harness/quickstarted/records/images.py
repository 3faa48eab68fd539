"""Whether an image's name still stands for the image that finished attempts ran on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from quickstarted.errors import AttemptFault
from quickstarted.records.identity import image_change
from quickstarted.records.planned import P
from quickstarted.records.refusal import refusal
from quickstarted.results import AttemptKey, RunRecord


class Image(Protocol):
    """An `ImageIdentity`, as far as it matters here."""

    @property
    def image_id(self) -> str:
        """The engine's id."""

    @property
    def digest(self) -> str | None:
        """`repository@sha256:...`; None for an image that no registry has."""


ImageOf = Callable[[P], Image]
"""Raises an `AttemptFault` where the image cannot be had."""


def check_images(
    done: Mapping[AttemptKey, RunRecord], missing: Sequence[P], image_of: ImageOf[P]
) -> None:
    """
    Compare; see `Folder.check_images`.

    Raises:
        UsageError: A name stands for another image now.

    """
    next_of = {plan.key.cell: plan for plan in reversed(missing)}
    changed: list[tuple[AttemptKey, str]] = []
    for key, record in done.items():
        plan = next_of.get(key.cell)
        if plan is None or not record.image_id:
            continue
        with suppress(AttemptFault):
            image = image_of(plan)
            if change := image_change(record, image.image_id, image.digest):
                changed.append((key, change))
    if changed:
        raise refusal(changed)
