"""
Whole runs against documentation that fails in every way: the attempt goes on, the trace says why.

The real program, engine and SDK, a documentation host on loopback, and a scripted Messages API.
"""

from __future__ import annotations

import json
import textwrap

import pytest

from fakes.docs_server import DocsServer, page, redirect
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, call, say
from fakes.program import run_task

pytestmark = pytest.mark.docker

KEY = "sk-test"
ANSWERS = {
    "/robots.txt": page("", 404),
    "/gone": page("x", 404),
    "/loop": redirect("/loop"),
    "/away": redirect("https://other.example/"),
    "/refresh": page("<meta http-equiv=refresh content='0; url=https://other.example/'>"),
    "/empty": page(""),
    "/good": page("<h1>Good</h1><p>Touch done.</p>", etag='"1"'),
}


def attempt(folder, site, paths, *flags):
    """A model that reads *paths*, then does the work."""
    folder.mkdir(exist_ok=True)
    task = folder / "probe.yaml"
    task.write_text(
        textwrap.dedent(f"""\
        name: probe
        goal: Do as the page says.
        docs: {{path: ["{site.url("/good")}"]}}
        network: {{private: [127.0.0.1]}}
        success: {{script: test -f done}}
        """)
    )
    urls = [path if ":" in path else site.url(path) for path in paths]
    reads = [call("read_docs", {"url": url}) for url in urls]
    with ScriptedMessagesApi([*reads, bash("touch done"), say("Done.")], api_key=KEY) as api:
        environment = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": KEY,
            "QUICKSTARTED_ANTHROPIC_API_KEY": "",
        }
        given = ["--agent", "claude", "--rate-limit", "0", *flags]
        done = run_task(task, *given, env=environment)
        api.assert_done()
    return done


def record(done):
    return json.loads((done.results / "probe" / "run.json").read_text())


def test_an_attempt_goes_on_after_every_kind_of_failure(tmp_path):
    paths = [
        "/gone",
        "/loop",
        "/refresh",
        "/away",
        "/empty",
        "file:///etc/passwd",
        "nonsense:",
        "/good",
    ]
    with DocsServer(ANSWERS) as site:
        done = attempt(tmp_path, site, paths)

    assert ("completed", "passed") == done.ending(), done.err
    assert [
        "HTTP 404 Not Found",
        f"{site.url('/loop')} redirects to itself: it may want a cookie, and none are kept.",
        (
            "This page only redirects to https://other.example/. Not followed: it leads to"
            " another host."
        ),
        "The page is empty.",
    ] == [event.error for event in done.of_type("fetch_error")]
    assert ["not_allowlisted", "scheme", "scheme"] == [
        event.reason for event in done.of_type("fetch_blocked")
    ]
    assert len(done.of_type("docs_fetch")) == 1
    assert record(done)["docs_freshness"] == "revalidate"


def test_a_run_is_repeated_offline_and_refreshed(tmp_path):
    cache = ["--cache-dir", tmp_path / "cache"]
    with DocsServer(dict(ANSWERS)) as site:
        first = attempt(tmp_path / "first", site, ["/good"], *cache)
        second = attempt(tmp_path / "second", site, ["/good"], *cache)
        asked = len(site.requests)
        offline = attempt(tmp_path / "offline", site, ["/good", "/gone"], *cache, "--offline")
        asked_offline = len(site.requests) - asked
        site.answers["/good"] = page("<h1>Better</h1>")
        refreshed = attempt(
            tmp_path / "refreshed", site, ["/good"], *cache, "--refresh", "--ignore-robots"
        )

    hashes = [one.of_type("docs_fetch")[0].content_hash for one in (first, second, offline)]
    assert len(set(hashes)) == 1
    assert offline.of_type("docs_fetch")[0].from_cache
    assert ["offline_cache_miss"] == [one.reason for one in offline.of_type("fetch_blocked")]
    assert asked_offline == 0
    assert [site.url("/good")] == [one.url for one in refreshed.of_type("docs_changed")]
    assert [] == second.of_type("docs_changed")
    assert (record(offline)["docs_freshness"], record(offline)["respect_robots"]) == (
        "offline",
        True,
    )
    assert record(refreshed)["docs_freshness"] == "refresh"
    assert record(refreshed)["respect_robots"] is False
    assert "robots.txt of documentation hosts is not asked" in refreshed.err
