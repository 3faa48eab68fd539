"""
Where the key of a model's service comes from.

A key is taken from the caller's environment, given to the vendor's client, and to nothing else: it
is in no sandbox, on no command line and in no record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quickstarted.errors import ModelRejected

KEY_VARIABLES = {
    "anthropic": ("QUICKSTARTED_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
    "openai": ("QUICKSTARTED_OPENAI_API_KEY", "OPENAI_API_KEY"),
    "gemini": ("QUICKSTARTED_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""Vendor to the variables that may hold its key; the first that is set counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key, and the name of the variable that it was in."""

    variable: str
    value: str = field(repr=False)

    def scrubbed(self, text: str) -> str:
        """*text* without the key."""
        return text.replace(self.value, f"[{self.variable}]")


def api_key(vendor: str, environ: Mapping[str, str]) -> ApiKey:
    """
    Find the key of *vendor*, one of `KEY_VARIABLES`.

    Raises:
        ModelRejected: There is none, or it cannot be sent in a header.

    """
    return key_in(KEY_VARIABLES[vendor], environ)


def key_in(names: Sequence[str], environ: Mapping[str, str]) -> ApiKey:
    """
    The key in the first variable of *names* that holds something.

    Space around it is not part of it: keys come out of files, and files end in a newline.

    Raises:
        ModelRejected: There is none, or it cannot be sent in a header.

    """
    for name in names:
        value = environ.get(name, "").strip()
        if not value:
            continue
        if not (value.isascii() and value.isprintable() and " " not in value):
            raise ModelRejected(
                f"{name} holds something that is not a key: there are spaces or other characters"
                " in it that no key has",
                hint=f"Set {name} again, to the key alone.",
            )
        return ApiKey(variable=name, value=value)
    raise ModelRejected(
        f"no key: neither {' nor '.join(names)} is set",
        hint=f"export {names[0]}=... (it stays on this machine and never enters the sandbox).",
    )
