"""What type a static host gives a file."""

import pytest

from quickstarted.docs.media import unreadable
from quickstarted.docs.sites.types import UNKNOWN, type_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.html", "text/html"),
        ("a.htm", "text/html"),
        ("a.md", "text/markdown"),
        ("a.mdx", "text/markdown"),
        ("a.rst", "text/x-rst"),
        ("a.rst.txt", "text/plain"),
        ("llms.txt", "text/plain"),
        ("a.ipynb", "application/x-ipynb+json"),
        ("a.json", "application/json"),
        ("a.yml", "application/yaml"),
        ("a.ts", "text/plain"),
        ("a.py", "text/x-python"),
        ("a.png", "image/png"),
        ("a.pdf", "application/pdf"),
        ("a.txt.gz", "application/gzip"),
        ("LICENSE", UNKNOWN),
        ("http:x.html", "text/html"),
    ],
)
def test_the_name_of_a_file_tells_its_type(name, expected):
    assert expected == type_of(name)


@pytest.mark.parametrize("name", ["a.ipynb", "a.rst", "a.ts", "a.toml", "a.svelte", "LICENSE"])
def test_sources_can_be_read_as_text(name):
    assert unreadable(type_of(name)) is None
