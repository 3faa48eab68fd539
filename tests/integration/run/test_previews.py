"""
A pull request's docs before they are published: a run against a preview deployment that asks for a
header, whose value is found nowhere but at the preview.
"""

from __future__ import annotations

import json
import textwrap

import pytest

from fakes.docs_server import DocsServer, page, redirect
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, call, say
from fakes.program import run_task
from quickstarted_proxy.secrets_table import Secret, scrubbing
from quickstarted_proxy.substitution import Replacer

pytestmark = pytest.mark.docker

KEY = "sk-canary-5d41402abc4b2a76b9719d911017c592"
CANARY = "Bearer CANARYpreview7d1f0c9e8b7a6f5e"
LOOKED_FOR = Replacer(
    scrubbing(
        [
            Secret(name="T", placeholder="x" * 40, value=value, hosts=())
            for value in (CANARY, CANARY.removeprefix("Bearer "))
        ]
    )
)
PUBLIC = "https://docs.example/en/"


class Guarded(DocsServer):
    """A preview that shows its pages to who sends the header, and says what it was sent."""

    def next_answer(self, path):
        sent = self.requests[-1][1].get("x-preview", "")
        if sent != CANARY:
            return page("<p>Please log in</p>", 401)
        if path == "/en/start":
            return page(
                f"<main><h1>Start</h1><p>Sent: {sent}</p><a href='{self.url('/en/next')}'>Next</a>"
                f" <a href=more>More</a><pre>touch done</pre></main>"
            )
        return super().next_answer(path)


@pytest.fixture(name="preview")
def _preview():
    answers = {
        "/robots.txt": (200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /"),
        "/en/old": redirect("/en/next"),
        "/en/next": page("<main><h1>Next</h1><p>And then.</p></main>"),
    }
    with Guarded(answers) as server:
        yield server


def write_task(folder, preview):
    path = folder / "probe.yaml"
    path.write_text(
        textwrap.dedent(f"""\
        name: probe
        goal: Do as the page says.
        docs:
          path: ["{PUBLIC}start"]
          sites: {{"{PUBLIC}": "{preview.url("/en/")}"}}
          headers: {{127.0.0.1: {{X-Preview: $PREVIEW_HEADER}}}}
        network: {{private: [127.0.0.1]}}
        success: {{script: 'test -f done || qs_fail "there is no file done"'}}
        """)
    )
    return path


def run(folder, preview, turns, **environ):
    environ = {"QUICKSTARTED_ANTHROPIC_API_KEY": "", "ANTHROPIC_API_KEY": KEY, **environ}
    with ScriptedMessagesApi(turns, api_key=KEY) as api:
        task = write_task(folder, preview)
        env = {**environ, "ANTHROPIC_BASE_URL": api.base_url}
        done = run_task(task, "--agent", "claude", env=env)
        return done, api


def found_in(folder):
    """Files below *folder* that hold the value in any form."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path.name for path in files if LOOKED_FOR.is_in(path.read_bytes())]


def test_a_preview_is_read_under_public_names_and_its_header_is_on_no_record(tmp_path, preview):
    turns = [
        call("read_docs", {"url": f"{PUBLIC}start"}),
        call("read_docs", {"url": f"{PUBLIC}old"}),
        bash("python3 --help; env; touch done"),
        say(f"Read {PUBLIC}start."),
    ]
    done, api = run(tmp_path, preview, turns, PREVIEW_HEADER=CANARY)

    assert 0 == done.code, done.out + done.err
    api.assert_done()
    start, old = done.of_type("docs_fetch")
    assert (f"{PUBLIC}start", f"{PUBLIC}start") == (start.url, start.resolved_to)
    assert (f"{PUBLIC}old", f"{PUBLIC}next") == (old.url, old.resolved_to)
    assert [preview.url("/en/start"), preview.url("/en/next")] == [start.source, old.source]
    assert {CANARY} == {headers.get("x-preview") for _, headers in preview.requests}
    assert "/robots.txt" not in preview.paths()
    assert [] == found_in(done.results)
    assert not LOOKED_FOR.is_in((done.out + done.err).encode())
    record = json.loads((done.results / "probe" / "run.json").read_text())
    assert {PUBLIC: preview.url("/en/")} == record["docs_sites"]
    (attempt,) = done.document["runs"]
    assert [f"{PUBLIC}start", f"{PUBLIC}next"] == attempt["docs_pages"]
    assert ["python3 --help"] == [one["what"] for one in attempt["local_docs_read"]]


def test_the_model_sees_neither_the_value_nor_the_preview(tmp_path, preview):
    turns = [call("read_docs", {"url": f"{PUBLIC}start"}), say("I do not know how.")]
    _, api = run(tmp_path, preview, turns, PREVIEW_HEADER=CANARY)
    told = repr([request.body for request in api.requests])

    assert "Sent: [value of docs.headers]" in told
    assert f"[Next]({PUBLIC}next) [More]({PUBLIC}more)" in told
    assert preview.url("/en/") not in told
    assert not LOOKED_FOR.is_in(told.encode())


def test_a_preview_that_asks_for_a_login_is_a_fetch_error_that_says_what_helps(tmp_path, preview):
    turns = [call("read_docs", {"url": f"{PUBLIC}start"}), say("I cannot read it.")]
    done, _ = run(tmp_path, preview, turns, PREVIEW_HEADER="another-value")
    (failed,) = done.of_type("fetch_error")

    assert (401, f"{PUBLIC}start") == (failed.status, failed.url)
    assert failed.error.endswith("asks for a login. `docs.headers` can send what it asks for.")


def test_a_header_without_its_variable_ends_the_attempt_before_anything_starts(tmp_path, preview):
    done, _ = run(tmp_path, preview, [], PREVIEW_HEADER="")
    (fault,) = done.of_type("fault")

    assert (2, ("fault", "harness_error")) == (done.code, done.ending())
    assert "docs.headers needs PREVIEW_HEADER, and no such variable is set" == fault.error
    assert ([], []) == (preview.requests, done.of_type("sandbox_ready"))
