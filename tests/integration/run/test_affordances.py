"""
One task with and without what its site makes for agents, in one call: the real program, engine,
proxy and SDK, a site that knows all affordances, and a scripted Messages API.
"""

from __future__ import annotations

import json
import textwrap

import pytest

from fakes.docs_server import NegotiatingServer, page
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, call, say
from fakes.program import run_task

pytestmark = pytest.mark.docker

KEY = "sk-test"
MARKDOWN = {"content-type": "text/markdown"}
ANSWERS = {
    "/robots.txt": page("", 404),
    "/en/start": page(
        "<h1>Start</h1><p>For people.</p><a href='start.md'>View as Markdown</a>"
        "<link rel=alternate type=text/markdown href=start.md>"
    ),
    "/en/start.md": (200, MARKDOWN, b"# Start\n\nFor agents.\n"),
    "/llms.txt": (200, MARKDOWN, b"# Index\n"),
    "/llms-full.txt": page("<h1>Not found, says the router</h1>"),
}
FOLDERS = {"all": "probe/claude/1", "none": "probe/claude+affordances-none/1"}


@pytest.fixture(name="site", scope="module")
def _site():
    with NegotiatingServer(ANSWERS, {"/en/start": "# Start\n\nNegotiated.\n"}) as server:
        yield server


def turns(site):
    """A model that looks for what is made for agents, then works."""
    paths = ["/en/start", "/llms.txt", "/en/start.md"]
    reads = [call("read_docs", {"url": site.url(path)}) for path in paths]
    return [*reads, bash("touch done"), say("Done.")]


@pytest.fixture(name="done", scope="module")
def _done(site, tmp_path_factory):
    """Both conditions, probed; with all requests that the model's service got."""
    folder = tmp_path_factory.mktemp("affordances")
    task = folder / "probe.yaml"
    task.write_text(
        textwrap.dedent(f"""\
        name: probe
        goal: Do as the page says.
        docs: {{path: ["{site.url("/en/start")}"]}}
        network: {{private: [127.0.0.1]}}
        success: {{script: test -f done}}
        """)
    )
    flags = ["--agent", "claude", "--affordances", "all", "--affordances", "none"]
    with ScriptedMessagesApi([*turns(site), *turns(site)], api_key=KEY) as api:
        environment = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": KEY,
            "QUICKSTARTED_ANTHROPIC_API_KEY": "",
        }
        done = run_task(task, *flags, "--probe-affordances", env=environment)
        api.assert_done()
    assert 0 == done.code, done.out + done.err
    return done, api.requests


def test_each_condition_has_a_folder_and_a_cell_of_its_own(done):
    done, _ = done

    assert {FOLDERS["all"], FOLDERS["none"]} == {
        str(trace.parent.relative_to(done.results)) for trace in done.results.rglob("trace.jsonl")
    }
    cells = done.document["cells"]
    assert [("claude", "all", 1, 1.0), ("claude", "none", 1, 1.0)] == [
        (cell["agent"], cell["affordance_policy"], cell["attempts"], cell["pass_rate"])
        for cell in cells
    ]
    for policy, folder in FOLDERS.items():
        assert policy == done.events(folder)[0].affordance_policy
        record = json.loads((done.results / folder / "run.json").read_text())
        assert (policy, True) == (record["affordance_policy"], record["probe_affordances"])
    assert "[PASS] probe, affordances none (" in done.out
    assert "[PASS] probe (" in done.out


def test_the_model_is_told_the_very_same_under_both(done):
    done, requests = done
    half = len(requests) // 2

    first, second = requests[0].body, requests[half].body
    assert json.dumps(first) == json.dumps(second)
    hashes = {done.events(folder)[0].prompt_hash for folder in FOLDERS.values()}
    assert 1 == len(hashes)
    assert None not in hashes


def test_with_affordances_the_agent_reads_them_as_pages(done, site):
    done, _ = done
    fetched = done.of_type("docs_fetch", FOLDERS["all"])

    assert [
        (site.url("/en/start"), "text/markdown"),
        (site.url("/llms.txt"), "text/markdown"),
        (site.url("/en/start.md"), "text/markdown"),
    ] == [(event.url, event.content_type) for event in fetched]
    assert [] == done.of_type("affordance_withheld", FOLDERS["all"])


def test_without_them_it_reads_the_page_and_nothing_else(done, site):
    done, requests = done
    fetched = done.of_type("docs_fetch", FOLDERS["none"])
    withheld = done.of_type("affordance_withheld", FOLDERS["none"])

    assert [(site.url("/en/start"), "text/html")] == [
        (event.url, event.content_type) for event in fetched
    ]
    assert [site.url("/llms.txt"), site.url("/en/start.md")] == [event.url for event in withheld]
    assert all(event.call_id for event in withheld)
    for other in ("fetch_blocked", "fetch_error"):
        assert [] == done.of_type(other, FOLDERS["none"])
    told = json.dumps(requests[-1].body)
    assert "For people." in told
    assert "For agents." not in told
    assert "Negotiated." not in told
    assert f"[Not read: {site.url('/llms.txt')}: this address is not available.]" in told


def test_what_the_site_has_is_on_record_under_both_before_the_agent_starts(done, site):
    done, _ = done

    for folder in FOLDERS.values():
        kinds = [event.type for event in done.events(folder)]
        assert kinds.index("affordances") < kinds.index("tool_call")
        (probed,) = done.of_type("affordances", folder)
        assert site.url("/en/start") == probed.entrypoint
        assert {
            "url": site.url("/llms.txt"),
            "present": True,
            "status": 200,
            "bytes": 8,
            "note": "",
        } == probed.found["llms.txt"]
        assert "the answer is a page of HTML" == probed.found["llms-full.txt"]["note"]
        present = {name for name, finding in probed.found.items() if finding["present"]}
        assert {"llms.txt", "page.md", "accept_markdown", "link_alternate"} == present
    runs = done.document["runs"]
    assert [0, 2] == [run["affordances_withheld"] for run in runs]
    assert [3, 1] == [run["docs_pages_read"] for run in runs]
    report = (done.results / FOLDERS["none"] / "report.md").read_text()
    assert "| withheld | 2 reads of affordances |" in report
    assert "`llms.txt`" in report
