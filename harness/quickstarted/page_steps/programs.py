"""Which program a command calls, and what kind of program that is."""

from __future__ import annotations

import re

COMMON = frozenset(
    """
    apk apt apt-get bash brew bun bunx bundle cargo cat cd chmod chown cmake composer conda cp
    createdb curl deno django-admin dnf docker docker-compose dotnet echo export flask gem gh
    git go gradle helm initdb java kubectl ln ls make mamba minikube mkdir mv mvn node npm npx
    pacman pdm php pip pip3 pipenv pipx pnpm pnpx podman poetry psql pwd pytest python python3
    rails rm ruby rustup sed service sh source sqlite3 ssh su sudo systemctl tar terraform touch
    tree unzip uv uvx virtualenv wget which yarn yum zypper .
    """.split()  # noqa: SIM905 (a table)
)
"""Programs by which a block without a language is known to be shell code."""

NEEDS_SCREEN = frozenset(
    """
    code emacs explorer gedit gitk idea joe less man more nano notepad nvim open pico start subl
    vi vim xdg-open
    """.split()  # noqa: SIM905 (a table)
)
"""Editors, viewers and pagers: they wait for a person."""

ENDS_SHELL = frozenset({"exit", "logout", "clear", "reset"})

_INTERPRETERS = re.compile(r"python[\d.]*|node|ruby|php|tsx|ts-node|bun|deno|bash|sh|java")
_OWN_FILE = re.compile(r"^\S+\.(?:py|c?js|mjs|ts|rb|php|jar|sh)$")
_RUNNING = frozenset({"exec", "run", "run-script", "start", "up"})
_RUNNERS = frozenset(
    {"bun", "cargo", "deno", "dotnet", "go", "npm", "pnpm", "poetry", "uv", "yarn"}
)

FAMILIES: dict[str, tuple[str, ...]] = {
    "python": ("pip", "uv", "poetry", "pipenv", "pdm", "pipx", "rye", "conda", "mamba"),
    "node": ("npm", "yarn", "pnpm", "bun", "deno"),
    "system": (
        "apt-get",
        "apt",
        "apk",
        "dnf",
        "yum",
        "zypper",
        "pacman",
        "snap",
        "brew",
        "port",
        "winget",
        "choco",
        "scoop",
    ),
}
"""Package managers of one kind, the one that is taken first where a page shows several."""

_COMPANIONS = {"pip3": "pip", "npx": "npm", "pnpx": "pnpm", "bunx": "bun", "uvx": "uv"}
_TAKES = frozenset({"add", "create", "dlx", "get", "i", "init", "install", "new"})

OTHER_SYSTEM = frozenset({"brew", "port", "winget", "choco", "scoop"})
"""Package managers that no sandbox has: those of macOS and Windows."""

_SUDO = re.compile(r"^sudo(?:\s+-\S+)*\s+")
_FIRST_WORDS = re.compile(r"\S+")


def program_of(command: str) -> str:
    """The program that *command* begins with, `python -m pip` being `pip`; empty for none."""
    words = _FIRST_WORDS.findall(_SUDO.sub("", command.strip()))
    while words and re.fullmatch(r"\w+=\S*", words[0]):
        words.pop(0)
    if not words:
        return ""
    first: str = words[0]
    program = first if first.startswith("./") else first.rpartition("/")[2] or first
    if re.fullmatch(r"python[\d.]*|py", program) and words[1:2] == ["-m"] and len(words) > 2:
        module: str = words[2]
        return module if module in {"pip", "pipx", "uv"} else program
    return program


def manager_of(command: str) -> tuple[str, int] | None:
    """Family and place in it of the package manager that *command* calls."""
    program = program_of(command)
    program = _COMPANIONS.get(program, program)
    return next(
        (
            (family, members.index(program))
            for family, members in FAMILIES.items()
            if program in members
        ),
        None,
    )


def managers_named(label: str) -> list[tuple[str, int]]:
    """All package managers that the words of a label name."""
    words = {word.lower() for word in re.findall(r"[\w-]+", label)}
    return [
        (family, at)
        for family, members in FAMILIES.items()
        for at, name in enumerate(members)
        if name in words
    ]


def installs(command: str) -> bool:
    """Whether *command* asks a package manager to install or to make something."""
    return manager_of(command) is not None and bool(_TAKES & set(command.split()))


def runs_own_code(command: str) -> bool:
    """Whether *command* runs what the reader has written, which may turn out to serve."""
    program = program_of(command)
    words = command.split()[1:]
    if program in _RUNNERS and _RUNNING & set(words[:1]):
        return True
    if program.startswith("./") or program in {"make", "mvn"}:
        return True
    operand = next((word for word in words if not word.startswith("-")), "")
    return bool(
        _INTERPRETERS.fullmatch(program) and _OWN_FILE.match(operand)
    ) and not operand.endswith("manage.py")
