"""Which answers can be read as text."""

import pytest

from quickstarted.docs.media import is_notebook, sniff, unreadable


@pytest.mark.parametrize(
    "kind",
    ["", "text/html", "text/plain", "text/markdown", "text/x-rst", "application/json",
     "application/vnd.api+json", "application/xhtml+xml", "application/xml", "application/yaml",
     "application/octet-stream", "text/troff", "text/mdx", "application/x-ipynb+json"],
)  # fmt: skip
def test_types_of_text_can_be_read(kind):
    assert unreadable(kind) is None


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("application/pdf", "a PDF document"),
        ("image/png", "an image (image/png)"),
        ("image/svg+xml", "an image (image/svg+xml)"),
        ("video/mp4", "a video (video/mp4)"),
        ("audio/mpeg", "an audio (audio/mpeg)"),
        ("application/zip", "a file of type application/zip"),
    ],
)
def test_other_types_are_named(kind, words):
    assert words == unreadable(kind)


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("text/html", b"<p>a", "html"),
        ("text/plain", b"<p>a", "text"),
        ("", b"  <!DOCTYPE html><p>a", "html"),
        ("", b"plain", "text"),
        ("application/octet-stream", b"%PDF-1.7", "a PDF document"),
        ("text/plain", b"\x89PNG\r\n", "an image"),
        ("text/plain", b"a\x00b", "a binary file"),
        ("text/plain", b"\xff\xfea\x00", "text"),
        ("text/html", b"PK\x03\x04", "a ZIP archive"),
        ("text/html", b"\x00\x01\x02", "a binary file"),
        ("text/html", "<p>a".encode("utf-16-be"), "html"),
        ("application/octet-stream", b"BZh91AY", "a bzip2 archive"),
        ("", b"\xfd7zXZ\x00", "an xz archive"),
    ],
)
def test_the_first_bytes_decide_where_the_type_does_not(kind, body, expected):
    assert expected == sniff(kind, body)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://docs.example/a.ipynb", True),
        ("https://docs.example/A.IPYNB?raw=1#x", True),
        ("https://docs.example/a\x01\x7f.ipynb", True),
        ("https://[/a.ipynb", True),
        ("https://docs.example/a?b=c.ipynb", False),
        ("https://docs.example/a#b.ipynb", False),
    ],
)
def test_a_notebook_is_told_by_its_name_whatever_else_the_url_has(url, expected):
    assert expected == is_notebook("text/plain", url)
