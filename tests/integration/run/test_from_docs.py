"""`replay: from_docs`: the page itself is run, and goes red when a step of it is taken away."""

from __future__ import annotations

import pytest

from fakes.program import run_task

pytestmark = pytest.mark.docker

MAKE = "<p>Make a folder:</p><pre class='language-console'>$ mkdir app\n$ cd app\n</pre>"
WRITE = """\
<p>Create a file <code>serve.py</code>:</p>
<pre class="language-python">import http.server

http.server.test(http.server.SimpleHTTPRequestHandler, port=8123, bind="127.0.0.1")
</pre>
"""
START = "<p>Start it:</p><pre class='language-sh'>python3 serve.py</pre>"
ASK = """\
<p>In another terminal:</p>
<pre class="language-sh">python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8123/serve.py').status)"
</pre>
"""
SKIPPED = """\
<pre class="language-powershell">mkdir app</pre>
<pre class="language-sh">curl -H "Authorization: YOUR_API_KEY" https://api.example/</pre>
"""
BODY = """\
    replay: from_docs
    success:
      script: test -f app/serve.py || qs_fail "there is no app/serve.py"
      expect_output: {contains: "200"}
    """


def run_page(task, *parts, head="<h1>Start</h1>", path=""):
    """Run a page that consists of *parts*."""
    file = task(BODY)
    (file.parent / "site/index.html").write_text(f"<main>{head}{''.join(parts)}</main>")
    if path:
        file.write_text(file.read_text().replace("docs.example/]", f"docs.example/{path}]"))
    return run_task(file, "--agent", "replay")


def account(done):
    (said,) = done.of_type("agent_final")
    return said.text


def test_a_page_is_walked_to_its_end_and_the_server_of_it_answers(task):
    done = run_page(task, MAKE, SKIPPED, WRITE, START, ASK)

    assert ("completed", "passed") == done.ending(), done.out
    ran = [event.command.splitlines()[0] for event in done.of_type("tool_call") if event.command]
    assert ["mkdir app", "cd app", "cat > serve.py <<'END_OF_FILE'"] == ran[:3]
    assert "attended='python3 serve.py'" in ran[3]
    assert ["https://docs.example/"] == [event.url for event in done.of_type("docs_fetch")]
    assert "skipped (for powershell): mkdir app [https://docs.example/ line" in account(done)
    assert "a reader puts something in the place of `YOUR_API_KEY`" in account(done)
    assert "wrote serve.py [https://docs.example/ line" in account(done)


@pytest.mark.parametrize(
    ("parts", "stop_reason", "said"),
    [
        pytest.param((MAKE, START, ASK), "command_failed", "exit code 2, the end", id="dropped"),
        pytest.param(
            (MAKE.replace("mkdir app", "mkdr app"), WRITE, START, ASK),
            "command_failed",
            "ran: mkdr app [https://docs.example/ line 6]: exit code 127, the end",
            id="misspelt",
        ),
        pytest.param((START.replace("sh", "python"),), "completed", "no shell code", id="no code"),
    ],
)
def test_a_page_with_a_step_that_is_gone_is_a_gap(task, parts, stop_reason, said):
    done = run_page(task, *parts)

    assert (stop_reason, "docs_gap") == done.ending(), done.out
    assert 1 == done.code
    assert said in account(done)


def test_of_a_url_with_a_fragment_the_section_is_walked(task):
    other = "<h2 id='other'>Other</h2><pre class='language-sh'>false</pre>"
    own = f"<h2 id='own'>Own</h2>{MAKE}{WRITE}{START}{ASK}"

    done = run_page(task, other, own, other.replace("other", "more"), path="#own")

    assert ("completed", "passed") == done.ending(), done.out


def test_a_section_that_is_not_there_is_a_gap(task):
    done = run_page(task, MAKE, WRITE, START, ASK, path="#gone")

    assert ("completed", "docs_gap") == done.ending(), done.out
    assert "there is no section at https://docs.example/#gone" in account(done)
