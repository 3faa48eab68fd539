"""
The converters that are compared, each set up for what counts here: code, links, tables.

All get the whole page. Some of them leave navigation out by rules of their own (trafilatura,
html-to-markdown), some do not.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable
from dataclasses import dataclass

try:
    import bs4
    import html2text
    import html_to_markdown
    import justhtml
    import markdownify
    import trafilatura
except ImportError as exc:
    raise SystemExit(f"{exc}; install them: pip install --group bench") from exc

import quickstarted
from quickstarted.docs.text.html import convert

# The XHTML of some sets is served as HTML.
warnings.filterwarnings("ignore", category=bs4.XMLParsedAsHTMLWarning)

URL = "https://docs.example.org/guide/page.html"


@dataclass(frozen=True)
class Converter:
    """One way from HTML to Markdown."""

    name: str
    run: Callable[[str], str]
    core: str
    """What does the work: the language, and what parses."""
    is_python: bool = True
    """Whether what walks the tree is Python."""

    @property
    def version(self) -> str:
        if self is OURS:
            return quickstarted.__version__
        return importlib.metadata.version(self.name)


def _ours(html: str) -> str:
    return convert(html, URL).text


def _html_to_markdown(html: str) -> str:
    options = html_to_markdown.ConversionOptions(
        code_block_style="backticks",
        extract_metadata=False,
        base_url=URL,
        preprocessing=html_to_markdown.PreprocessingOptions(enabled=True),
    )
    return html_to_markdown.convert(html, options).content or ""


def _markdownify(html: str) -> str:
    return markdownify.markdownify(
        html,
        heading_style=markdownify.ATX,
        code_language_callback=_language,
        strip_pre=None,
        bs4_options={"features": "lxml"},
    )


def _language(element: object) -> str:
    names = element.get("class") or []  # type: ignore[attr-defined]
    return next((name[9:] for name in names if name.startswith("language-")), "")


def _html2text(html: str) -> str:
    converter = html2text.HTML2Text(baseurl=URL, bodywidth=0)
    converter.backquote_code_style = True
    converter.unicode_snob = True
    return converter.handle(html)


def _trafilatura(html: str) -> str:
    text = trafilatura.extract(
        html,
        url=URL,
        output_format="markdown",
        include_formatting=True,
        include_links=True,
        include_tables=True,
        favor_recall=True,
    )
    return text or ""


def _justhtml(html: str) -> str:
    return justhtml.JustHTML(html, scripting_enabled=False).to_markdown()


OURS = Converter("quickstarted", _ours, "Python, lexbor")
OTHERS = (
    Converter("html-to-markdown", _html_to_markdown, "Rust", is_python=False),
    Converter("markdownify", _markdownify, "Python, Beautiful Soup, lxml"),
    Converter("html2text", _html2text, "Python, html.parser"),
    Converter("trafilatura", _trafilatura, "Python, lxml"),
    Converter("justhtml", _justhtml, "Python"),
)
