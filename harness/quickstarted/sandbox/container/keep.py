"""
Keeping a sandbox as an image, for `check --sandbox` and `reproduce --shell`.

The image's settings are put back to what a new sandbox expects from any image: its user, no
entrypoint of ours, no proxy that is long gone.
"""

from __future__ import annotations

import secrets as randomness
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import docker.errors

from quickstarted.errors import SandboxFault
from quickstarted.sandbox import labels
from quickstarted.sandbox.container.files import put_files
from quickstarted.sandbox.container.machine import Machine
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.protocol import CHECK_OUTPUT_PATH, WORKSPACE, SavedSandbox
from quickstarted.sandbox.removal import CONFLICT
from quickstarted_proxy.secrets_table import Secret, is_placeholder

REPOSITORY = "quickstarted/kept"
ROLE = "kept"
LET_GO_S = 30.0
"""How long containers that are being removed may keep an image."""


def save(machine: Machine, expires_s: float) -> SavedSandbox:
    """
    Commit the container to a labelled image.

    Raises:
        SandboxFault: The container is gone.

    """
    engine, spec = machine.engine, machine.spec
    put_files(engine, machine.container_id, {CHECK_OUTPUT_PATH: (b"", 0o600)})
    machine.forget_shell()
    expires = time.time() + expires_s
    tag = f"{spec.run_id[:60]}-{randomness.token_hex(4)}"
    with engine_calls("keeping the sandbox as an image", gone=SandboxFault):
        engine.api.commit(
            machine.container_id,
            repository=REPOSITORY,
            tag=tag,
            changes=_changes(machine, expires),
        )
    return SavedSandbox(image=f"{REPOSITORY}:{tag}", expires=expires)


def same_placeholders(found: Mapping[str, Any], secrets: tuple[Secret, ...]) -> tuple[Secret, ...]:
    """
    Secrets with the placeholders that a kept sandbox was run with, and may have in its files.

    Args:
        found: What the engine says of the image; of any other than a kept one nothing is taken.
        secrets: With placeholders of their own.

    """
    config = found.get("Config") or {}
    if (config.get("Labels") or {}).get(labels.ROLE) != ROLE:
        return secrets
    env = dict(entry.split("=", 1) for entry in config.get("Env") or [] if "=" in entry)
    return tuple(
        replace(secret, placeholder=env[secret.name])
        if is_placeholder(env.get(secret.name, ""))
        else secret
        for secret in secrets
    )


def remove_kept(engine: Engine, image: str) -> None:
    """
    Remove an image that `save` made, once no container uses it any more.

    Forced, the engine would only take its name and leave the rest.

    Raises:
        EngineFault: Something still uses it.

    """
    deadline = time.monotonic() + LET_GO_S
    with engine_calls(f"removing {image}"):
        while True:
            try:
                engine.api.remove_image(image)
            except docker.errors.APIError as exc:
                if exc.status_code != CONFLICT or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return


def _changes(machine: Machine, expires: float) -> list[str]:
    """
    Dockerfile instructions for the new image.

    The container's own labels are carried along by the engine, so the owner's is emptied: the
    image outlives the process that made it.
    """
    spec = machine.spec
    kept = {
        labels.RUN: spec.run_id,
        labels.ROLE: ROLE,
        labels.EXPIRES: str(int(expires)),
        labels.OWNER: "",
    }
    proxies = [name for name in spec.env if name.lower().endswith("_proxy")]
    return [
        f"USER {spec.image.user or '0'}",
        f"WORKDIR {WORKSPACE}",
        'CMD ["sh"]',
        *(f'LABEL {name}="{value}"' for name, value in kept.items()),
        *(f'ENV {name}=""' for name in proxies),
    ]
