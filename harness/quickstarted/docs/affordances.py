"""
Which URLs and headers are affordances: ways to documentation that are made for agents.

An affordance is known by its URL alone, or by what a request accepts, so that withholding it needs
no request and does not depend on what a server says. The forms are those of llmstxt.org (version 2:
`page.md`, `page.html.md`, `llms.txt` below any path), of Mintlify, GitBook, Vite and the plugins of
Docusaurus, VitePress, Starlight and MkDocs, which write the same, of Quarto (`page.llms.md`), and
of Railway's and Ubuntu's sites (`?format=md`). A page's source in another markup (Sphinx's
`_sources/page.rst.txt`) is for people who write, and no affordance.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

import httpx

from quickstarted.docs import urls
from quickstarted.registries import CODE_HOSTS

AGENT_ACCEPT = "text/markdown, text/html, */*"
"""As Claude Code sends it; Cursor and OpenCode name text/markdown first too."""
BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
"""As browsers send it: no server gives them Markdown in the place of a page."""

MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
_INDEX = re.compile(r"llms?([-_.][\w.-]+)?\.txt")
_INDEX_FOLDER = re.compile(r"[_.]?llms?(-txt)?")
_MARKDOWN = re.compile(r"\.(md|mdx|markdown)(\.txt)?$")
_MARKDOWN_WORDS = frozenset({"md", "mdx", "markdown", "text/markdown"})
_FORMAT_KEYS = frozenset({"", "accept", "as", "format", "output", "type", "view"})

_MOST_CODINGS = 3
_NAME_END = re.compile(r"[;?#\0]")
_IGNORED_AT_END = "." + "".join(map(chr, range(0x21)))

_CODE_VIEW = re.compile(r"/-/blob/|/src/(branch|commit|tag)/")
"""GitLab's and Forgejo's pages of a file, on any host: HTML, though the file's name ends in .md."""


def is_affordance(url: httpx.URL) -> bool:
    """Whether *url* is an index for agents or the Markdown variant of a page."""
    return is_index(url) or is_markdown_variant(url)


def is_index(url: httpx.URL) -> bool:
    """llms.txt, llms-full.txt and their kin (`llms-small.txt`, `_llms-txt/api.txt`), anywhere."""
    *folders, name = _segments(url)
    if _INDEX.fullmatch(name):
        return True
    return name.endswith(".txt") and any(_INDEX_FOLDER.fullmatch(folder) for folder in folders)


def is_markdown_variant(url: httpx.URL) -> bool:
    """`page.md`, `page.html.md`, `page/index.md`, `page?format=md`; not a file on a code host."""
    if _is_file_view(url):
        return False
    if _MARKDOWN.search(_segments(url)[-1]):
        return True
    query = url.query.decode("ascii", "replace").replace(";", "&")
    for key, value in parse_qsl(query, keep_blank_values=True):
        words = (value.lower(), key.lower())
        if words[0] in _MARKDOWN_WORDS and words[1] in _FORMAT_KEYS:
            return True
        if not value and words[1] in _MARKDOWN_WORDS:
            return True
    return False


def _segments(url: httpx.URL) -> list[str]:
    """
    Of the path, decoded and in lower case, without what some servers leave out of a file's name.

    That is a slash at the end, parameters (RFC 3986, 3.3), spaces and dots at the end of a name,
    all behind a NUL, and codings of codings.
    """
    text = url.raw_path.decode("ascii", "replace").partition("?")[0]
    for _ in range(_MOST_CODINGS):
        text = unquote(text)
    names = (_NAME_END.split(name, maxsplit=1)[0] for name in text.lower().split("/"))
    return [name.rstrip(_IGNORED_AT_END) for name in names if name.strip(_IGNORED_AT_END)] or [""]


def _is_file_view(url: httpx.URL) -> bool:
    path = url.path
    if "/raw/" in path:
        return False
    host = urls.host_of(url)
    on_code_host = any(host == name or host.endswith("." + name) for name in CODE_HOSTS)
    return on_code_host or _CODE_VIEW.search(path) is not None
