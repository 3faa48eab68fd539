"""Sections that fragments name: on pages, and in text as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.docs.text.fragments import anchors_of_text, named_by, place_of
from quickstarted.docs.text.html import Converted

ANCHORS = {"install": 1, "Install": 2, "user-content-usage": 3, "größe": 4, "a b": 5, "FAQ": 6}


@pytest.mark.parametrize(
    ("fragment", "place"),
    [
        ("install", 1),
        ("Install", 2),
        ("usage", 3),
        ("gr%C3%B6%C3%9Fe", 4),
        ("größe", 4),
        ("a%20b", 5),
        ("faq", 6),
        ("INSTALL", 1),
        ("Usage", 3),
        ("%zz", None),
        ("installs", None),
    ],
)
def test_a_section_has_its_very_name_before_one_in_other_case(fragment, place):
    assert place == place_of(ANCHORS, fragment)


@pytest.mark.parametrize(
    ("fragment", "name"),
    [
        ("install", "install"),
        ("install:~:text=pip", "install"),
        (":~:text=pip%20install", ""),
        ("top", ""),
        ("TOP", ""),
        ("", ""),
        ("topic", "topic"),
    ],
)
def test_the_top_and_what_is_for_browsers_alone_name_no_section(fragment, name):
    assert name == named_by(fragment)


MARKDOWN = """\
# Start here

## Install `pip` & more

```sh
# not a title
## Install
```

Install
-------

## [Next steps](next.md) ##

### Usage {#how-to}
<a name="old-usage"></a>
## Install
#no-title
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("start-here", 1),
        ("install-pip--more", 3),
        ("install", 10),
        ("next-steps", 13),
        ("how-to", 15),
        ("usage", 15),
        ("old-usage", 16),
        ("install-1", 17),
        ("not-a-title", None),
        ("no-title", None),
    ],
)
def test_sections_of_markdown_have_the_names_that_their_readers_give_them(name, line):
    place = anchors_of_text(MARKDOWN).get(name)

    assert line == (None if place is None else MARKDOWN[:place].count("\n") + 1)


RST = """\
=====
Title
=====

.. _quick start:
.. _`Other_Label`:

First steps
===========

.. code-block:: sh

   pip install x
   -------------

Text.

-----
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [("title", 2), ("quick-start", 5), ("other-label", 6), ("first-steps", 8), ("text", None)],
)
def test_sections_of_restructured_text_are_found_by_title_and_label(name, line):
    place = anchors_of_text(RST).get(name)

    assert line == (None if place is None else RST[:place].count("\n") + 1)


def test_text_of_a_page_is_not_read_as_source():
    page = Converted(text="# A\n\n# B", title="", anchors={"b": 5})

    assert (5, None) == (page.place_of("b"), page.place_of("a"))
    assert 0 == Converted(text="# A\n\n# B", title="", is_source=True).place_of("a")


@given(st.text("#ab =-`~\n\t_.:<id='>{}[]()é\r", max_size=60))
def test_every_place_is_the_start_of_a_line(text):
    starts = {0} | {place for place in range(1, len(text) + 1) if text[place - 1] in "\n\r"}

    assert set(anchors_of_text(text).values()) <= starts


def test_a_line_that_is_no_title_for_its_length_takes_no_time():
    assert {"a": 200_003} == anchors_of_text(f"# {' ' * 200_000}\n# a")
