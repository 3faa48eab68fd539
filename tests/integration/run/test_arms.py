"""
Arms of one task in one call: the documentation, none, and a folder in the workspace; the real
program, engine, proxy and SDK, and a scripted Messages API.
"""

from __future__ import annotations

import json
import textwrap

import pytest

from fakes.docs_server import DocsServer, page
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, call, say
from fakes.program import run_task, write_task
from quickstarted.arms import content_hash
from quickstarted.sandbox.local.folders import BASE_VARIABLE

KEY = "sk-test"
LOCAL = ["--backend", "local", "--allow-unenforced"]
FOLDERS = {
    "docs": "probe/claude/1",
    "no-docs": "probe/claude+no-docs/1",
    "guide": "probe/claude+guide/1",
}
FETCH = (
    "import urllib.error as e, urllib.request as u\n"
    "try: u.urlopen('http://docs.example/')\n"
    "except e.HTTPError as error: print(error.code, error.read().decode())"
)


@pytest.fixture(name="site", scope="module")
def _site():
    with DocsServer({"/robots.txt": page("", 404), "/start": page("<h1>Start</h1>")}) as server:
        yield server


def turns(site):
    """A model that reads, looks around, tries the shell, and works."""
    return [
        call("read_docs", {"url": site.url("/start")}),
        bash(f'python3 -c "{FETCH}"'),
        bash("ls -A; cat AGENTS.md && stat -c %U AGENTS.md .skills/a/SKILL.md; id -un"),
        bash("echo more >> AGENTS.md; touch done"),
        say("Done."),
    ]


@pytest.fixture(name="done", scope="module")
def _done(site, tmp_path_factory):
    """All three arms, with all requests that the model's service got."""
    folder = tmp_path_factory.mktemp("arms")
    guide = folder / "guide"
    (guide / ".skills" / "a").mkdir(parents=True)
    (guide / "AGENTS.md").write_text("Use uv.\n")
    (guide / ".skills" / "a" / "SKILL.md").write_text("A skill.\n")
    (folder / "start").mkdir()
    (folder / "start" / "README.md").write_text("A project.\n")
    task = folder / "probe.yaml"
    task.write_text(
        textwrap.dedent(f"""\
        name: probe
        goal: Do as the page says.
        workspace: start
        docs: {{path: ["{site.url("/start")}"], allow: [docs.example]}}
        network: {{private: [127.0.0.1]}}
        success: {{script: test -f done}}
        """)
    )
    flags = ["--agent", "claude"]
    for arm in ("docs", "no-docs", f"guide={guide}"):
        flags += ["--arm", arm]
    with ScriptedMessagesApi([*turns(site)] * 3, api_key=KEY) as api:
        environment = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": KEY,
            "QUICKSTARTED_ANTHROPIC_API_KEY": "",
        }
        done = run_task(task, *flags, env=environment)
        api.assert_done()
    assert 0 == done.code, done.out + done.err
    return done, api.requests, guide


