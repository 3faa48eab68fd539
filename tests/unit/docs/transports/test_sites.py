"""Local builds of documentation in place of the published pages."""

import os
import shutil

import httpx
import pytest

from quickstarted.docs import DocsClient, DocsRules, Failed, Redirected, Site

PREFIX = "https://docs.example.org/en/stable/"
COOKIE = "it may want a cookie, and none are kept."


def offline(request):
    return httpx.Response(200, headers={"content-type": "text/plain"}, text=f"net {request.url}")


@pytest.fixture(name="build")
def _build(tmp_path):
    build = tmp_path / "build"
    for name, body in {
        "index.html": "<h1>Home</h1><a href='guide/'>Guide</a>",
        "start.html": "<h1>Start</h1>",
        "guide/index.html": "<h1>Guide</h1><a href='next'>Next</a>",
        "guide/next.html": "<h1>Next</h1>",
        "both.html": "<h1>Both, page</h1>",
        "both/index.html": "<h1>Both, folder</h1>",
        "a b.html": "<h1>Space</h1>",
        "old.html": "<meta http-equiv=refresh content='0; url=start.html'>",
        "away.html": "<meta http-equiv=refresh content='0; url=https://other.example.org/x'>",
        "page.md": "# Markdown\n",
        "made.md": "# Made, source\n",
        "made.html": "<h1>Made, page</h1>",
        "source/README.md": "# Source\n",
        "source/part.mdx": "# Part\n",
        "data.json": "{}\n",
        "logo.png": "\x89PNG",
        "_static/x.unknown": "text",
        ".env": "secret=1",
        ".git/config": "secret",
        ".well-known/about.txt": "about",
        "guide/.hidden.html": "secret",
        "_headers": "secret",
        "LICENSE": "Do as you like.",
        "notes.rst": "Notes\n=====\n",
        "book.ipynb": '{"cells": []}',
        "guide/deep/404.html": "<p>Nearest</p>",
    }.items():
        file = build / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="latin-1")
    (tmp_path / "secret.html").write_text("<p>secret</p>")
    (build / "out.html").symlink_to(tmp_path / "secret.html")
    (build / "outside").symlink_to(tmp_path)
    (build / "in.html").symlink_to(build / "start.html")
    (build / "loop.html").symlink_to(build / "loop.html")
    (build / "config.txt").symlink_to(build / ".git" / "config")
    os.mkfifo(build / "pipe.html")
    return build


@pytest.fixture(name="client")
def _client(build):
    rules = DocsRules(
        allow_hosts=("docs.example.org",), sites=(Site(prefix=PREFIX, folder=build),),
        respect_robots=False,
    )  # fmt: skip
    with DocsClient(rules, transport=httpx.MockTransport(offline)) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("", "Home"),
        ("index.html", "Home"),
        ("start.html", "Start"),
        ("start", "Start"),
        ("start/", "Start"),
        ("start.html?highlight=x#y", "Start"),
        ("guide/", "Guide"),
        ("guide", "Guide"),
        ("guide/next", "Next"),
        ("both", "Both, page"),
        ("both/", "Both, folder"),
        ("a%20b", "Space"),
        ("%73tart.html", "Start"),
        ("guide/../start", "Start"),
        ("in", "Start"),
        ("page.md", "Markdown"),
        ("page", "Markdown"),
        ("page/", "Markdown"),
        ("made", "Made, page"),
        ("source", "Source"),
        ("source/", "Source"),
        ("source/part", "Part"),
    ],
)
def test_pages_are_found_as_on_a_static_host(client, path, heading):
    page = client.read(PREFIX + path).outcome

    assert f"# {heading}" in page.text


def test_the_agent_sees_public_urls_and_the_record_the_file(client, build):
    reading = client.read(PREFIX + "guide")

    assert reading.hops == (PREFIX + "guide", PREFIX + "guide/")
    assert reading.outcome.resolved_to == PREFIX + "guide/"
    assert reading.outcome.source == str(build / "guide" / "index.html")
    assert f"[Next]({PREFIX}guide/next)" in reading.outcome.text
    assert str(build) not in reading.outcome.text


def test_the_bare_prefix_leads_to_its_slash(client):
    assert client.read(PREFIX.rstrip("/")).outcome.resolved_to == PREFIX


def test_http_is_the_same_site(client, build):
    assert client.read(PREFIX.replace("https", "http")).outcome.source == str(build / "index.html")


