"""The URL that a server prints when it has started."""

from __future__ import annotations

import re

from quickstarted.authoring.plain import printed_lines

_LOCAL_URL = re.compile(
    r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::(\d{1,5}))?(/[\w./~-]*)?"
)


def local_url(output: str) -> str:
    """The first URL on this machine that *output* names, as the check would ask it."""
    for line in printed_lines(output):
        if match := _LOCAL_URL.search(line):
            port = f":{match[1]}" if match[1] else ""
            return f"http://127.0.0.1{port}{match[2] or '/'}"
    return ""