def answers(requests, arm):
    """What the model got for its calls in *arm*, in order."""
    at = list(FOLDERS).index(arm)
    last = requests[5 * at + 4].body["messages"]
    return [
        block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
        for message in last
        if message["role"] == "user"
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


@pytest.mark.docker
def test_each_arm_has_a_folder_and_a_cell_of_its_own(done):
    done, _, guide = done

    assert set(FOLDERS.values()) == {
        str(trace.parent.relative_to(done.results)) for trace in done.results.rglob("trace.jsonl")
    }
    hashes = {"docs": None, "no-docs": None, "guide": content_hash(guide)}
    assert [(arm, digest, 1, 1.0) for arm, digest in hashes.items()] == [
        (cell["arm"], cell["arm_hash"], cell["attempts"], cell["pass_rate"])
        for cell in done.document["cells"]
    ]
    for arm, folder in FOLDERS.items():
        start = done.events(folder)[0]
        assert (arm, hashes[arm]) == (start.arm, start.arm_hash)
        record = json.loads((done.results / folder / "run.json").read_text())
        where = str(guide) if arm == "guide" else None
        assert (arm, hashes[arm], where) == (
            record["arm"],
            record["arm_hash"],
            record["arm_folder"],
        )
    assert "[PASS] probe, no docs (" in done.out
    assert "[PASS] probe, arm guide (" in done.out
    assert (
        "| `docs` | 1 of 1 (100%) | 1 of 1 (100%) | +0 |" in (done.results / "suite.md").read_text()
    )


@pytest.mark.docker
def test_the_model_is_told_the_very_same_in_all_arms(done):
    done, requests, _ = done

    assert 1 == len({json.dumps(requests[at].body) for at in (0, 5, 10)})
    hashes = {done.events(folder)[0].prompt_hash for folder in FOLDERS.values()}
    assert 1 == len(hashes)
    assert None not in hashes


@pytest.mark.docker
def test_without_documentation_every_read_says_that_there_is_none_and_is_on_record(done, site):
    done, requests, _ = done
    folder = FOLDERS["no-docs"]

    assert (
        f"[Not read: {site.url('/start')}: There is no documentation.]"
        == (answers(requests, "no-docs")[0])
    )
    (call,) = [one for one in done.of_type("tool_call", folder) if one.tool == "read_docs"]
    (blocked,) = done.of_type("fetch_blocked", folder)
    assert (site.url("/start"), "no_docs", call.call_id) == (
        blocked.url,
        blocked.reason,
        blocked.call_id,
    )
    assert [] == done.of_type("docs_fetch", folder)
    # The other arms read the page; this one asked for nothing.
    assert ["/robots.txt", "/start"] == [path for path, _ in site.requests]


@pytest.mark.docker
@pytest.mark.parametrize("arm", FOLDERS)
def test_the_shell_cannot_read_documentation_in_any_arm(done, arm):
    done, requests, _ = done

    assert answers(requests, arm)[1].startswith("403 ")
    (blocked,) = done.of_type("egress_blocked", FOLDERS[arm])
    assert "docs_host_requires_read_docs" == blocked.reason


@pytest.mark.docker
def test_the_folder_stands_in_the_workspace_and_belongs_to_its_user(done):
    done, requests, guide = done
    shown = answers(requests, "guide")[2].splitlines()

    assert [".skills", "AGENTS.md", "README.md"] == sorted(shown[:3])
    user = shown[6]
    assert ["Use uv.", user, user, user] == shown[3:7]
    assert ["README.md"] == answers(requests, "docs")[2].splitlines()[:1]
    assert "Use uv.\n" == (guide / "AGENTS.md").read_text()


class Desk:
    """A task that an agent without a model works on, with no engine."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, body, *flags):
        environment = {BASE_VARIABLE: str(self.folder / "attempts")}
        task = write_task(self.folder, body)
        return run_task(task, *LOCAL, *flags, env=environment)


@pytest.fixture(name="desk")
def _desk(tmp_path):
    return Desk(tmp_path)


def test_the_folder_comes_after_setup_and_replaces_what_is_there(desk, tmp_path):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "AGENTS.md").write_text("of the arm\n")
    body = """\
        setup: ["echo of setup > AGENTS.md"]
        replay: ["cat AGENTS.md"]
        success: {script: "true"}
        """
    done = desk.run(textwrap.dedent(body), "--arm", f"a={tmp_path / 'arm'}")

    assert 0 == done.code, done.err
    assert ["of the arm\n"] == [one.output for one in done.of_type("tool_result")]


def test_a_folder_that_changes_in_between_ends_the_attempts_that_follow(desk, tmp_path):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "AGENTS.md").write_text("first\n")
    body = f"""\
        replay: ["echo second > {tmp_path}/arm/AGENTS.md"]
        success: {{script: "true"}}
        """
    done = desk.run(textwrap.dedent(body), "--arm", f"a={tmp_path / 'arm'}", "--repeat", "2")

    assert [("passed", None), ("harness_error", "arm")] == [
        (run["classification"], (run["fault"] or {}).get("component"))
        for run in done.document["runs"]
    ]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--arm", "no-docs"], "--arm no-docs: --agent replay runs what the documentation says"),
        (["--arm", "guide"], "there is no arm 'guide'"),
        (["--arm", "a=/nowhere"], "there is no such folder"),
    ],
)
def test_an_arm_that_makes_no_sense_is_refused_before_the_start(desk, flags, said):
    done = desk.run('replay: ["true"]\nsuccess: {script: "true"}\n', *flags)

    assert (3, False) == (done.code, done.results.exists())
    assert said in done.err
