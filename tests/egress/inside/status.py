"""What `urllib` gets for the URL of the command line, redirects followed, in a few words."""

from __future__ import annotations

import socket
import sys
import urllib.error
import urllib.request


def follow(url: str) -> str:
    """Status, and the reason of a refusal."""
    try:
        with urllib.request.urlopen(url, timeout=8) as answer:
            return str(answer.status)
    except urllib.error.HTTPError as error:
        headers = error.headers
        reason = headers["X-Quickstarted-Detail"] or headers["X-Quickstarted-Reason"]
        return f"{error.code} {reason}" if reason else str(error.code)
    except urllib.error.URLError as error:
        unknown = isinstance(error.reason, socket.gaierror)
        return "no such name" if unknown else str(error.reason)


if __name__ == "__main__":
    print(follow(sys.argv[1]))
