"""What a command here has of the caller's environment: a short list, and never a key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from quickstarted.sandbox.lanes.trust import BUNDLE_VARIABLES

LANGUAGE = ("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
AUTHORITIES = (*BUNDLE_VARIABLES, "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "UV_SYSTEM_CERTS")
"""Of a network that inspects TLS."""
PASSED = ("PATH", *LANGUAGE, *PROXIES, *(name.lower() for name in PROXIES), *AUTHORITIES)


def clean_environment(caller: Mapping[str, str], task: Mapping[str, str]) -> dict[str, str]:
    """
    Variables of every command, but for HOME and its like, which are the attempt's own.

    Args:
        caller: The harness's environment.
        task: The task's `env`, which wins.

    """
    passed = {name: caller[name] for name in PASSED if caller.get(name)}
    return {"PATH": os.defpath, **passed, **task}


def find_program(name: str, path: str) -> str:
    """The absolute path of a program on *path* or in the system's own places; empty for none."""
    for folder in [*path.split(os.pathsep), "/bin", "/usr/bin"]:
        program = Path(folder) / name
        if program.is_absolute() and program.is_file() and os.access(program, os.X_OK):
            return str(program)
    return ""
