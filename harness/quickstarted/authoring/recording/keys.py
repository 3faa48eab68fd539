"""
Keys and passwords that a person has typed into a recording: told, because task files are published.

Documented examples have made-up ones, which nothing tells from real ones: so nothing is taken out.
"""

from __future__ import annotations

import re

_KNOWN = re.compile(
    r"\b(sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{20,}|pypi-[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]+)"
)
"""What services begin their keys with."""
_NAME = r"[\w-]*(?:password|passwd|passphrase|secret|token|api_?key|access_?key|auth)[\w-]*"
_LITERAL = r"""['"]?(?![$<{'"\s]|\.\.\.)[^\s'"]{4,}"""
"""A value that is spelled out, and no variable or placeholder."""
_OPTION = re.compile(rf"(?<!\S)--?{_NAME}[=\s]\s*{_LITERAL}", re.IGNORECASE)
_SETTING = re.compile(rf"(?<![\w$-]){_NAME}={_LITERAL}", re.IGNORECASE)
_HEADER = re.compile(
    rf"\bauthorization:\s*(?:basic|bearer|digest|token)\s+{_LITERAL}", re.IGNORECASE
)
_IN_URL = re.compile(r"://[^\s/:@]+:(?![$])[^\s/@]{3,}@")


def has_key(command: str) -> bool:
    """Whether *command* spells out what looks like a key, a token or a password."""
    return any(one.search(command) for one in (_KNOWN, _OPTION, _SETTING, _HEADER, _IN_URL))
