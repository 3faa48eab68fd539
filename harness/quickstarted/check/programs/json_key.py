"""
`--json` of `qs_wait_http`: BODY_FILE KEY WANTED.

Runs on its own in the sandbox's Python, 3.6 or newer. Exit code 1 and why when it does not hold.
"""

# ruff: noqa: INP001 (a program of its own)

import json
import sys
from typing import Any

MISSING = object()


def refuse(text: str) -> None:
    """NaN and Infinity are not JSON."""
    raise ValueError(text)


def parse(text: str) -> Any:
    """The value; MISSING when the text is not JSON."""
    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return MISSING


def find(value: Any, key: str) -> Any:
    """Follow the dotted KEY."""
    for part in key.split("."):
        if isinstance(value, dict):
            value = value.get(part, MISSING)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def judge(body_file: str, key: str, wanted_text: str) -> str:
    """What is wrong; empty when nothing is."""
    with open(body_file, "rb") as file:  # noqa: PTH123 (as short as the rest)
        body = parse(file.read().decode("utf-8-sig", "replace"))
    if body is MISSING:
        return "body is not JSON"
    value = find(body, key)
    if value is MISSING:
        return "body has no " + key
    wanted = parse(wanted_text)
    if same(value, wanted_text if wanted is MISSING else wanted):
        return ""
    shown = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return key + " is " + shown + ", wanted " + wanted_text


wrong = judge(*sys.argv[1:])
if wrong:
    sys.stdout.buffer.write((wrong + "\n").encode("utf-8", "replace"))
    sys.exit(1)
