"""
YAML for people to read, made by the YAML library so that no text from outside can break it.

PyYAML writes YAML 1.1; what the task reader (YAML 1.2, core schema) would take for something other
than text is quoted here, and so is what has characters that do not show themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from quickstarted.authoring.plain import is_plain
from quickstarted.task.yaml_reader import resolve

WIDTH = 100


class _Dumper(yaml.SafeDumper):
    """Lists indented below their key; texts of several lines as they are."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent lists too."""
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out."""
        del data
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if not is_plain(text) or not isinstance(resolve(text), str):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def dumped(values: Mapping[str, Any]) -> str:
    """*values* as a block of YAML that ends in a line break."""
    text: str = yaml.dump(
        dict(values),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=WIDTH,
    )
    return text


def commented(lines: Iterable[str]) -> str:
    """Each line as a comment; *lines* must have neither line breaks nor control characters."""
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def commented_out(values: Mapping[str, Any]) -> str:
    """*values* as YAML that takes effect once `# ` is removed from its lines."""
    return commented(dumped(values).splitlines())
