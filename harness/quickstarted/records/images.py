"""Whether an image's name still stands for the image that finished attempts ran on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from quickstarted.errors import AttemptFault
from quickstarted.records.identity import Ran, image_change
from quickstarted.records.planned import P
from quickstarted.records.refusal import refusal
from quickstarted.results import AttemptKey, CellKey


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
    done: Mapping[AttemptKey, Ran], missing: Sequence[P], image_of: ImageOf[P]
) -> None:
    """
    See that what is *missing* would run on the images of what is *done*.

    Raises:
        UsageError: A name stands for another image now.

    """
    cells = {key.cell for key, ran in done.items() if ran.image_id}
    now: dict[CellKey, Image] = {}
    for plan in missing:
        if plan.key.cell in cells:
            cells.remove(plan.key.cell)
            with suppress(AttemptFault):
                now[plan.key.cell] = image_of(plan)
    changed = [
        (key, change)
        for key, ran in done.items()
        if (image := now.get(key.cell)) is not None
        and (change := image_change(ran, image.image_id, image.digest))
    ]
    if changed:
        raise refusal(changed)
