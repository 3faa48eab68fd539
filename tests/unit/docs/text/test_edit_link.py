"""The link by which a page says where its source is edited."""

import pytest

from quickstarted.docs.text.html import convert

PAGE = "https://docs.example/guide/start/"
GITHUB = "https://github.com/o/n"


def found(links):
    return convert(
        f"<html><body><nav>{links}</nav><main><h1>T</h1><p>text</p></main></body></html>", PAGE
    ).edit_url


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (f'<a href="{GITHUB}/edit/main/docs/a.md">Edit this page</a>', "edit/main/docs/a.md"),
        (f'<a href="{GITHUB}/edit/main/docs/a.md">Bearbeiten</a>', "edit/main/docs/a.md"),
        (f'<a href="{GITHUB}/blob/main/docs/a.rst">Edit on GitHub</a>', "blob/main/docs/a.rst"),
        (
            f'<a title="View page source" href="{GITHUB}/blob/v1/docs/a.rst"></a>',
            "blob/v1/docs/a.rst",
        ),
        (f'<a href="{GITHUB}/blob/main/examples/app.py">the example</a>', None),
        (f'<a href="{GITHUB}">Edit</a>', None),
        ('<a href="/edit/profile">Edit</a>', None),
        ('<a href="javascript:x/edit/a/b">Edit</a>', None),
        ("<a>Edit</a>", None),
        (f'<a href="{GITHUB}/edit/main/{"x" * 3000}">Edit</a>', None),
        (
            (
                f'<a href="{GITHUB}/edit/main/other.md">x</a>'
                f'<a rel="edit" href="{GITHUB}/edit/main/docs/a.md">x</a>'
            ),
            "edit/main/docs/a.md",
        ),
        (
            (
                f'<a href="{GITHUB}/blob/main/a.md">view source</a>'
                f'<a href="{GITHUB}/edit/main/docs/a.md">x</a>'
            ),
            "edit/main/docs/a.md",
        ),
    ],
)
def test_the_edit_link_is_found_by_what_it_is_marked_as_and_where_it_leads(links, expected):
    assert (f"{GITHUB}/{expected}" if expected else None) == found(links)


def test_an_edit_link_relative_to_the_page_is_resolved():
    assert "https://docs.example/o/n/-/edit/main/a.md" == found(
        '<a href="/o/n/-/edit/main/a.md">Edit</a>'
    )
