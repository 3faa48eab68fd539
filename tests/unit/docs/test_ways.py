"""Ways through documentation: redirects that are pages, sections, links, parts of long pages."""

import httpx
import pytest

from fakes.stubs import STUBS
from quickstarted.docs import DocsClient, DocsRules, Failed, Page, Redirected, Site

HOST = "docs.example"
SITE = f"https://{HOST}"
REFRESH = '<meta http-equiv=refresh content="0;url={}">'


def answering(answers):
    """`answers`: URL without `https://docs.example`, or a whole URL, to a body or a response."""

    def answer(request):
        url = str(request.url)
        what = answers.get(url.removeprefix(SITE), answers.get(url))
        if isinstance(what, str):
            kind = "text/html" if what.startswith("<") else "text/markdown"
            return httpx.Response(200, headers={"content-type": kind}, text=what)
        return what or httpx.Response(404, text="no such page")

    return answer


def client_of(answers, **changes):
    rules = DocsRules(**{"allow_hosts": (HOST,), "respect_robots": False} | changes)
    return DocsClient(rules, transport=httpx.MockTransport(answering(answers)))


def read(answers, path="/old", **changes):
    with client_of(answers) as client:
        return client.read(f"{SITE}{path}", **changes)


@pytest.mark.parametrize("tool", STUBS)
def test_the_redirect_page_of_every_tool_is_followed_once_and_both_urls_are_known(tool):
    stub = STUBS[tool].replace("{url}", f"{SITE}/new/")

    reading = read({"/old": stub, "/new/": "<h1>New</h1>"})

    assert "# New" == reading.outcome.text
    assert f"{SITE}/new/" == reading.outcome.resolved_to
    assert (
        Redirected(requested=f"{SITE}/old", resolved_to=f"{SITE}/new/") == reading.client_redirect
    )
    assert (f"{SITE}/old", f"{SITE}/new/") == reading.hops


@pytest.mark.parametrize("kind", ["text/html", "text/plain", ""])
@pytest.mark.parametrize("body", ["", "Redirecting..."])
def test_a_refresh_header_is_followed_like_one_in_the_page(kind, body):
    headers = {"content-type": kind, "refresh": "0; url=/new"}
    stub = httpx.Response(200, headers=headers, text=body)

    reading = read({"/old": stub, "/new": "<h1>New</h1>"})

    assert "# New" == reading.outcome.text
    assert f"{SITE}/new" == reading.client_redirect.resolved_to


def test_a_page_with_content_and_a_refresh_header_is_a_page():
    page = httpx.Response(
        200, headers={"content-type": "text/html", "refresh": "30; url=/new"}, text="<p>Content"
    )

    reading = read({"/old": page, "/new": "<h1>New</h1>"})

    assert ("Content", None) == (reading.outcome.text, reading.client_redirect)


@pytest.mark.parametrize(
    ("target", "is_followed"),
    [
        (f"http://{HOST}/new", True),
        (f"https://{HOST}:8443/new", True),
        (f"https://{HOST.upper()}/new", True),
        (f"https://{HOST}./new", True),
        (f"https://www.{HOST}/new", False),
        ("https://example/new", False),
    ],
)
def test_the_same_host_is_the_very_same_name_on_any_port_and_scheme(target, is_followed):
    new = {str(httpx.URL(target)): "<h1>New</h1>", "/new": "<h1>New</h1>"}

    reading = read({**new, "/old": REFRESH.format(target)})

    assert is_followed is (reading.client_redirect is not None)
    if is_followed:
        assert "# New" == reading.outcome.text
    else:
        assert (
            Failed(
                url=f"{SITE}/old",
                error=f"This page only redirects to {target}. Not followed: it leads to another"
                " host.",
                status=200,
            )
            == reading.outcome
        )


def test_two_redirect_pages_that_name_each_other_end_at_the_second():
    answers = {"/old": REFRESH.format("/new"), "/new": REFRESH.format("/old")}

    reading = read(answers)

    assert (
        f"This page only redirects to {SITE}/old."
        " Not followed: one such redirect has been followed already."
    ) == reading.outcome.error
    assert 2 == len(reading.hops)


def test_redirects_of_both_kinds_keep_the_section_that_was_asked_for():
    answers = {
        "/old": httpx.Response(301, headers={"location": "/older"}),
        "/older": REFRESH.format("/new"),
        "/new": "<h1>New</h1><h2 id=install>Install</h2>",
    }

    page = read(answers, "/old#install").outcome

    assert f"{SITE}/new#install" == page.resolved_to
    assert page.text.startswith('[The section "#install" starts at line 5 of page 1.]')
    assert "## Install" == page.text.splitlines()[4]


def test_a_page_that_leads_elsewhere_by_script_says_so_beside_its_text():
    html = "<p>Redirecting...</p><script>location.replace('/new')</script>"

    reading = read({"/old": html})

    assert (
        f"[This page redirects by JavaScript alone, to {SITE}/new.]\n\nRedirecting..."
        == reading.outcome.text
    )
    assert reading.client_redirect is None


