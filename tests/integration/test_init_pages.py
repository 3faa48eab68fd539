"""What `init` reads of real servers: under the same rules as an agent, redirects included."""

from __future__ import annotations

import pytest

from fakes.docs_server import DocsServer, page, redirect
from quickstarted.authoring.page import PageLook, look_at
from quickstarted.docs import DocsRules

LOCAL = ("127.0.0.1", "localhost")
START = page("<h1>Start</h1><pre><code class='language-sh'>pip install x</code></pre>")
NO_ROBOTS = {"/robots.txt": page("", 404)}


def rules(*hosts):
    return DocsRules(allow_hosts=hosts, private_hosts=LOCAL)


def test_a_page_behind_another_host_is_read_and_the_host_is_named():
    with DocsServer({**NO_ROBOTS, "/start": START}) as server:
        server.answers["/"] = redirect(server.url("/start", host="localhost"))

        look = look_at(server.url("/"), rules("127.0.0.1"))

    assert PageLook(title="Start", commands=("pip install x",), redirect_hosts=("localhost",)) == (
        look
    )


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (
            {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /\n"), "/start": START},
            "robots.txt",
        ),
        ({**NO_ROBOTS}, "404"),
        ({**NO_ROBOTS, "/start": page("<script>x()</script>")}, "only with JavaScript"),
        ({**NO_ROBOTS, "/start": (200, {"content-type": "application/pdf"}, b"%PDF")}, "PDF"),
        ({**NO_ROBOTS, "/start": redirect("/start")}, "redirects"),
        ({**NO_ROBOTS, "/start": redirect("file:///etc/passwd")}, "file"),
    ],
    ids=["robots", "not there", "script only", "no text", "in circles", "off the web"],
)
def test_a_page_that_may_not_or_cannot_be_read_is_a_problem(answers, problem):
    with DocsServer(answers) as server:
        look = look_at(server.url("/start"), rules("127.0.0.1"))

    assert problem.lower() in look.problem.lower()
    assert ("", ()) == (look.title, look.commands)


def test_a_redirect_to_a_private_host_is_not_read():
    with DocsServer({**NO_ROBOTS, "/start": START}) as server:
        server.answers["/"] = redirect(server.url("/start", host="localhost"))
        own = DocsRules(allow_hosts=("127.0.0.1",), private_hosts=("127.0.0.1",))

        look = look_at(server.url("/"), own)

    assert ("", ()) == (look.title, look.redirect_hosts)
    assert "private" in look.problem
    assert "/start" not in server.paths()
