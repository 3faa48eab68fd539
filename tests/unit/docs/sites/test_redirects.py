"""`_redirects` files: which rule is taken, and where it leads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.docs.sites.redirects import MAX_LINE_CHARS, MAX_RULES, parse_redirects

HOST = "docs.example.org"


def taken(text, path, query=""):
    """Status and target of the rule that is taken; None where none is."""
    match = parse_redirects(text).match(HOST, [path], query)
    return (match.rule.status, match.target) if match else None


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ("/old /new", "/old", (301, "/new")),
        ("/old /new", "/old/", (301, "/new")),
        ("/old/ /new", "/old", (301, "/new")),
        ("/old /new", "/older", None),
        ("/old /new", "/old/x", None),
        ("/old /new", "/OLD", None),
        ("/old /new 302", "/old", (302, "/new")),
        ("/old /new 303", "/old", (303, "/new")),
        ("/old /new 307", "/old", (307, "/new")),
        ("/old /new 308", "/old", (308, "/new")),
        ("/old /new 404", "/old", (404, "/new")),
        ("/old /new 410", "/old", (410, "/new")),
        ("/* /index.html 200", "/any/where", (200, "/index.html")),
        ("/* /index.html 200", "/", (200, "/index.html")),
        ("/old\t/new\t301", "/old", (301, "/new")),
        ("/old https://other.example/new", "/old", (301, "https://other.example/new")),
        ("https://docs.example.org/old /new", "/old", (301, "/new")),
        ("https://blog.example.org/old /new", "/old", None),
        ("/news/* /blog/:splat", "/news/2024/a", (301, "/blog/2024/a")),
        ("/news/* /blog/:splat", "/news", (301, "/blog/")),
        ("/news/* /blog/:splat", "/newsletter", None),
        ("/file-*.zip /files/:splat", "/file-3.zip", (301, "/files/3")),
        ("/:year/:slug /posts/:slug-:year", "/2024/a-b", (301, "/posts/a-b-2024")),
        ("/:year/:slug /posts/:slug", "/2024", None),
        ("/:a/:a /x/:a", "/1/2", None),
        ("/v/:x/* /w/:splat?v=:x", "/v/1/a/b", (301, "/w/a/b?v=1")),
        ("/a%20b /c", "/a b", (301, "/c")),
        ("/a /b:c", "/a", (301, "/b:c")),
        ("/x/* /y/:splat", "/x/a%20%3Cb", (301, "/y/a%20%3Cb")),
        ("/old /new # since v2", "/old", (301, "/new")),
        ("# /old /new", "/old", None),
        ("/gone 410", "/gone", (410, "/gone")),
        ("/old", "/old", None),
        ("/old /new 200 Country=de", "/old", None),
        ("/old /new 302 Role=admin,editor", "/old", None),
        ("/old /new Language=en", "/old", None),
        ("/old /new 500", "/old", None),
        ("/old /new 302 words after it", "/old", None),
        ("/a/*/b/* /c", "/a/1/b/2", None),
        ("old /new", "old", None),
        ("http://[bad /new", "/", None),
    ],
)
def test_a_line_is_taken_for_the_paths_that_it_names(line, path, expected):
    assert expected == taken(line, path)


@pytest.mark.parametrize(
    ("line", "query", "expected"),
    [
        ("/old /new", "a=1&b=2", (301, "/new?a=1&b=2")),
        ("/old /new#top", "a=1", (301, "/new?a=1#top")),
        ("/old /new?x=y", "a=1", (301, "/new?x=y")),
        ("/old id=:id /shop/:id", "id=7", (301, "/shop/7")),
        ("/old id=:id /shop/:id", "", None),
        ("/old id=7 /shop", "id=7", (301, "/shop")),
        ("/old id=7 /shop", "id=8", None),
        ("/old id=:id tag=:tag /s/:tag/:id 302", "tag=a&id=7", (302, "/s/a/7")),
        ("/old id=:id /shop/:id", "id=../x%3Cy", (301, "/shop/../x%3Cy")),
    ],
)
def test_parameters_of_the_query_choose_the_rule_or_travel_on(line, query, expected):
    assert expected == taken(line, "/old", query)


def test_the_first_line_that_fits_is_taken():
    text = "/a/b /first\n/a/* /second\n/* /third"

    assert [(301, "/first"), (301, "/second"), (301, "/third")] == [
        taken(text, path) for path in ("/a/b", "/a/c", "/d")
    ]


@pytest.mark.parametrize(("line", "forced"), [("/a /b 301!", True), ("/a /b 301", False)])
def test_an_exclamation_mark_forces_a_rule(line, forced):
    assert [forced] == [rule.forced for rule in parse_redirects(line).rules]


def test_a_rule_that_asks_for_a_visitor_can_be_told():
    rule = parse_redirects("\n/a /b 302 Country=de Language=de").left_out(HOST, ["/a"], "")

    assert (2, "Country=de Language=de") == (rule.line, rule.conditions)


def test_lines_that_are_no_rules_are_counted():
    redirects = parse_redirects(f"/a /b\nnonsense\n\n# note\n/c {'x' * MAX_LINE_CHARS}\n/d /e 999")

    assert ((2, 5, 6), 1) == (redirects.unread, len(redirects.rules))


def test_a_file_of_very_many_rules_is_read_up_to_a_limit():
    redirects = parse_redirects("/a /b\n" * (MAX_RULES + 3))

    assert (MAX_RULES, 3) == (len(redirects.rules), len(redirects.unread))


@given(st.text(), st.text())
def test_no_file_and_no_path_makes_it_raise(text, path):
    parse_redirects(f"/* /:splat\n{text}").match(HOST, [f"/{path}"], path)
    parse_redirects(text).left_out(HOST, [path], "")


@given(st.lists(st.sampled_from(["/", "*", ":a", ":splat", "a", " ", "=", "!", "301", "#"])))
def test_no_line_of_its_signs_makes_it_raise(parts):
    parse_redirects("/" + "".join(parts)).match(HOST, ["/a/a"], "a=a")
