"""
Reads the pages below a URL prefix from a local folder (`docs.sites`), as a web server would.

So that documentation is tested before it is published: the agent sees the public URLs. Index
files, clean URLs and redirects to a folder's slash work as static hosts do them, and Markdown
stands in for the page that a site generator makes of it. Nothing outside the folder is served:
`..` in any coding and symbolic links that lead out are not found.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.docs.model import Site
from quickstarted.errors import UsageError

_INDEX_NAMES = ("index.html", "index.htm", "index.md", "README.md")
_CLEAN_SUFFIXES = (".html", ".htm", ".md", ".mdx")
_TYPES = mimetypes.MimeTypes()
for _suffix, _type in (
    (".adoc", "text/plain"),
    (".md", "text/markdown"),
    (".mdx", "text/markdown"),
    (".rst", "text/x-rst"),
    (".toml", "application/toml"),
    (".yaml", "application/yaml"),
    (".yml", "application/yaml"),
):
    _TYPES.add_type(_type, _suffix)


class Sites(httpx.BaseTransport):
    """Answers for what is below a prefix, and passes everything else on."""

    def __init__(self, inner: httpx.BaseTransport, sites: tuple[Site, ...], max_bytes: int) -> None:
        self._inner = inner
        self._max_bytes = max_bytes
        longest_first = sorted(sites, key=lambda site: len(site.prefix), reverse=True)
        self._sites = [(_Prefix(site.prefix), site.folder) for site in longest_first]

    def is_site(self, url: httpx.URL) -> bool:
        """Whether *url* is below a prefix."""
        return any(prefix.rest_of(url) is not None for prefix, _ in self._sites)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Serve from the folder of the longest matching prefix."""
        for prefix, folder in self._sites:
            rest = prefix.rest_of(request.url)
            if rest is not None:
                return self._serve(folder.resolve(), rest, request.url)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _serve(self, root: Path, rest: str, url: httpx.URL) -> httpx.Response:
        path = unquote(rest)
        if "\0" in path or "\\" in path:
            return _answer(404, "Not a path of this site.")
        file = next((file for file in _candidates(root, path) if _is_inside(file, root)), None)
        if file is not None:
            return self._file(file, 200)
        folder = root / path.lstrip("/")
        if not path.endswith("/") and any(_is_inside(folder / name, root) for name in _INDEX_NAMES):
            return httpx.Response(301, headers={"location": _with_slash(url)})
        if _is_inside(root / "404.html", root):
            return self._file(root / "404.html", 404)
        return _answer(404, "The local build of this site has no such page.")

    def _file(self, file: Path, status: int) -> httpx.Response:
        try:
            if file.stat().st_size > self._max_bytes:
                raise FetchFailed(f"The page is larger than {self._max_bytes:,} bytes.")
            body = file.read_bytes()
        except OSError as exc:
            return _answer(403, f"The file of this page cannot be read: {exc.strerror}.")
        kind = _TYPES.guess_type(file.name)[0] or "application/octet-stream"
        return httpx.Response(
            status, headers={"content-type": kind}, content=body, extensions={"source": str(file)}
        )


class _Prefix:
    """Compared by host, port and whole path segments; http and https on default ports are one."""

    def __init__(self, prefix: str) -> None:
        try:
            url = urls.parse(prefix)
        except (FetchRefused, FetchFailed) as exc:
            raise UsageError(
                f'The prefix of a documentation site is not usable: "{prefix}". {exc}',
                hint="Give the public URL below which its pages are, e.g. https://host/en/stable/.",
            ) from exc
        self._place = _place(url)
        self._path = _raw_path(url).rstrip("/")

    def rest_of(self, url: httpx.URL) -> str | None:
        """The raw path below the prefix, with its leading slash; empty for the bare prefix."""
        path = _raw_path(url)
        if _place(url) != self._place or not (path + "/").startswith(self._path + "/"):
            return None
        return path[len(self._path) :]


def _place(url: httpx.URL) -> tuple[str, int | None]:
    scheme, host, port = urls.origin_of(url)
    return host, None if port == urls.DEFAULT_PORTS.get(scheme) else port


def _raw_path(url: httpx.URL) -> str:
    return url.raw_path.decode("ascii").partition("?")[0]


def _candidates(root: Path, path: str) -> Iterator[Path]:
    """Files that may be meant, in the order of static hosts: the file, its clean URL, an index."""
    relative = path.strip("/")
    if not path.endswith("/"):
        names = [relative, *(f"{relative}{suffix}" for suffix in _CLEAN_SUFFIXES)]
    else:
        names = [f"{relative}/{name}" for name in _INDEX_NAMES]
        names += [f"{relative}{suffix}" for suffix in _CLEAN_SUFFIXES]
    for name in names:
        yield root / name.lstrip("/")


def _is_inside(file: Path, root: Path) -> bool:
    try:
        real = file.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return False
    return real.is_relative_to(root) and real.is_file()


def _answer(status: int, words: str) -> httpx.Response:
    return httpx.Response(status, headers={"content-type": "text/plain"}, content=words.encode())


def _with_slash(url: httpx.URL) -> str:
    path, mark, query = url.raw_path.decode("ascii").partition("?")
    return quote(f"{path}/{mark}{query}", safe="%/?&=;:@+,!$'()*~")