@pytest.mark.parametrize(
    "path",
    ["missing", "guide/missing/", "out", "out.html", "outside/secret.html", "%2e%2e/secret.html",
     "..%2fsecret.html", "guide/%2e%2e%2f%2e%2e%2fsecret.html", "%2fetc/passwd", "a%00b", "loop",
     "..%5csecret.html", "x" * 400, "Start.html", "START", ".env", ".git/config", "config.txt",
     "guide/.hidden", "_headers", "pipe", "guide/..%2f..%2fsecret.html", "%c0%ae%c0%ae/secret.html",
     "%252e%252e/secret.html", "..;/secret.html", "//etc/passwd", "C:%5csecret.html", "%ff",
     "outside", "outside/", "start.html/", "start.html/x"],
)  # fmt: skip
def test_what_is_not_in_the_folder_is_not_found(client, path):
    outcome = client.read(PREFIX + path).outcome

    assert isinstance(outcome, Failed)
    assert outcome.status == 404
    assert "secret" not in outcome.text


def test_the_sites_own_page_for_missing_ones_is_used(client, build):
    (build / "404.html").write_text("<p>Try the search</p>")

    outcome = client.read(PREFIX + "missing").outcome

    assert (outcome.status, outcome.text) == (404, "Try the search")


def test_what_is_no_page_says_so(client):
    assert "is an image" in client.read(PREFIX + "logo.png").outcome.error
    assert client.read(PREFIX + "_static/x.unknown").outcome.text == "text"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("LICENSE", "Do as you like."),
        ("notes.rst", "Notes\n=====\n"),
        ("book.ipynb", '{"cells": []}'),
        (".well-known/about.txt", "about"),
    ],
)
def test_sources_and_files_without_a_suffix_are_text(client, path, expected):
    assert expected == client.read(PREFIX + path).outcome.text


def test_the_nearest_page_for_missing_ones_is_used(client, build):
    (build / "404.html").write_text("<p>Top</p>")

    assert ["Nearest", "Top", "Top"] == [
        client.read(PREFIX + path).outcome.text
        for path in ("guide/deep/no/page", "guide/no", "guide/deeper/no")
    ]


def test_a_build_that_goes_away_is_said(client, build):
    shutil.rmtree(build)

    error = client.read(PREFIX).outcome.error

    assert error == f"The local build of this site is not there any more: {build}"


def test_a_page_that_comes_later_is_found(client, build):
    assert client.read(PREFIX + "later").outcome.status == 404
    (build / "later.html").write_text("<h1>Later</h1>")

    assert client.read(PREFIX + "later.html").outcome.text == "# Later"


def redirected(build, lines):
    (build / "_redirects").write_text(lines)


@pytest.mark.parametrize(
    ("line", "path", "resolved", "text"),
    [
        ("/was /start", "was", "start", "# Start"),
        ("/was /start 302", "was/", "start", "# Start"),
        ("/en/stable/was /en/stable/start", "was", "start", "# Start"),
        ("/en/stable/was /start", "was", "start", "# Start"),
        ("/was/* /guide/:splat", "was/next", "guide/next", "# Next"),
        ("/v/:name /guide/:name 308", "v/next", "guide/next", "# Next"),
        ("/start /guide/next", "start", "start", "# Start"),
        ("/start /guide/next 301!", "start", "guide/next", "# Next"),
        ("/guide /start", "guide", "guide/", "# Guide"),
        ("/guide /start 301!", "guide", "start", "# Start"),
        ("/* /start 200", "guide", "guide/", "# Guide"),
        ("/* /start 404", "guide/next", "guide/next", "# Next"),
        ("/was /start#top", "was", "start#top", "# Start"),
        ("/* /start 200", "app/any", "app/any", "# Start"),
        ("/start /guide/next 200!", "start", "start", "# Next"),
        ("/was https://docs.example.org/en/stable/start", "was", "start", "# Start"),
    ],
)
def test_a_redirects_file_is_followed(client, build, line, path, resolved, text):
    redirected(build, line)
    page = client.read(PREFIX + path).outcome

    assert (PREFIX + resolved, text) == (page.resolved_to, page.text.split("\n\n")[0])


@pytest.mark.parametrize("status", ["301", "200"])
def test_a_redirects_file_leads_nowhere_that_is_not_allowed(client, build, status):
    redirected(build, f"/was https://other.example.org/x {status}")
    outcome = client.read(PREFIX + "was").outcome

    assert ("not_allowlisted", "https://other.example.org/x") == (outcome.reason, outcome.url)


def test_a_redirects_file_leads_to_public_pages_of_allowed_hosts(client, build):
    redirected(build, "/was https://docs.example.org/other 301")

    assert client.read(PREFIX + "was").outcome.text == "net https://docs.example.org/other"


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (
            "/was /again\n/again /was",
            f"The page redirects in a circle: {PREFIX}again leads back to {PREFIX}was.",
        ),
        ("/was /was 301", f"{PREFIX}was redirects to itself: {COOKIE}"),
        ("/* /:splat/x", "More than 10 redirects."),
        ("/was /%2e%2e/%2e%2e/secret.html 200", "HTTP 404 Not Found"),
        ("/was /out 200", "HTTP 404 Not Found"),
        ("/was /.env 200", "HTTP 404 Not Found"),
        ("/was /missing 200", "HTTP 404 Not Found"),
        ("/was /start 410", "HTTP 410 Gone"),
        ("/was file:///etc/passwd", "HTTP 404 Not Found"),
    ],
)
def test_a_redirects_file_ends_and_shows_nothing_else(client, build, lines, error):
    redirected(build, lines)
    outcome = client.read(PREFIX + "was").outcome

    assert error == outcome.error
    assert "secret" not in outcome.text


