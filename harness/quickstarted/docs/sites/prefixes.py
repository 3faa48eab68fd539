"""The public URLs for which a site stands in: which they are, and where each is on the site."""

from __future__ import annotations

import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.errors import UsageError


class Prefix:
    """
    Compared by host, port and whole path segments; http and https on default ports are one.

    Args:
        prefix: An absolute http or https URL, with or without a slash at its end.

    Raises:
        UsageError: It is not one.

    """

    def __init__(self, prefix: str) -> None:
        try:
            url = urls.parse(prefix)
        except (FetchRefused, FetchFailed) as exc:
            raise UsageError(
                f'The prefix of a documentation site is not usable: "{prefix}". {exc}',
                hint="Give the public URL below which its pages are, e.g. https://host/en/stable/.",
            ) from exc
        self.host = urls.host_of(url)
        self.path = raw_path(url).rstrip("/")
        """Raw, without a slash at its end; empty for a whole host."""
        self._place = _place(url)
        self._start = str(url.copy_with(raw_path=b"/", fragment=None)).rstrip("/")

    def __len__(self) -> int:
        return len(self.path)

    def is_same_host(self, url: httpx.URL) -> bool:
        """Whether *url* is on the prefix's host and port."""
        return _place(url) == self._place

    def rest_of(self, url: httpx.URL) -> str | None:
        """The raw path below the prefix, with its leading slash; empty for the bare prefix."""
        path = raw_path(url)
        if not self.is_same_host(url) or not (path + "/").startswith(self.path + "/"):
            return None
        return path[len(self.path) :]

    def url_of(self, rest: str) -> str:
        """The URL of *rest*: a raw path below the prefix, with query or fragment if it has any."""
        return f"{self._start}{self.path}{rest}"


def raw_path(url: httpx.URL) -> str:
    """The path as it stands in the URL, without a query."""
    return url.raw_path.decode("ascii").partition("?")[0]


def raw_query(url: httpx.URL) -> str:
    """The query with its question mark; empty where there is none."""
    _, mark, query = url.raw_path.decode("ascii").partition("?")
    return mark + query


def moved(url: str, source: Prefix, target: Prefix) -> str | None:
    """*url*, below *source*, as it is below *target*; None where it is not below *source*."""
    bare, mark, fragment = url.partition("#")
    try:
        parsed = urls.parse(bare)
    except (FetchRefused, FetchFailed):
        return None
    rest = source.rest_of(parsed)
    if rest is None:
        return None
    return target.url_of(rest + raw_query(parsed)) + mark + fragment


def _place(url: httpx.URL) -> tuple[str, int | None]:
    scheme, host, port = urls.origin_of(url)
    return host, None if port == urls.DEFAULT_PORTS.get(scheme) else port
