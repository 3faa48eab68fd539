"""Commands that never end by themselves, and commands that leave something running."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from quickstarted.task.findings.shell import Call

_ALWAYS: frozenset[str] = frozenset()

_SERVES: Mapping[str, frozenset[str]] = {
    "airflow": frozenset({"api-server", "scheduler", "standalone", "webserver"}),
    "astro": frozenset({"dev", "preview"}),
    "caddy": frozenset({"file-server", "run"}),
    "celery": frozenset({"beat", "worker"}),
    "dagster": frozenset({"dev"}),
    "daphne": _ALWAYS,
    "django-admin": frozenset({"runserver"}),
    "docusaurus": frozenset({"serve", "start"}),
    "etcd": _ALWAYS,
    "fastapi": frozenset({"dev", "run"}),
    "flask": frozenset({"run"}),
    "gatsby": frozenset({"develop", "serve"}),
    "gunicorn": _ALWAYS,
    "http-server": _ALWAYS,
    "hugo": frozenset({"serve", "server"}),
    "hypercorn": _ALWAYS,
    "jekyll": frozenset({"serve"}),
    "json-server": _ALWAYS,
    "jupyter": frozenset({"lab", "notebook", "server"}),
    "jupyter-lab": _ALWAYS,
    "jupyter-notebook": _ALWAYS,
    "live-server": _ALWAYS,
    "mariadbd": _ALWAYS,
    "memcached": _ALWAYS,
    "minio": frozenset({"server"}),
    "mkdocs": frozenset({"serve"}),
    "mlflow": frozenset({"server", "ui"}),
    "mongod": _ALWAYS,
    "mysqld": _ALWAYS,
    "mysqld_safe": _ALWAYS,
    "next": frozenset({"dev", "start"}),
    "ng": frozenset({"serve"}),
    "nodemon": _ALWAYS,
    "nuxi": frozenset({"dev", "preview"}),
    "nuxt": frozenset({"dev", "preview"}),
    "ollama": frozenset({"serve"}),
    "postgres": _ALWAYS,
    "rails": frozenset({"s", "server"}),
    "redis-server": _ALWAYS,
    "reflex": frozenset({"run"}),
    "runserver": _ALWAYS,
    "serve": _ALWAYS,
    "sphinx-autobuild": _ALWAYS,
    "storybook": frozenset({"dev"}),
    "streamlit": frozenset({"run"}),
    "tensorboard": _ALWAYS,
    "uvicorn": _ALWAYS,
    "valkey-server": _ALWAYS,
    "vitepress": frozenset({"dev", "preview"}),
    "vuepress": frozenset({"dev"}),
    "waitress-serve": _ALWAYS,
    "watch": _ALWAYS,
    "webpack": frozenset({"serve", "watch"}),
    "webpack-dev-server": _ALWAYS,
    "wrangler": frozenset({"dev"}),
}
"""Program to the subcommands that serve or watch; `_ALWAYS` where the program itself does."""

_WATCHERS = frozenset(
    {
        "bun",
        "deno",
        "esbuild",
        "jest",
        "node",
        "rollup",
        "sass",
        "tailwindcss",
        "tsc",
        "tsx",
        "webpack",
    }
)
_WATCH_OPTIONS = frozenset({"--watch", "--watch-all", "--watchAll", "--hot"})
_SCRIPTS = frozenset({"dev", "develop", "preview", "serve", "start", "watch"})
_PACKAGE_MANAGERS = frozenset({"bun", "npm", "pnpm", "yarn"})
_RUNNERS: Mapping[str, frozenset[str]] = {
    "bunx": _ALWAYS,
    "hatch": frozenset({"run"}),
    "npx": _ALWAYS,
    "pdm": frozenset({"run"}),
    "pipenv": frozenset({"run"}),
    "pnpm": frozenset({"dlx", "exec"}),
    "npm": frozenset({"exec"}),
    "yarn": frozenset({"dlx", "exec"}),
    "poetry": frozenset({"run"}),
    "rye": frozenset({"run"}),
    "uv": frozenset({"run"}),
    "uvx": _ALWAYS,
    "bundle": frozenset({"exec"}),
}
"""Programs that run another one: `uv run flask run` is `flask run`."""
_RUNNER_VALUES = frozenset(
    {"--with", "--from", "--python", "-p", "--package", "--extra", "--group"}
)

_ENDS = frozenset(
    {"--help", "--version", "--check-config", "--print-config", "-V", "-h", "-t", "-v", "--check"}
)
_CONTROLS = frozenset(
    {
        "apache2ctl",
        "apachectl",
        "caddy",
        "pg_ctl",
        "pg_ctlcluster",
        "pm2",
        "rc-service",
        "service",
        "supervisorctl",
        "systemctl",
    }
)
_DAEMON_OPTIONS = {"gunicorn": "--daemon", "memcached": "-d", "mongod": "--fork"}
_PYTHON_FLAG = re.compile("-[bBdEiIOPsSuvx]+")
_STOPPERS = frozenset({"kill", "killall", "pkill", "wait"})


def never_ends(call: Call) -> bool:
    """Whether *call* serves or watches until somebody stops it."""
    if "timeout" in call.wrappers or call.background:
        return False
    program, args = _innermost(call.program, call.args)
    if _ENDS & set(args) or starts_daemon(call):
        return False
    operands = [arg for arg in args if not arg.startswith("-")]
    if program in _PACKAGE_MANAGERS:
        return _runs_script(operands)
    if program in _WATCHERS and _watches(program, args):
        return True
    if program in _SERVES:
        serving = _SERVES[program]
        return serving == _ALWAYS or bool(serving & set(operands))
    return _special(program, args, operands)


def starts_daemon(call: Call) -> bool:
    """Whether *call* returns and leaves a process of its own making."""
    if call.background:
        return True
    program, args = _innermost(call.program, call.args)
    if program in _CONTROLS or call.words[0].startswith("/etc/init.d/"):
        return bool({"start", "restart"} & set(args))
    if program == "nginx":
        return not any("daemon off" in arg or arg in {"-t", "-v", "-V", "-s", "-h"} for arg in args)
    if program in {"redis-server", "valkey-server"}:
        return "--daemonize" in args and "no" not in args
    return program in _DAEMON_OPTIONS and _DAEMON_OPTIONS[program] in args


def stops_something(call: Call) -> bool:
    """Whether *call* ends what an earlier command has left running."""
    return call.program in _STOPPERS or bool({"stop", "shutdown"} & set(call.args))


def _innermost(program: str, args: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Follow `uv run`, `npx`, `python -m`, `python manage.py` to what runs in the end."""
    rest = tuple(args)
    for _ in range(4):
        if program.startswith("python"):
            rest = _after_flags(rest)
        if program.startswith("python") and rest[:1] == ("-m",) and len(rest) > 1:
            program, rest = rest[1], rest[2:]
        elif program.startswith("python") and rest[:1] and rest[0].endswith("manage.py"):
            program, rest = "django-admin", rest[1:]
        elif program == "manage.py":
            program = "django-admin"
        elif inner := _run_by(program, rest):
            program, rest = inner
        else:
            break
    return program, rest


