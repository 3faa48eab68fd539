"""
What must not change between attempts that are counted together, and what has.

A rate of attempts at two versions of a task, a prompt or an image is the rate of neither.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from quickstarted.results import RunRecord

DIGEST_CHARS = 16

IMAGE = "image"
_SPOKEN = {
    "task file": "the task file",
    "check": "the check",
    "workspace": "the content of the workspace",
    "arm": "the content of the arm's folder",
    "prompt": "what the agent is told",
    "budgets": "the budgets",
    "resources": "the limits of the sandbox",
    "model": "the model",
    IMAGE: "the image",
    "backend": "the backend",
    "robots": "whether robots.txt is obeyed",
    "version": "quickstarted's version",
}
"""How the parts are called for people."""
_SITE = "site "
_DIGESTED = "sha256:"


def identity_of(record: RunRecord) -> dict[str, str]:
    """
    The parts of *record* that must not change, by name; long ones as digests.

    What the engine made of the image's name is no part of it: see `image_change`.
    """
    parts: dict[str, str | None] = {
        "task file": digest(record.task_source),
        "check": digest(record.check_source),
        "workspace": record.workspace_hash,
        **{
            f"{_SITE}{prefix}": record.docs_site_hashes.get(prefix, source)
            for prefix, source in record.docs_sites.items()
        },
        "arm": record.arm_hash,
        "prompt": record.prompt_hash,
        "budgets": _spelled(record.budgets),
        "resources": _spelled(record.resources),
        "model": record.model,
        IMAGE: record.image,
        "backend": record.backend,
        "robots": "obeyed" if record.respect_robots else "ignored",
        "version": record.harness_version,
    }
    return {name: value for name, value in parts.items() if value is not None}


def changes(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What is different in *now*, for people, e.g. `the image: a:1, now a:2`."""
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    return [_change(name, then.get(name), now.get(name)) for name in names]


class Ran(NamedTuple):
    """The image of an attempt, as its `run.json` has it."""

    image: str
    """As it was asked for."""
    image_id: str
    """Empty where there was no sandbox."""
    image_digest: str | None


def image_change(then: Ran, image_id: str, image_digest: str | None) -> str | None:
    """
    What is different in the image that the same name now stands for; None: nothing.

    Engines give one image different ids (by how they store it), and an image that no registry has
    has no digest, so either of the two that agrees is enough.
    """
    if not then.image_id or then.image_id == image_id:
        return None
    if then.image_digest and image_digest and _bare(then.image_digest) == _bare(image_digest):
        return None
    before, after = then.image_digest or then.image_id, image_digest or image_id
    return f"the image {then.image}: {_bare(before)[:19]}, now {_bare(after)[:19]}"


def digest(text: str) -> str:
    """A short digest of *text*."""
    full = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_DIGESTED}{full[:DIGEST_CHARS]}"


def _spelled(limits: Mapping[str, Any]) -> str:
    return json.dumps(limits, sort_keys=True)


def _change(name: str, then: str | None, now: str | None) -> str:
    site = name.removeprefix(_SITE)
    spoken = _SPOKEN.get(name) or f"the site for {site}"
    if name in {"budgets", "resources"} and then and now:
        before, after = json.loads(then), json.loads(now)
        keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        return f"{spoken} ({', '.join(keys)})"
    if (then or now or "").startswith(_DIGESTED):
        return spoken
    return f"{spoken}: {then or 'none'}, now {now or 'none'}"


def _bare(name: str) -> str:
    """`sha256:...` without the repository."""
    return name.rpartition("@")[2]