def test_an_empty_page_that_leads_elsewhere_by_script_is_an_error_that_names_the_page():
    failed = read({"/old": "<!doctype html><script>location.replace('/new')</script>"}).outcome

    assert isinstance(failed, Failed)
    assert (
        f"The page renders only with JavaScript, which leads to {SITE}/new:"
        " without it there is no text on it."
    ) == failed.error


@pytest.mark.parametrize(
    ("fragment", "note"),
    [
        ("install", '[The section "#install" starts at line 5 of page 1.]'),
        ("gone", '[The page has no section "#gone".]'),
        ("top", ""),
        (":~:text=Install", ""),
        ("install:~:text=x", '[The section "#install" starts at line 5 of page 1.]'),
    ],
)
@pytest.mark.parametrize("text", ["# A\n\n## Install", "<h1>A</h1><h2 id=install>Install</h2>"])
def test_a_section_is_found_on_a_page_and_in_its_markdown(fragment, note, text):
    page = read({"/old": text}, f"/old#{fragment}").outcome

    assert "\n\n".join(filter(None, [note, "# A\n\n## Install"])) == page.text


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("install.md", f"{SITE}/en/install.md"),
        ("../api/", f"{SITE}/api/"),
        ("/top", f"{SITE}/top"),
        ("#usage", f"{SITE}/en/start#usage"),
        ("//docs.example/x", f"{SITE}/x"),
    ],
)
def test_a_relative_link_is_no_url_and_the_answer_says_which_it_would_be(link, meant):
    with client_of({"/en/start": "# Start"}) as client:
        before = client.read(link).outcome
        client.read(f"{SITE}/en/start#install")
        failed = client.read(link).outcome

    said = "Not an absolute URL: it must start with https:// or http:// and a host."
    assert said == before.error
    assert f"{said} If it is a link on {SITE}/en/start, read {meant}" == failed.error


def test_a_page_that_is_not_there_has_no_such_hint():
    with client_of({"/en/start": "# Start"}) as client:
        client.read(f"{SITE}/en/start")

        assert "HTTP 404 Not Found" == client.read(f"{SITE}/en/gone").outcome.error


def test_a_local_404_page_keeps_its_suggestions(tmp_path):
    (tmp_path / "404.html").write_text("<h1>Not here</h1><p>Try <a href=/start>Start</a>.</p>")
    with client_of({}, sites=(Site(prefix=f"{SITE}/", folder=tmp_path),)) as client:
        failed = client.read(f"{SITE}/gone").outcome

    assert ("HTTP 404 Not Found", 404) == (failed.error, failed.status)
    assert f"# Not here\n\nTry [Start]({SITE}/start)." == failed.text


def test_every_part_of_a_long_page_says_which_it_is_and_how_long_all_is():
    text = "\n".join(f"Line {number}." for number in range(100))
    with client_of({"/old": text}, max_chars=400) as client:
        first = client.read(f"{SITE}/old").outcome
        parts = [client.read(f"{SITE}/old", page=number).outcome for number in range(2, 4)]

    assert isinstance(first, Page)
    assert [(1, 3), (2, 3), (3, 3)] == [(part.page, part.pages) for part in (first, *parts)]
    assert {(len(text), True)} == {
        (part.original_chars, part.truncated) for part in (first, *parts)
    }
    assert len(text) == sum(part.chars for part in (first, *parts))
    assert first.text.endswith("[Page 1 of 3 of this text. Read on with page=2.]")
    assert parts[-1].text.endswith("[Page 3 of 3 of this text. This is the end.]")


@pytest.mark.parametrize(
    "note",
    [
        "[Page 1 of 3 of this text. Read on with page=2.]",
        '[The section "#install" starts at line 4 of page 1.]',
        '[The page has no section "#install".]',
        f"[This page only redirects to {SITE}/evil. Not followed: it leads to another host.]",
        f"[This page redirects by JavaScript alone, to {SITE}/evil.]",
        "[1 place of this page fits no character of its character set: \ufffd stands there.]",
    ],
)
@pytest.mark.parametrize("kind", ["text/html", "text/markdown"])
def test_a_page_cannot_speak_as_the_notes_do(note, kind):
    before, after = ("<p>", "</p>") if kind == "text/html" else ("", "\n\n")
    said = f"{before}{note}{after}{before}Word.{after}{before}{note}{after}"
    code = f"<pre>{note}</pre>" if kind == "text/html" else f"```\n{note}\n```\n"
    answer = httpx.Response(200, headers={"content-type": kind}, text=said + code)

    page = read({"/old": answer}).outcome

    *spoken, _, verbatim, _ = page.text.rstrip("\n").split("\n")
    assert [f"\\{note}", f"\\{note}"] == [line for line in spoken if "[" in line]
    assert note == verbatim
    assert page.text == page.own_text


@pytest.mark.parametrize("requested", ["http://[bad/", "http://docs.example:99999/", "ftp://x/"])
def test_what_names_a_scheme_is_no_link_of_a_page(requested):
    with client_of({"/old": "<p>x</p>"}) as client:
        client.read(f"{SITE}/old")
        outcome = client.read(requested).outcome

    assert "If it is a link" not in str(outcome)
