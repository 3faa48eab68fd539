"""Pages of a preview deployment in place of the published ones."""

import httpx
import pytest

from quickstarted.docs import DocsClient, DocsRules, Failed, HostHeaders, Page, Site

PREFIX = "https://docs.example.org/en/"
PREVIEW = "https://deploy-12--docs.example.app/en/"


def client(answer, **more):
    rules = DocsRules(
        allow_hosts=("docs.example.org",), sites=(Site(prefix=PREFIX, url=PREVIEW),), **more
    )
    return DocsClient(rules, transport=httpx.MockTransport(answer))


def read(answer, path="start", **more):
    with client(answer, **more) as docs:
        return docs.read(PREFIX + path)


def page(body, **headers):
    return httpx.Response(200, headers={"content-type": "text/html", **headers}, text=body)


def robots_forbid(request):
    return httpx.Response(200, text="User-agent: *\nDisallow: /")


def test_a_page_comes_from_the_same_path_of_the_preview():
    asked = []

    def answer(request):
        asked.append((str(request.url), request.headers["host"]))
        return page("<h1>Start</h1>")

    outcome = read(answer, "a/b%20c?d=e").outcome

    assert [(f"{PREVIEW}a/b%20c?d=e", "deploy-12--docs.example.app")] == asked
    assert (outcome.text, outcome.source) == ("# Start", f"{PREVIEW}a/b%20c?d=e")
    assert outcome.resolved_to == f"{PREFIX}a/b%20c?d=e"


def test_other_pages_of_the_host_come_from_the_public_site():
    with client(lambda request: page(f"<p>{request.url}</p>")) as docs:
        assert docs.read("https://docs.example.org/de/").outcome.source is None


def test_the_preview_itself_cannot_be_asked_for():
    with client(lambda _: page("<p>x</p>")) as docs:
        assert docs.read(PREVIEW).outcome.reason == "not_allowlisted"


def test_robots_of_a_preview_are_not_asked():
    def answer(request):
        return robots_forbid(request) if request.url.path == "/robots.txt" else page("<p>x</p>")

    assert read(answer).outcome.text == "x"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("next", f"{PREFIX}next"),
        ("/en/next/", f"{PREFIX}next/"),
        (f"{PREVIEW}next?a=b", f"{PREFIX}next?a=b"),
        (f"{PREVIEW.replace('https', 'http')}next", f"{PREFIX}next"),
        (f"{PREFIX}next", f"{PREFIX}next"),
        ("https://docs.example.org/de/", "https://docs.example.org/de/"),
    ],
)
def test_redirects_within_the_preview_are_told_as_public_ones(location, expected):
    def answer(request):
        if request.url.path == "/en/start":
            return httpx.Response(302, headers={"location": location})
        return page("<p>there</p>")

    reading = read(answer, respect_robots=False)

    assert (PREFIX + "start", expected) == reading.hops
    assert (reading.outcome.text, reading.outcome.resolved_to) == ("there", expected)


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (httpx.Response(401), "HTTP 401 Unauthorized: the preview at"),
        (httpx.Response(403, text="<p>x</p>"), "HTTP 403 Forbidden: the preview at"),
        (
            httpx.Response(302, headers={"location": "https://vendor.example/login?next=/"}),
            "redirects to vendor.example, outside of its own pages: it may ask for a login.",
        ),
        (
            httpx.Response(307, headers={"location": "/login"}),
            "redirects to deploy-12--docs.example.app, outside of its own pages:",
        ),
    ],
)
def test_a_preview_that_asks_for_a_login_is_said_with_what_helps(response, error):
    outcome = read(lambda _: response).outcome

    assert isinstance(outcome, Failed)
    assert response.status_code == outcome.status
    assert error in outcome.error
    assert outcome.error.endswith("`docs.headers` can send what it asks for.")


def test_a_preview_that_leads_back_to_the_public_page_has_none_of_its_own():
    outcome = read(lambda _: httpx.Response(301, headers={"location": PREFIX + "start"})).outcome

    assert "so it has no page of its own" in outcome.error


def test_a_preview_that_leads_back_to_the_same_page_is_said():
    outcome = read(lambda _: httpx.Response(302, headers={"location": "/en/start"})).outcome

    assert outcome.error.endswith(
        "redirects this page to itself: it may want a cookie, and none are kept."
    )


def test_a_login_of_the_public_site_is_not_taken_for_one_of_a_preview():
    with client(lambda _: httpx.Response(403), respect_robots=False) as docs:
        assert docs.read("https://docs.example.org/x").outcome.error == "HTTP 403 Forbidden"


def test_the_agent_sees_public_links_only():
    body = (
        f"<link rel=canonical href={PREVIEW}start><p><a href={PREVIEW}a>A</a> <a href=b>B</a></p>"
        f"<pre>curl {PREVIEW}a</pre>"
    )

    assert read(lambda _: page(body)).outcome.text == (
        f"[A]({PREFIX}a) [B]({PREFIX}b)\n\n```\ncurl {PREVIEW}a\n```"
    )


def test_a_stub_of_a_preview_is_followed_under_public_names():
    def answer(request):
        if request.url.path == "/en/old":
            return page(f"<meta http-equiv=refresh content='0;url={PREVIEW}start'>")
        return page("<h1>Start</h1>")

    reading = read(answer, "old")

    assert reading.client_redirect.resolved_to == PREFIX + "start"
    assert reading.outcome.text == "# Start"


def test_markdown_of_a_preview_has_public_links_too():
    text = f"[a]({PREVIEW}a)\n\n    curl {PREVIEW}\n\n`{PREVIEW}`"
    markdown = httpx.Response(200, headers={"content-type": "text/markdown"}, text=text)

    assert read(lambda _: markdown).outcome.text == text.replace(f"]({PREVIEW}", f"]({PREFIX}")


def test_folders_and_previews_live_side_by_side_and_the_longest_prefix_wins(tmp_path):
    (tmp_path / "index.html").write_text("<h1>Folder</h1>")
    sites = Site(prefix=PREFIX, url=PREVIEW), Site(prefix=PREFIX + "api", folder=tmp_path)
    rules = DocsRules(allow_hosts=(), sites=sites)
    with DocsClient(rules, transport=httpx.MockTransport(lambda _: page("<p>net</p>"))) as docs:
        assert ["net", "# Folder"] == [docs.read(PREFIX + at).outcome.text for at in ("a", "api/")]


def test_headers_of_the_preview_host_are_sent_to_it():
    def answer(request):
        sent = request.headers.get("x-bypass")
        return page("<p>in</p>") if sent == "canary-value" else httpx.Response(401)

    own = HostHeaders(host="deploy-12--docs.example.app", headers=(("x-bypass", "canary-value"),))

    assert isinstance(read(answer, headers=(own,)).outcome, Page)


@pytest.mark.parametrize("parts", [{}, {"folder": ".", "url": PREVIEW}])
def test_a_site_is_a_folder_or_a_preview(parts):
    with pytest.raises(ValueError, match="a folder or a preview"):
        Site(prefix=PREFIX, **parts)


@pytest.mark.parametrize("target", [f"{PREVIEW}real", "real", "/en/real"])
def test_a_refresh_header_of_a_preview_leads_to_the_public_page(target):
    def answer(request):
        if request.url.path == "/en/real":
            return page("<h1>Real</h1>")
        return page("<p>Moved.</p>", refresh=f"0; url={target}")

    reading = read(answer)

    assert "# Real" == reading.outcome.text
    assert f"{PREFIX}real" == reading.client_redirect.resolved_to
