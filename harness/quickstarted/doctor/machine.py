"""Ask this machine: what is installed, and what its variables say of the way out."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from quickstarted import __version__
from quickstarted.doctor.facts import MachineFacts
from quickstarted.errors import UsageError
from quickstarted.sandbox.lanes.networks import configured_range
from quickstarted.sandbox.lanes.packages import configured_packages
from quickstarted.sandbox.lanes.upstream import (
    CA_VARIABLES,
    upstream_of_host,
    without_credentials,
)

PROXY_VARIABLES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY")
FILE_VARIABLES = (
    *CA_VARIABLES,
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
)
PLAIN_VARIABLES = ("NO_PROXY", "no_proxy")
DESKTOP_APP = Path("/Applications/Docker.app")
DEFAULT_SOCKET = Path("/var/run/docker.sock")
SYSTEMD = Path("/run/systemd/system")
"""There exactly where systemd is the first process (sd_booted(3))."""


def gather_machine(environ: Mapping[str, str]) -> MachineFacts:
    """What is known of this machine."""
    desktop = DESKTOP_APP.exists()
    problem, hint = _upstream_problem(environ, desktop=desktop)
    names = [*PROXY_VARIABLES, *FILE_VARIABLES]
    return MachineFacts(
        system=platform.system().lower(),
        has_systemd=SYSTEMD.is_dir(),
        has_apt=shutil.which("apt-get") is not None,
        has_engine=desktop or any(map(shutil.which, ("dockerd", "colima"))),
        has_default_socket=DEFAULT_SOCKET.exists(),
        python=".".join(map(str, sys.version_info[:3])),
        harness=__version__,
        variables={
            name: _shown(name, environ[name])
            for name in [*names, *PLAIN_VARIABLES]
            if environ.get(name)
        },
        missing_files={
            name: environ[name]
            for name in FILE_VARIABLES
            if environ.get(name) and not _is_there(environ[name])
        },
        upstream_problem=problem,
        upstream_hint=hint,
        upstream_variable=next((name for name in names if problem.startswith(name)), ""),
        range_problem=_problem(configured_range, environ),
        packages_problem=_problem(configured_packages, environ),
    )


def _is_there(value: str) -> bool:
    """Each part: a variable for folders may name several."""
    return all(Path(part).exists() for part in value.split(os.pathsep) if part)


def _shown(name: str, value: str) -> str:
    if name not in PROXY_VARIABLES:
        return value
    try:
        return without_credentials(urlsplit(value if "://" in value else f"http://{value}"))
    except ValueError:
        return "(not an address)"


def _upstream_problem(environ: Mapping[str, str], *, desktop: bool) -> tuple[str, str]:
    try:
        upstream_of_host(environ, host_alias=desktop)
    except UsageError as problem:
        return problem.message, problem.hint
    return "", ""


def _problem(read: Callable[[Mapping[str, str]], object], environ: Mapping[str, str]) -> str:
    """Why a variable cannot be read; empty where it can."""
    try:
        read(environ)
    except UsageError as problem:
        return problem.message
    return ""
