"""
A task's secrets: their values from the caller's environment, and what the sandbox holds instead.

The value is given to the sidecar and to whatever scrubs records, and is in no record, variable,
label or command line. See docs/secrets.md.
"""

from __future__ import annotations

import re
import secrets as randomness
import string
import uuid
from collections.abc import Mapping, Sequence
from typing import TypeVar

from quickstarted.errors import SecretFault
from quickstarted.events import EventBase
from quickstarted.task import Task
from quickstarted_proxy.placing import scrub_json
from quickstarted_proxy.secrets_table import (
    MIN_PLACEHOLDER_CHARS,
    Secret,
    scrubbing,
    value_problem,
)
from quickstarted_proxy.substitution import Replacer

MAX_PLACEHOLDER_CHARS = 256
LETTERS = string.ascii_letters + string.digits
PUBLIC_PREFIXES = (
    "sk-ant-",
    "sk-proj-",
    "sk-",
    "sk_test_",
    "sk_live_",
    "pk_test_",
    "pk_live_",
    "rk_test_",
    "rk_live_",
    "github_pat_",
    "ghp_",
    "gho_",
    "ghs_",
    "glpat-",
    "hf_",
    "npm_",
    "pypi-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "AIza",
    "dop_v1_",
    "gsk_",
    "pat_",
)
"""Begins by which keys of well-known services are recognised; they say nothing of the key."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")

AnyEvent = TypeVar("AnyEvent", bound=EventBase)


def unset_secrets(task: Task, environ: Mapping[str, str]) -> list[str]:
    """Variables that *task* needs and the caller has not set, or has set to nothing."""
    return [name for name in task.secrets if not environ.get(name)]


def secrets_of(task: Task, environ: Mapping[str, str]) -> tuple[Secret, ...]:
    """
    Take the values of a task's secrets from *environ*, each with a placeholder of its own.

    Raises:
        SecretFault: One is not set, or cannot be used; the text names it and quotes nothing.

    """
    if missing := unset_secrets(task, environ):
        names = ", ".join(missing)
        raise SecretFault(
            f"the task needs the secret{'s' * (len(missing) > 1)} {names}, and"
            f" {'no such variables are' if len(missing) > 1 else 'no such variable is'} set",
            hint=f"Set {names} where quickstarted is called; the value never enters the sandbox.",
        )
    return tuple(_secret(name, environ[name], spec.hosts) for name, spec in task.secrets.items())


def _secret(name: str, value: str, hosts: Sequence[str]) -> Secret:
    if problem := value_problem(value):
        raise SecretFault(
            f"the secret {name} cannot be used: its value {problem}",
            hint=f"Set {name} to the key alone, on one line.",
        )
    return Secret(name=name, placeholder=placeholder(value), value=value, hosts=tuple(hosts))


def placeholder(value: str) -> str:
    """
    Make what stands for *value*: as long, where that is neither short nor very long, of the same
    kind (a UUID, hexadecimal digits, anything else), and with the begin that its service's keys
    have; the rest is random.
    """
    if _UUID.fullmatch(value):
        return str(uuid.uuid4())
    length = min(max(len(value), MIN_PLACEHOLDER_CHARS), MAX_PLACEHOLDER_CHARS)
    if _HEX.fullmatch(value):
        digits = randomness.token_hex(length)[:length]
        return digits if value == value.lower() else digits.upper()
    prefix = next((begin for begin in PUBLIC_PREFIXES if value.startswith(begin)), "")
    rest = max(length - len(prefix), MIN_PLACEHOLDER_CHARS - len(prefix))
    return prefix + "".join(randomness.choice(LETTERS) for _ in range(rest))


def scrubber_for(secrets: Sequence[Secret]) -> Replacer:
    """What puts placeholders in place of values, in every form in which they are looked for."""
    return Replacer(scrubbing(secrets))


def scrubbed_event(event: AnyEvent, scrubber: Replacer) -> AnyEvent:
    """*event* without any of the values; the same object where it holds none."""
    if not scrubber:
        return event
    fields = event.model_dump(mode="json")
    clean = scrub_json(fields, scrubber)
    return event if clean == fields else type(event).model_validate(clean)
