"""Links of what stands in for a page, as the public page has them; code stays as it is."""

import pytest

from quickstarted.docs.public_links import with_public_links
from quickstarted.docs.text.html import convert

PREVIEW = "https://p.example.app/"
PUBLIC = "https://docs.example.org/en/"


def public_link(url):
    return url.replace(PREVIEW, PUBLIC, 1) if url.startswith(PREVIEW) else url


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<a href='{PREVIEW}a#b'>x</a>", f"[x]({PUBLIC}a#b)"),
        (f"<base href='{PREVIEW}d/'><a href=e>x</a>", f"[x]({PUBLIC}d/e)"),
        ("<a href='https://other.example/'>x</a>", "[x](https://other.example/)"),
        ("<a href=a>x</a>", f"[x]({PUBLIC}a)"),
        ("<a href='#a'>x</a>", "[x](#a)"),
        (f"<a href='#a'>{PREVIEW}a</a>", f"[{PREVIEW}a](#a)"),
        (f"<code>curl {PREVIEW}a</code>", f"`curl {PREVIEW}a`"),
        (
            f"<pre>&lt;a href='{PREVIEW}a'>\ncurl {PREVIEW}</pre>",
            f"```\n<a href='{PREVIEW}a'>\ncurl {PREVIEW}\n```",
        ),
    ],
)
def test_the_links_of_a_page_are_public(html, expected):
    assert expected == convert(html, PUBLIC, public_link).text


def test_a_refresh_leads_to_the_public_page():
    html = f"<meta http-equiv=refresh content='3; URL={PREVIEW}new'>"

    assert (3, f"{PUBLIC}new") == (
        (stub := convert(html, PUBLIC, public_link).stub) and stub.delay_s,
        stub.target,
    )


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        (f"[x]({PREVIEW}a) y", f"[x]({PUBLIC}a) y"),
        (f'[x]({PREVIEW}a "t")', f'[x]({PUBLIC}a "t")'),
        (f"![x](<{PREVIEW}a>)", f"![x](<{PUBLIC}a>)"),
        (f"<{PREVIEW}a>", f"<{PUBLIC}a>"),
        (f"[x]: {PREVIEW}a", f"[x]: {PUBLIC}a"),
        (f"`[x]({PREVIEW}a)`", f"`[x]({PREVIEW}a)`"),
        (f"``a ` <{PREVIEW}>``", f"``a ` <{PREVIEW}>``"),
        (f"```md\n[x]({PREVIEW}a)\n```\n<{PREVIEW}>", f"```md\n[x]({PREVIEW}a)\n```\n<{PUBLIC}>"),
        (f"~~~\n[x]({PREVIEW}a)", f"~~~\n[x]({PREVIEW}a)"),
        ("[x](https://other.example/)", "[x](https://other.example/)"),
    ],
)
def test_the_links_of_markdown_are_public_outside_of_code(markdown, expected):
    assert expected == with_public_links(markdown, public_link)