def test_a_redirect_that_depends_on_the_visitor_is_left_out_and_said(client, build):
    redirected(build, "\n/was /start 302 Country=de")

    assert client.read(PREFIX + "was").outcome.text == (
        "The local build of this site has no such page. Line 2 of _redirects is for it, and is left"
        " out: it asks for Country=de, which depends on the visitor."
    )


def test_a_redirects_file_that_changes_is_read_again(client, build):
    redirected(build, "/was /start")
    client.read(PREFIX + "was")
    redirected(build, "/was /start\n/were /guide/next")

    assert client.read(PREFIX + "were").outcome.text == "# Next"


@pytest.mark.parametrize("size", [1_000_001])
def test_a_redirects_file_that_is_too_large_is_said(client, build, size):
    redirected(build, "#" * size)

    assert client.read(PREFIX + "start").outcome.error == (
        f"{build / '_redirects'} is larger than 1,000,000 bytes, and is not read."
    )


def test_a_redirects_file_that_leads_out_of_the_folder_is_none(client, build, tmp_path):
    (tmp_path / "rules").write_text("/was /start")
    (build / "_redirects").symlink_to(tmp_path / "rules")

    assert client.read(PREFIX + "was").outcome.status == 404


def test_links_that_lack_the_prefix_get_it_where_the_build_has_their_page(client, build):
    (build / "links.html").write_text(
        "<p><a href=/start>A</a> <a href='/guide/#x'>B</a> <a href=/elsewhere>C</a>"
        " <a href=/guide/next?a=b>D</a> <a href='#here'>E</a><img src=/logo.png alt=F></p>"
        "<pre>&lt;a href='/start'></pre>"
    )

    assert client.read(PREFIX + "links").outcome.text == (
        f"[A]({PREFIX}start) [B]({PREFIX}guide/#x) [C](https://docs.example.org/elsewhere)"
        f" [D]({PREFIX}guide/next?a=b) [E](#here)[image: F]\n\n```\n<a href='/start'>\n```"
    )


def test_a_refresh_that_lacks_the_prefix_gets_it(client, build):
    (build / "old2.html").write_text("<meta http-equiv=refresh content='0;url=/guide/next'>")

    assert client.read(PREFIX + "old2").outcome.resolved_to == PREFIX + "guide/next"


@pytest.mark.parametrize(
    "url", ["https://docs.example.org/en/stables/", "https://docs.example.org/"]
)
def test_other_pages_come_from_the_network(client, url):
    assert client.read(url).outcome.text == f"net {url}"


def test_a_stub_of_a_local_build_is_followed(client):
    reading = client.read(PREFIX + "old")

    assert reading.client_redirect == Redirected(
        requested=PREFIX + "old", resolved_to=PREFIX + "start.html"
    )
    assert reading.outcome.text == "# Start"


def test_a_stub_that_leads_to_another_host_is_left_alone(client):
    reading = client.read(PREFIX + "away")

    assert reading.client_redirect is None
    assert "only redirects to https://other.example.org/x" in reading.outcome.error


def test_the_longest_prefix_wins(build, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "index.html").write_text("<h1>Inner</h1>")
    sites = Site(prefix=PREFIX, folder=build), Site(prefix=PREFIX + "guide", folder=inner)
    with DocsClient(DocsRules(allow_hosts=(), sites=sites)) as client:
        assert client.read(PREFIX + "guide/").outcome.text == "# Inner"
        assert client.read(PREFIX + "start").outcome.text == "# Start"


def test_robots_of_the_network_say_nothing_about_a_local_build(build):
    def forbidding(_):
        return httpx.Response(200, text="User-agent: *\nDisallow: /")

    rules = DocsRules(allow_hosts=("docs.example.org",), sites=(Site(prefix=PREFIX, folder=build),))
    with DocsClient(rules, transport=httpx.MockTransport(forbidding)) as client:
        assert client.read(PREFIX + "start").outcome.text == "# Start"
        assert client.read("https://docs.example.org/x").outcome.reason == "robots_disallowed"


def test_a_file_that_is_too_large_is_not_read(build):
    rules = DocsRules(allow_hosts=(), sites=(Site(prefix=PREFIX, folder=build),), max_body_bytes=3)
    with DocsClient(rules) as client:
        assert client.read(PREFIX + "start").outcome.error == "The page is larger than 3 bytes."


def test_a_file_is_read_once_an_attempt(client, build):
    client.read(PREFIX + "start")
    (build / "start.html").write_text("<h1>Changed</h1>")

    assert client.read(PREFIX + "start").outcome.text == "# Start"
