"""Probing: what a site has for agents, and what only answers as if it had."""

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickstarted.docs import DocsClient, DocsRules, Site
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.probing import Finding

HOST = "docs.example.org"
SITE = f"https://{HOST}"
START = f"{SITE}/en/stable/start/"
PAGE = "<main><h1>Start</h1></main>"
INDEXES = [
    "en/stable/llms.txt", "en/stable/llms-full.txt", "en/llms.txt", "en/llms-full.txt",
    "llms.txt", "llms-full.txt",
]  # fmt: skip


def respond(body, kind="text/html", status=200, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body.encode() if isinstance(body, str) else body
    return httpx.Response(status, headers={"content-type": kind, **named}, content=content)


def found_by(answers, url=START, **changes):
    """Probes *url*, where *answers* maps paths to bodies, responses or functions of the request."""

    def answer(request):
        what = answers.get(request.url.raw_path.decode())
        if callable(what):
            return what(request)
        if isinstance(what, str):
            return respond(what, "text/html" if what.startswith("<") else "text/markdown")
        return what or respond("<h1>Not found</h1>", status=404)

    rules = DocsRules(**{"allow_hosts": (HOST,), "respect_robots": False} | changes)
    with DocsClient(rules, transport=httpx.MockTransport(answer)) as client:
        return client.probe(url)


def test_a_site_without_any_says_so_for_each():
    found = found_by({"/en/stable/start/": PAGE})

    assert [
        "page/index.md", "page.html.md", "page.md", "accept_markdown",
        "link_alternate", "link_describedby", *INDEXES,
    ] == list(found)  # fmt: skip
    assert not any(finding.present for finding in found.values())
    missing = Finding(url=f"{SITE}/llms.txt", present=False, status=404, bytes=18, note="HTTP 404")
    assert missing == found["llms.txt"]
    assert "the answer is a page of HTML" == found["accept_markdown"].note
    assert "not named" == found["link_alternate"].note


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/llms.txt", "llms.txt"),
        ("/llms-full.txt", "llms-full.txt"),
        ("/en/stable/llms.txt", "en/stable/llms.txt"),
        ("/en/stable/start.md", "page.md"),
        ("/en/stable/start/index.md", "page/index.md"),
        ("/en/stable/start/index.html.md", "page.html.md"),
    ],
)
@pytest.mark.parametrize("kind", ["text/markdown; charset=utf-8", "text/plain", ""])
def test_a_file_is_found_with_status_and_bytes(path, name, kind):
    found = found_by({"/en/stable/start/": PAGE, path: respond("# Title\n", kind)})

    assert Finding(url=f"{SITE}{path}", present=True, status=200, bytes=8) == found[name]
    assert [name] == [one for one, finding in found.items() if finding.present]


