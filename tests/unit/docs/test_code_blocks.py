"""Code blocks out of Markdown and reStructuredText, with what stands round them."""

import pytest

from quickstarted.docs.code_blocks import code_blocks, inline_code, section_of


def test_a_block_knows_its_words_its_section_and_its_line():
    (block,) = code_blocks(
        "# Start\n\n## Install\n\nRun:\n\n```sh\nmake\n```\n\nThen go on.\n\nAnd on.\n\n## Next\n"
    )

    assert "make" == block.text
    assert "sh" == block.language
    assert "Run:" == block.lead
    assert "Then go on.\nAnd on." == block.follow
    assert ("Start", "Install") == block.section
    assert 8 == block.line


@pytest.mark.parametrize(
    ("info", "language", "rest"),
    [
        ("js", "js", ""),
        ("Python", "python", ""),
        ('js title="src/app.js"', "js", 'title="src/app.js"'),
        ("js:src/app.js", "js", "js:src/app.js"),
        ("{.bash .numbered}", "bash", "{.bash .numbered}"),
        ("js{1,3}", "js", "js{1,3}"),
        ("c++", "c++", ""),
        ("", "", ""),
    ],
)
def test_the_fence_says_language_and_more(info, language, rest):
    (block,) = code_blocks(f"```{info}\nx\n```\n")

    assert (language, rest) == (block.language, block.info)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("~~~\na\n~~~", "a"),
        ("````\n```\n````", "```"),
        ("- item\n\n  ```\n  a\n    b\n  ```", "a\n  b"),
        ("> ```\n> a\n> ```", "a"),
        ("text\n\n    indented\n      more", "indented\n  more"),
        ("```\n\na\n\n```", "\na\n"),
        ("```\nnever closed", "never closed"),
        ("```\n```", ""),
    ],
)
def test_the_text_is_verbatim(page, text):
    assert [text] == [block.text for block in code_blocks(page)]


def test_a_tab_holds_until_the_text_goes_on():
    page = (
        "Create `a.py`:\n\n**Tab: A**\n\n```\n1\n```\n\n**Tab: B**\n\nFirst:\n\n```\n2\n```\n\n"
        "Then\n\n```\n3\n```\n"
    )

    found = [(block.tab, block.lead) for block in code_blocks(page)]

    assert [("A", "Create `a.py`:"), ("B", "First:"), ("", "Then")] == found


def test_marks_without_a_word_are_no_lead():
    (block,) = code_blocks("Run it:\n\n/\n\n**Tab: **\n\n```\na\n```\n")

    assert "Run it:" == block.lead


def test_blocks_of_a_note_are_beside_the_text():
    page = "> Note\n>\n> Say:\n\n```\na\n```\n\n```\nb\n```\n\n> more\n\nText\n\n```\nc\n```\n"

    assert [True, True, False] == [block.is_aside for block in code_blocks(page)]


RST = """\
Start
=====

Install
-------

Run this::

    $ pip install x

.. code-block:: python
   :caption: app.py
   :linenos:

   import x

       x.run()

.. prompt:: bash $

   x serve

Said:

.. code-block:: console

   $ ls
"""


def test_restructuredtext_is_read_by_its_directives():
    found = [(block.language, block.info, block.text) for block in code_blocks(RST)]

    assert [
        ("", "", "$ pip install x"),
        ("python", 'title="app.py"', "import x\n\n    x.run()"),
        ("console", "", "$ x serve"),
        ("console", "", "$ ls"),
    ] == found


def test_sections_of_restructuredtext_are_known():
    blocks = code_blocks(RST)

    assert ("Start", "Install") == blocks[0].section
    assert "Run this:" == blocks[0].lead


def test_a_section_ends_where_one_of_its_rank_begins():
    page = "# T\n\n## A\n\na\n\n### A1\n\na1\n\n## B\n\nb\n"

    assert "## A\n\na\n\n### A1\n\na1\n\n" == section_of(page, page.index("## A"))
    assert "### A1\n\na1\n\n" == section_of(page, page.index("### A1"))
    assert "## B\n\nb\n" == section_of(page, page.index("## B"))
    assert "b\n" == section_of(page, page.index("b\n"))


def test_a_comment_in_code_ends_no_section():
    page = "## A\n\n```sh\n# no heading\nmake\n```\n\n## B\n"

    assert "## A\n\n```sh\n# no heading\nmake\n```\n\n" == section_of(page, 0)


def test_code_within_sentences_is_found():
    assert ["pip", "make it"] == list(inline_code("Use `pip` and `make it`.\n\n```\nno\n```\n"))


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_code_far_down_in_lists_and_quotations_is_found(mark):
    (block,) = code_blocks(f"{mark * 40}```sh\n{mark * 40 if mark == '> ' else '  ' * 40}make\n")

    assert ("make", "sh") == (block.text, block.language)
