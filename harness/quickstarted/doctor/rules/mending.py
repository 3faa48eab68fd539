"""Commands that mend an engine, as they are typed on this kind of machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from quickstarted.doctor.facts import MachineFacts
from quickstarted.sandbox.survey import Where

UNSET_HOST = "unset DOCKER_HOST"
PASTE = "Run the command, paste the value and press Enter; it is not shown."
UPDATE_BY_SCRIPT = "curl -fsSL https://get.docker.com | sudo sh"
"""Docker's own installer; updates too (https://docs.docker.com/engine/install/)."""


def ask_for(*variables: str) -> str:
    """Wait for each value to be pasted: so it is neither shown nor in the shell's history."""
    asked = " && ".join(f"read -rs {name}" for name in variables)
    return f"{asked} && export {' '.join(variables)}"


def start(machine: MachineFacts) -> str:
    """Start the engine, or install one."""
    if machine.system == "darwin":
        return "open -a Docker" if machine.has_engine else "brew install --cask docker"
    if not machine.has_engine:
        return install(machine)
    if machine.has_systemd:
        return "sudo systemctl start docker"
    return "sudo service docker start"


def restart(machine: MachineFacts, where: Where) -> str:
    """Restart the engine, where it runs."""
    remote = remote_host(where)
    if remote:
        return f"ssh {remote} sudo systemctl restart docker"
    if machine.system != "linux":
        return "docker desktop restart"
    command = "systemctl restart docker" if machine.has_systemd else "service docker restart"
    return f"sudo {command}"


def install(machine: MachineFacts) -> str:
    """Install or update the engine."""
    if machine.system != "linux":
        return "brew install --cask docker"
    if machine.has_apt:
        return "sudo apt-get install --yes docker.io"
    return UPDATE_BY_SCRIPT


def remote_host(where: Where) -> str:
    """The machine that the engine runs on; empty where it is this one."""
    try:
        host = urlsplit(where.address).hostname or ""
    except ValueError:
        return ""
    is_remote = where.address.startswith(("tcp://", "http://", "https://", "ssh://"))
    return host if is_remote and host not in {"localhost", "127.0.0.1", "::1"} else ""