@pytest.mark.parametrize(
    ("url", "urls"),
    [
        (f"{SITE}/", ["/index.md", "/index.html.md"]),
        (f"{SITE}/start/", ["/start/index.md", "/start/index.html.md", "/start.md"]),
        (f"{SITE}/start", ["/start.md", "/start/index.md"]),
        (f"{SITE}/start.html?x=1#y", ["/start.md", "/start.html.md"]),
        (f"{SITE}/README.md", []),
    ],
)
def test_the_markdown_of_a_page_is_looked_for_by_the_form_of_its_url(url, urls):
    found = found_by({}, url)

    assert [SITE + there for there in urls] == [
        finding.url for name, finding in found.items() if name.startswith("page")
    ]


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (respond("<!doctype html><h1>Home</h1>"), "the answer is a page of HTML"),
        (respond("<!doctype html><h1>Home</h1>", ""), "the answer is a page of HTML"),
        (respond("\n<!DOCTYPE html><h1>Home</h1>", "text/plain"), "the answer is a page of HTML"),
        (respond("<html><h1>Home</h1>", "text/markdown"), "the answer is a page of HTML"),
        (respond("", "text/plain"), "the answer is empty"),
        (respond(" \n\n", "text/plain"), "the answer is empty"),
        (respond("{}", "application/json"), "the answer is application/json"),
        (respond(b"%PDF-1.7", "text/plain"), "the answer is a PDF document"),
        (respond(b"\x89PNG", "image/png"), "the answer is an image (image/png)"),
        (respond("gone", "text/plain", 410), "HTTP 410"),
        (respond("broken", "text/plain", 500), "HTTP 500"),
        (
            respond("", status=302, location="/"),
            f"the answer is a page of HTML; redirects to {SITE}/",
        ),
        (
            respond("", status=302, location="/home.txt"),
            "the answer is a page of HTML; redirects to https://docs.example.org/home.txt",
        ),
        (respond("", status=302, location="/llms.txt"), "More than 10 redirects."),
        (
            respond("", status=302, location="https://other.example/llms.txt"),
            (
                "not_allowlisted: The host other.example is not one of this task's documentation"
                " hosts (docs.example.org)."
            ),
        ),
    ],
)
def test_what_is_no_index_is_absent_and_says_why(answer, note):
    answers = {"/en/stable/start/": PAGE, "/": PAGE, "/home.txt": respond(PAGE)}

    finding = found_by(answers | {"/llms.txt": answer})["llms.txt"]

    assert (False, note) == (finding.present, finding.note)


def test_markdown_may_begin_with_html_of_its_own():
    text = respond("<!-- made by a tool -->\n<a id=top></a>\n# Index", "text/plain")

    assert found_by({"/llms.txt": text})["llms.txt"].present


def test_a_redirect_to_a_home_page_in_markdown_is_absent_too():
    answers = {"/llms.txt": respond("", status=302, location="/"), "/": "# Home"}

    finding = found_by(answers)["llms.txt"]

    assert not finding.present
    assert f"the answer is the home page; redirects to {SITE}/" == finding.note


def test_a_redirect_to_another_index_is_present_and_says_where():
    moved = respond("", status=301, location="/en/llms.txt")

    finding = found_by({"/llms.txt": moved, "/en/llms.txt": "# Index"})["llms.txt"]

    assert (True, f"redirects to {SITE}/en/llms.txt") == (finding.present, finding.note)


def by_accept(markdown, html):
    return lambda request: (
        markdown if request.headers["accept"].startswith("text/markdown") else html
    )


@pytest.mark.parametrize(
    ("markdown", "html", "present", "note"),
    [
        (respond("# Start", "text/markdown", vary="Accept-Encoding, Accept"), PAGE, True, ""),
        (respond("# Start", "text/markdown", vary="*"), PAGE, True, ""),
        (
            respond("# Start", "text/markdown"),
            PAGE,
            True,
            "no `Vary: Accept`: a cache may give it to browsers",
        ),
        (respond("Start", "text/plain"), PAGE, False, "the answer is text/plain"),
        (respond("", "text/markdown"), PAGE, False, "the answer is empty"),
        (
            respond("# Start", "text/markdown"),
            "# Start",
            False,
            "the page is Markdown for browsers too",
        ),
        (respond("no", status=406), PAGE, False, "HTTP 406"),
    ],
)
def test_negotiation_is_found_by_asking_twice(markdown, html, present, note):
    page = respond(html, "text/html" if html.startswith("<") else "text/markdown")

    finding = found_by({"/en/stable/start/": by_accept(markdown, page)})["accept_markdown"]

    assert (present, note) == (finding.present, finding.note)


LINKED = [
    '<link rel="alternate" type="text/markdown" href="../start.md">',
    '<link rel="Alternate nofollow" type="text/markdown; charset=utf-8" href=/en/stable/start.md>',
    (
        '<link rel=alternate type=application/rss+xml href=/feed><link rel="alternate"'
        ' type="text/markdown" href="https://docs.example.org/en/stable/start.md#top">'
    ),
]
HEADERS = [
    '</en/stable/start.md>; rel="alternate"; type="text/markdown"',
    (
        '</feed>; rel="alternate"; type="application/rss+xml",'
        ' </en/stable/start.md>; type="text/markdown"; rel="alternate", </x>; rel=next'
    ),
    "<../start.md>;rel=alternate;type=text/markdown",
]


