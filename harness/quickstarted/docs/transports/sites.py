"""
Reads the pages below a URL prefix from what stands in for them (`docs.sites`).

So that documentation is tested before it is published: the agent sees the public URLs, the record
names the file or the URL of the preview. A local build is read as a web server would give it
(`quickstarted.docs.sites`), a preview deployment over the network (`previews`).
"""

from __future__ import annotations

from pathlib import Path

import httpx

from quickstarted.docs import urls
from quickstarted.docs.document import PUBLIC_LINK
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.docs.model import Site
from quickstarted.docs.sites.folder import MAX_REDIRECTS_BYTES, REDIRECTS, Folder, read_file
from quickstarted.docs.sites.prefixes import Prefix, raw_query
from quickstarted.docs.sites.redirects import (
    REDIRECTING,
    REWRITING,
    Match,
    Redirects,
    parse_redirects,
)
from quickstarted.docs.sites.types import type_of
from quickstarted.docs.transports.answers import LOCAL_FILE
from quickstarted.docs.transports.previews import Preview


class Sites(httpx.BaseTransport):
    """
    Answers for what is below a prefix, and passes everything else on.

    Args:
        inner: The next layer.
        sites: The longest prefix wins.
        max_bytes: Largest file.
        previews: What asks previews; by default *inner*.

    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        sites: tuple[Site, ...],
        max_bytes: int,
        previews: httpx.BaseTransport | None = None,
    ) -> None:
        self._inner = inner
        made = [_source(site, max_bytes, previews or inner) for site in sites]
        self._sites = sorted(made, key=lambda site: len(site.prefix), reverse=True)

    def is_site(self, url: httpx.URL) -> bool:
        """Whether *url* is below a prefix."""
        return any(site.prefix.rest_of(url) is not None for site in self._sites)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer from the site with the longest prefix that matches."""
        for site in self._sites:
            rest = site.prefix.rest_of(request.url)
            if rest is not None:
                response = site.answer(request, rest)
                response.extensions[PUBLIC_LINK] = site.public_link
                return response
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()


def _source(site: Site, max_bytes: int, previews: httpx.BaseTransport) -> LocalBuild | Preview:
    prefix = Prefix(site.prefix)
    if site.folder is not None:
        return LocalBuild(prefix, site.folder, max_bytes, named=site.named)
    return Preview(prefix, site.url or "", previews)


class LocalBuild:
    """A folder with the files of a site, or with the sources of its pages."""

    def __init__(
        self, prefix: Prefix, folder: Path, max_bytes: int, *, named: Path | None = None
    ) -> None:
        self.prefix = prefix
        self._folder = folder
        self._named = named or folder
        self._max_bytes = max_bytes
        self._redirects: tuple[object, Redirects] = (None, Redirects())

    def answer(self, request: httpx.Request, rest: str) -> httpx.Response:
        """Give the page at *rest*, or where it is now, or that it is not there."""
        folder = Folder(self._folder)
        file = folder.page(rest)
        query = raw_query(request.url)
        paths = [rest or "/", *([self.prefix.path + rest] if self.prefix.path else [])]
        match = self._rules(folder).match(self.prefix.host, paths, query.removeprefix("?"))
        is_folder = file is None and folder.is_folder(rest)
        is_there = file is not None or is_folder
        if match is not None and (match.rule.forced or not is_there):
            return self._redirected(folder, match, rest)
        if file is not None:
            return self._file(file, 200)
        if is_folder:
            return _moved(301, self.prefix.url_of(f"{rest}/{query}"))
        return self._missing(folder, rest, self._hint(folder, paths, query))

    def public_link(self, url: str) -> str:
        """
        Put the prefix before a link that has only the path within the build.

        A site that is built for the top of a host has links without the prefix's path; one is meant
        so where the build has its page.
        """
        bare, mark, fragment = url.partition("#")
        try:
            parsed = urls.parse(bare)
        except (FetchRefused, FetchFailed):
            return url
        if not self.prefix.is_same_host(parsed) or self.prefix.rest_of(parsed) is not None:
            return url
        path, _, query = parsed.raw_path.decode("ascii").partition("?")
        folder = Folder(self._folder)
        if folder.page(path) is None and not folder.is_folder(path):
            return url
        return self.prefix.url_of(path + (f"?{query}" if query else "")) + mark + fragment

    def _redirected(self, folder: Folder, match: Match, rest: str) -> httpx.Response:
        status = match.rule.status
        target = self._target(match.target)
        if status in REDIRECTING:
            return _moved(status, target)
        below = self.prefix.rest_of(urls.parse(target))
        if below is None:
            # A proxied page would be read without its host's rules: it is asked for by itself.
            return _moved(302, target)
        file = folder.page(below)
        return self._missing(folder, rest) if file is None else self._file(file, _shown(status))

    def _target(self, target: str) -> str:
        """The public URL of a rule's target; rules may be written with or without the prefix."""
        if not target.startswith("/") or target.startswith("//"):
            return urls.absolute(self.prefix.url_of("/"), target)
        if f"{target}/".startswith(f"{self.prefix.path}/"):
            return self.prefix.url_of(target[len(self.prefix.path) :])
        return self.prefix.url_of(target)

    def _rules(self, folder: Folder) -> Redirects:
        """Read again whenever the file is another one."""
        file = folder.settings(REDIRECTS)
        if file is None:
            return Redirects()
        try:
            stat = file.stat()
            version = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
            if version != self._redirects[0]:
                text = read_file(file, MAX_REDIRECTS_BYTES).decode("utf-8-sig", "replace")
                self._redirects = version, parse_redirects(text)
        except OSError:
            return Redirects()
        except FetchFailed as exc:
            words = f"{file} is larger than {MAX_REDIRECTS_BYTES:,} bytes, and is not read."
            raise FetchFailed(words) from exc
        return self._redirects[1]

    def _file(self, file: Path, status: int) -> httpx.Response:
        try:
            body = read_file(file, self._max_bytes)
        except FileNotFoundError:
            return _answer(404, "The file of this page has just gone away.")
        except OSError as exc:
            return _answer(403, f"The file of this page cannot be read: {exc.strerror}.")
        headers = {"content-type": type_of(file.name)}
        return httpx.Response(
            status,
            headers=headers,
            content=body,
            extensions={"source": self._name_of(file), LOCAL_FILE: True},
        )

    def _name_of(self, file: Path) -> str:
        """What records call *file*: where it is in the folder that was named."""
        is_below = file.is_relative_to(self._folder)
        return str(self._named / file.relative_to(self._folder) if is_below else file)

    def _missing(self, folder: Folder, rest: str, hint: str = "") -> httpx.Response:
        page = folder.missing_page(rest)
        if page is not None and not hint:
            return self._file(page, 404)
        return _answer(404, f"The local build of this site has no such page.{hint}")

    def _hint(self, folder: Folder, paths: list[str], query: str) -> str:
        rules = self._rules(folder)
        left_out = rules.left_out(self.prefix.host, paths, query.removeprefix("?"))
        if left_out is None:
            return ""
        return (
            f" Line {left_out.line} of {REDIRECTS} is for it, and is left out: it asks for"
            f" {left_out.conditions}, which depends on the visitor."
        )


def _shown(status: int) -> int:
    return 200 if status == REWRITING else status


def _moved(status: int, location: str) -> httpx.Response:
    return httpx.Response(status, headers={"location": location})


def _answer(status: int, words: str) -> httpx.Response:
    return httpx.Response(status, headers={"content-type": "text/plain"}, content=words.encode())
