"""Environment directories that a check relies on, and whether anything of the task makes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from quickstarted.task.findings.shell import Call, calls, condition_of, parse, text_of, walk

_ENV_NAMES = frozenset({".venv", "venv", "env", ".env", "virtualenv"})
_IN_ENV = re.compile(
    r"""(?<![\w.$~/{}-])            # the path starts here, and is relative or below the workspace
        (?:/workspace/|\./)?
        (?:[\w.-]+/)*?
        (?P<name>[\w.-]+)/(?:bin|Scripts)/(?P<file>[\w.-]+)""",
    re.VERBOSE,
)
_NODE_MODULES = re.compile(r"(?<![\w.$~{}-])(?:/workspace/|\./)?(?:[\w.-]+/)*?node_modules/")
_ENV_FILES = re.compile(r"activate(\.\w+)?|python[\d.]*|pip[\d.]*")
_PROJECT_TOOLS = frozenset({"uv", "poetry", "pdm", "pipenv", "hatch", "rye"})
_NODE_TOOLS = frozenset({"npm", "pnpm", "yarn", "bun", "npx"})


def needed(script: str) -> list[str]:
    """Names of the environment directories that *script* uses without a way around them."""
    root = parse(script)
    code = _code(root)
    names = [
        match["name"]
        for match in _IN_ENV.finditer(code)
        if match["name"] in _ENV_NAMES or _ENV_FILES.fullmatch(match["file"])
    ]
    if _NODE_MODULES.search(code):
        names.append("node_modules")
    optional = _tried(root)
    made = calls(script)
    return [
        name
        for name in dict.fromkeys(names)
        if not any(_mentions(text, name) for text in optional) and not _makes(made, name)
    ]


def made_by(commands: Iterable[str], name: str) -> bool:
    """Whether one of *commands* names or makes the directory."""
    texts = list(commands)
    if any(_mentions(text, name) for text in texts):
        return True
    return _makes([call for text in texts for call in calls(text)], name)


def mentioned(text: str, name: str) -> bool:
    """Whether *text* (a goal) names the directory."""
    return _mentions(text, name)


def _makes(made: Sequence[Call], name: str) -> bool:
    for call in made:
        makes_venv = call.program == "virtualenv" or "venv" in call.args
        if makes_venv and any(_mentions(arg, name) for arg in call.args):
            return True
        if name == ".venv" and call.program in _PROJECT_TOOLS:
            return True
        if name == "node_modules" and call.program in _NODE_TOOLS:
            return True
    return False


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def _code(root: Node) -> str:
    """The script without comments, heredocs and what it prints."""
    return "\n".join(text_of(node) for node in walk(root) if _is_code(node))


def _is_code(node: Node) -> bool:
    is_command = node.type == "command" and not _only_prints(node)
    return is_command or node.type == "variable_assignment"


def _only_prints(node: Node) -> bool:
    name = node.child_by_field_name("name")
    return name is not None and text_of(name) in {"echo", "printf", "qs_fail"}


def _tried(root: Node) -> list[str]:
    """Conditions of `if` and lists of `for`: the script has another way where they fail."""
    texts: list[str] = []
    for node in walk(root):
        if node.type in {"if_statement", "elif_clause"}:
            texts.extend(text_of(part) for part in condition_of(node))
        elif node.type == "for_statement":
            texts.extend(text_of(child) for child in node.children_by_field_name("value"))
    return texts