@pytest.mark.parametrize(
    "page",
    [*(PAGE + link for link in LINKED), *(respond(PAGE, link=header) for header in HEADERS)],
)
def test_the_markdown_that_a_page_names_is_looked_at(page):
    found = found_by({"/en/stable/start/": page, "/en/stable/start.md": "# Start"})

    expected = Finding(url=f"{SITE}/en/stable/start.md", present=True, status=200, bytes=7)
    assert expected == found["link_alternate"]


def test_a_page_that_names_what_is_not_there_has_none():
    page = PAGE + '<link rel="alternate" type="text/markdown" href="/gone.md">'

    finding = found_by({"/en/stable/start/": page})["link_alternate"]

    assert (f"{SITE}/gone.md", False, "HTTP 404") == (finding.url, finding.present, finding.note)


def test_the_index_that_a_page_names_is_looked_at():
    page = (
        PAGE
        + '<link rel="describedby" href="/schema.json"><link rel="describedby" href="/x/llms.txt">'
    )

    finding = found_by({"/en/stable/start/": page, "/x/llms.txt": "# Index"})["link_describedby"]

    assert (f"{SITE}/x/llms.txt", True) == (finding.url, finding.present)


def test_links_that_are_no_urls_are_passed_over():
    page = PAGE + "".join(
        f'<link rel="alternate" type="text/markdown" href="{href}">'
        for href in ("http://[", "mailto:a@b", "javascript:x", "/en/stable/start.md")
    )

    found = found_by({"/en/stable/start/": page, "/en/stable/start.md": "# Start"})

    assert found["link_alternate"].present


def test_a_site_that_cannot_be_reached_fails_nothing():
    def refuse(request):
        raise FetchFailed(f"{request.url.host} refused the connection.", same_for_host=True)

    rules = DocsRules(allow_hosts=(HOST,), respect_robots=False)
    with DocsClient(rules, transport=httpx.MockTransport(refuse)) as client:
        found = client.probe(START)

    assert f"{HOST} refused the connection." == found["llms.txt"].note
    assert not any(finding.present for finding in found.values())


def test_what_robots_forbid_is_absent_for_that_reason():
    robots = respond("User-agent: *\nDisallow: /llms.txt", "text/plain")

    found = found_by({"/robots.txt": robots, "/llms.txt": "# Index"}, respect_robots=True)

    assert not found["llms.txt"].present
    assert found["llms.txt"].note.startswith("robots_disallowed: ")


def test_a_local_build_is_looked_at_where_affordances_are_withheld(tmp_path):
    (tmp_path / "start.html").write_text(PAGE)
    (tmp_path / "llms.txt").write_text("# Index")
    site = Site(prefix=f"{SITE}/en/", folder=tmp_path)

    found = found_by({}, f"{SITE}/en/start", sites=(site,), serve_affordances=False)

    assert found["en/llms.txt"].present
    assert ["en/llms.txt"] == [name for name, finding in found.items() if finding.present]


SCRAPS = st.lists(
    st.sampled_from(
        ["<link ", "rel=alternate ", "rel=describedby ", "type=text/markdown ", "href=", "http://[",
         "//", "/llms.txt", ">", "<", '"', ";", ",", "x", "\x00", "<base href=", "<!--"]
    ),
    max_size=20,
).map("".join)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(SCRAPS, st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40), SCRAPS)
def test_nothing_that_a_site_says_makes_it_raise(page, header, scrap):
    link = (header + scrap).replace("\x00", "")

    found = found_by({"/en/stable/start/": respond(page, link=link), "/llms.txt": scrap})

    assert all(isinstance(finding, Finding) for finding in found.values())