def _after_flags(args: Sequence[str]) -> tuple[str, ...]:
    """What follows Python's own options that take no value, as in `python -u -m`."""
    at = next((at for at, arg in enumerate(args) if not _PYTHON_FLAG.fullmatch(arg)), len(args))
    return tuple(args[at:])


def _run_by(program: str, args: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    if program not in _RUNNERS:
        return None
    rest = list(args)
    subcommands = _RUNNERS[program]
    if subcommands != _ALWAYS:
        if not rest or rest[0] not in subcommands:
            return None
        rest.pop(0)
    while rest and rest[0].startswith("-"):
        if rest.pop(0) in _RUNNER_VALUES and rest:
            rest.pop(0)
    if not rest:
        return None
    return rest[0].rpartition("/")[2].partition("@")[0] or rest[0], tuple(rest[1:])


def _runs_script(operands: list[str]) -> bool:
    """`npm start`, `npm run dev`, `yarn dev`."""
    if operands[:1] in (["run"], ["run-script"]):
        operands = operands[1:]
    return bool(operands) and operands[0].partition(":")[0] in _SCRIPTS


def _watches(program: str, args: Sequence[str]) -> bool:
    return bool(_WATCH_OPTIONS & set(args)) or (program == "tsc" and "-w" in args)


def _special(program: str, args: Sequence[str], operands: list[str]) -> bool:
    """Programs whose options say whether they end."""
    serves = {
        "cargo": operands[:1] == ["watch"],
        "http.server": True,
        "nginx": any("daemon off" in arg for arg in args),
        "php": "-S" in args or operands[:2] == ["artisan", "serve"],
        "sleep": "infinity" in args,
        "tail": bool({"-f", "-F", "--follow"} & set(args)),
        "vite": not operands or operands[0] in {"dev", "serve", "preview"},
    }
    return serves.get(program, False)
