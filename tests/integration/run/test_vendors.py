"""Runs by the agents `openai` and `gemini` from outside: real program, SDKs, engine and proxy."""

from __future__ import annotations

import pytest

from fakes import gemini_api_replies as gemini
from fakes import responses_api_replies as openai
from fakes.model_attempts import GEMINI, OPENAI
from fakes.program import run_task

pytestmark = pytest.mark.docker

KEY = "sk-canary-5d41402abc4b2a76b9719d911017c592"
TASK = """\
    success: {script: 'test -f done || qs_fail "there is no file done"'}
    """
LOOK = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'"
FETCH = "import urllib.request; urllib.request.urlopen('https://docs.example/')"
CALLS = (
    ("read_docs", {"url": "https://docs.example/"}),
    ("bash", {"command": LOOK}),
    ("bash", {"command": f'touch done; python3 -c "{FETCH}"'}),
)


def openai_turn():
    return openai.Turn((openai.Reasoning(), *(openai.Call(*one) for one in CALLS)))


def gemini_turn():
    return gemini.Turn(tuple(gemini.Call(*one) for one in CALLS))


@pytest.mark.parametrize(
    ("service", "turn", "say"),
    [(OPENAI, openai_turn, openai.say), (GEMINI, gemini_turn, gemini.say)],
    ids=["openai", "gemini"],
)
def test_a_vendors_model_reads_acts_and_never_gives_its_key_away(task, service, turn, say):
    own = f"QUICKSTARTED_{service.key_variable}"
    with service.serve([turn(), say("Done.")], api_key=KEY) as api:
        environ = {service.address_variable: api.base_url, service.key_variable: KEY, own: ""}
        done = run_task(task(TASK), "--agent", f"{service.name}:m-1", env=environ)

    assert 0 == done.code, done.out + done.err
    api.assert_done()
    assert ("completed", "passed") == done.ending()
    assert ["https://docs.example/"] == [event.url for event in done.of_type("docs_fetch")]
    (refused,) = done.of_type("egress_blocked")
    assert "docs_host_requires_read_docs" == refused.reason
    seen, _ = done.of_type("tool_result")
    assert "HTTPS_PROXY=" in seen.output
    assert KEY not in seen.output
    written = [path for path in done.results.rglob("*") if path.is_file()]
    assert [] == [path for path in written if KEY.encode() in path.read_bytes()]
    assert KEY not in done.out + done.err
    (run,) = done.document["runs"]
    assert (f"{service.name}:m-1", "m-1", ["m-1"]) == (
        run["agent"],
        run["model"],
        run["models_reported"],
    )
    assert (200, 40) == (run["tokens"]["input_tokens"], run["tokens"]["output_tokens"])
