"""The page's own text, apart from the notes that the client adds."""

import pytest

from quickstarted.docs import DocsClient, DocsRules, Page, Site

PAGE = "<main><h1>Start</h1><p>One two three.</p><h2 id='b'>B</h2><p>Four five six.</p></main>"
TEXT = "# Start\n\nOne two three.\n\n## B\n\nFour five six."


@pytest.fixture(name="read")
def _read(tmp_path):
    """`read(url, max_chars)`: all parts of the page."""
    (tmp_path / "index.html").write_text(PAGE)
    sites = (Site(prefix="https://docs.example/", folder=tmp_path),)

    def parts(url, max_chars):
        found: list[Page] = []
        with DocsClient(DocsRules(allow_hosts=(), sites=sites, max_chars=max_chars)) as client:
            while not found or len(found) < found[-1].pages:
                page = client.read(url, page=len(found) + 1).outcome
                assert isinstance(page, Page)
                found.append(page)
        return found

    return parts


@pytest.mark.parametrize("max_chars", [20, 1000])
@pytest.mark.parametrize("fragment", ["", "#b", "#gone"])
def test_the_parts_put_together_are_the_page(read, fragment, max_chars):
    parts = read(f"https://docs.example/{fragment}", max_chars)

    assert TEXT == "".join(page.own_text for page in parts).rstrip("\n")


@pytest.mark.parametrize(("fragment", "start"), [("", None), ("#b", TEXT.index("## B"))])
def test_the_place_of_a_section_counts_over_all_parts(read, fragment, start):
    places = {page.section_start for page in read(f"https://docs.example/{fragment}", 20)}

    assert {start} == places


def test_a_section_that_is_not_there_has_no_place(read):
    assert read("https://docs.example/#gone", 1000)[0].section_start is None
