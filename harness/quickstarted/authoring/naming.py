"""From the URL of a page to the name of a task, and what is said about URLs that cannot be used."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote, urlsplit

from quickstarted.errors import UsageError
from quickstarted.task.hosts import page_url
from quickstarted_proxy.policy import is_ip_literal

LONGEST_URL = 2000
"""Characters; servers and proxies refuse longer ones."""
LONGEST_NAME = 60
_SHOWN = 60

_HOST_NOISE = frozenset({"www", "docs", "doc", "documentation", "readthedocs", "github", "gitlab"})
_PATH_NOISE = frozenset(
    {"docs", "doc", "documentation", "en", "en-us", "index", "latest", "main", "master", "stable"}
)
_VERSION = re.compile(r"v?\d+([._]\d+)*([._]x)?")
_SUFFIX = re.compile(r"\.(html?|md|php|rst|txt)$")
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})


def usable_url(text: str) -> str:
    """
    Normalise the URL of a page, as a task file has it.

    Raises:
        UsageError: It is not one that a task can name; the message says what to write instead.

    """
    if not text.strip():
        raise UsageError("the URL is empty", hint="Name the page: https://HOST/PATH")
    shown = _shown(text)
    if len(text) > LONGEST_URL:
        raise UsageError(f"{shown} has {len(text)} characters; a URL has at most {LONGEST_URL}")
    scheme, colon, _ = text.partition(":")
    if scheme.lower() == "file" and colon:
        raise UsageError(
            f"{shown} is a file: a task names the URL where readers find the page",
            hint="Give that URL, and the folder with --docs-site PREFIX=DIR.",
        )
    if "://" not in text:
        raise UsageError(
            f"{shown} has no scheme",
            hint=f"Write https://{shown.lstrip('/')}, if that is where the page is.",
        )
    try:
        url = page_url(text)
    except ValueError as exc:
        raise UsageError(f"{shown}: {exc}") from exc
    host = urlsplit(url).hostname or ""
    if is_ip_literal(host) or host == "localhost":
        raise UsageError(
            f"{shown}: {host} is this machine or an address, and readers are given a name",
            hint="Give the URL where the page is or will be published, and the folder that is"
            " served there now with --docs-site PREFIX=DIR.",
        )
    return url


def _shown(text: str) -> str:
    """The URL as messages have it: not too long, and without what may be a password."""
    masked = re.sub(r"(?<=//)[^/?#]*@", "...@", text)
    return masked if len(masked) <= _SHOWN else f"{masked[:_SHOWN]}..."


def name_for(url: str) -> str:
    """
    A task's name made from host and path of a normalised URL.

    Parts that say nothing (`www`, `docs`, `latest`, versions, the top-level domain) are left out
    where something is left.
    """
    parts = urlsplit(url)
    words = [_slug(word) for word in (*_host_words(parts.hostname or ""), *_path_words(parts.path))]
    name = "-".join(dict.fromkeys(word for word in words if word))
    return name[:LONGEST_NAME].strip("-.") or "task"


def _host_words(host: str) -> list[str]:
    labels = host.split(".")
    if len(labels) > 1:
        labels.pop()
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels.pop()
    telling = [label for label in labels if label not in _HOST_NOISE]
    return telling or labels[-1:]


def _path_words(path: str) -> list[str]:
    segments = [_SUFFIX.sub("", unquote(segment).lower()) for segment in path.split("/") if segment]
    return [
        segment
        for segment in segments
        if segment not in _PATH_NOISE and not _VERSION.fullmatch(segment)
    ]


def _slug(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
