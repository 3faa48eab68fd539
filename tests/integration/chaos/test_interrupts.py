"""Ctrl-C at any moment: a call ends soon, says so, leaves nothing, and can be gone on with."""

from __future__ import annotations

import signal
import textwrap
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fakes.docs_server import DocsServer, page
from fakes.followed import Followed, odd_machine
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, hang, say
from fakes.program import Done, wait_until, write_task
from fakes.registry import serving_registry
from quickstarted.sandbox.local.folders import BASE_VARIABLE

pytestmark = pytest.mark.docker

LOCAL = ("--backend", "local", "--allow-unenforced")
SOON_S = 20
"""For an end that waits for nothing: a few seconds on a quiet machine."""


@dataclass
class Desk:
    """A folder with a task, whose slow step is slow until the file `go` is there."""

    folder: Path
    left_by: object
    flags: tuple[str, ...] = LOCAL
    env: dict[str, str] = field(default_factory=dict)

    @property
    def out(self):
        return self.folder / "out"

    def write(self, body):
        """Write the task; `GATE` in *body* is a command that ends once `go` is there."""
        gate = f"until test -e {self.folder}/go; do sleep 0.05; done"
        write_task(self.folder, textwrap.dedent(body).replace("GATE", gate))

    def call(self, *flags, **env):
        where = {BASE_VARIABLE: str(self.folder / "attempts")}
        args = [self.folder / "probe.yaml", *self.flags, *flags]
        return Followed(args, self.out, {**where, **self.env, **env})

    def interrupt(self, call, number=signal.SIGINT):
        """Signal *call*; it must end soon, say so in its results, and leave nothing."""
        call.send(number)
        done = call.finish(timeout_s=SOON_S)
        assert 130 == done.code, done.err
        self.look_at(done)
        assert [] == self.left_by(call.process.pid)
        assert [] == self.attempts()
        return done

    def look_at(self, done: Done):
        """Every trace is whole, and every attempt that has begun has its result."""
        assert "interrupted" == done.document["stopped"]
        folders = [path.parent.relative_to(self.out) for path in self.out.rglob("trace.jsonl")]
        assert folders
        for folder in map(str, folders):
            stop, kind = done.ending(folder)
            assert (stop == "interrupted") == (kind == "skipped"), (stop, kind)
            assert (self.out / folder / "result.json").exists()
        assert len(done.document["runs"]) == len(folders)

    def resume(self, *flags, repeat=1, **env):
        """Go on to the end: everything passes, and what was cut short is kept aside."""
        (self.folder / "go").touch()
        call = self.call("--resume", *flags, **env)
        done = call.finish()
        assert 0 == done.code, done.err
        runs = done.document["runs"]
        assert list(range(1, repeat + 1)) == [run["attempt"] for run in runs]
        assert {"passed"} == {run["classification"] for run in runs}
        assert "stopped" not in done.document or done.document["stopped"] is None
        assert [] == self.attempts()
        return done

    def attempts(self):
        base = self.folder / "attempts"
        return sorted(path.name for path in base.iterdir()) if base.exists() else []


@pytest.fixture(name="desk")
def _desk(tmp_path, left_by):
    return Desk(tmp_path, left_by)


CHECKED = "replay: [echo hello]\nsuccess: {script: 'GATE'}\n"
TORN_DOWN = "replay: [echo hello]\nsuccess: {script: 'true'}\nteardown: ['GATE']\n"
MOMENTS = {
    "a setup command": (
        "setup: ['echo begun; GATE']\nreplay: ['true']\nsuccess: {script: 'true'}\n",
        ("phase", {"phase": "working"}),
    ),
    "a command": (
        "replay: ['GATE']\nsuccess: {script: 'true'}\n",
        ("tool_call", {"tool": "bash"}),
    ),
    "settling": (
        "replay: [\"(trap '' TERM HUP INT; GATE; sleep 1) &\"]\nsuccess: {script: 'GATE'}\n",
        ("phase", {"phase": "judging"}),
    ),
    "the check": (CHECKED, ("phase", {"phase": "judging"})),
    "the teardown": (TORN_DOWN, ("success_check", {})),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_in_a_step_of_an_attempt(desk, moment):
    body, (kind, fields) = MOMENTS[moment]
    desk.write(body)
    call = desk.call("--repeat", "2")
    call.wait_for_event(kind, **fields)
    desk.interrupt(call)
    desk.resume("--repeat", "2", repeat=2)


def test_sigterm_is_ctrl_c(desk):
    desk.write(CHECKED)
    call = desk.call("--repeat", "2")
    call.wait_for_event("phase", phase="judging")
    desk.interrupt(call, signal.SIGTERM)
    desk.resume("--repeat", "2", repeat=2)


def test_a_second_ctrl_c_leaves_at_once_and_the_call_can_be_gone_on_with(desk):
    desk.write(TORN_DOWN)
    call = desk.call("--repeat", "2")
    call.wait_for_event("success_check")
    call.send(signal.SIGINT)
    wait_until(lambda: "press Ctrl-C again" in call.said, "the first answer")
    call.send(signal.SIGINT)
    done = call.finish(timeout_s=5)

    assert 130 == done.code
    assert "left at once" in done.err
    wait_until(lambda: not desk.attempts(), "the end of its folder")
    desk.resume("--repeat", "2", repeat=2)


def test_ctrl_c_while_attempts_are_held_back_by_a_limit(desk):
    desk.write("replay: ['GATE']\nsuccess: {script: 'true'}\n")
    flags = ("--repeat", "3", "--workers", "3", "--limit", "docs.example=1")
    call = desk.call(*flags)
    call.wait_for_event("tool_call", tool="bash")
    call.wait_for_event("holding")
    done = desk.interrupt(call)
    assert (1, 3) == (len(done.document["runs"]), done.document["attempts_planned"])
    desk.resume(*flags, repeat=3)


def test_ctrl_c_while_a_page_is_read(desk):
    released = threading.Event()

    def silence(_):
        released.wait(60)

    answers = {"/robots.txt": page("", 404), "/start": silence}
    with DocsServer(answers) as site:
        text = f"""\
            name: probe
            goal: Do as the page says.
            docs: {{path: ["{site.url("/start")}"]}}
            network: {{private: [127.0.0.1]}}
            replay: [echo hello]
            success: {{script: 'true'}}
            """
        (desk.folder / "probe.yaml").write_text(textwrap.dedent(text))
        call = desk.call("--rate-limit", "0")
        call.wait_for_event("tool_call", tool="read_docs")
        wait_until(lambda: any(path == "/start" for path, _ in site.requests), "the request")
        desk.interrupt(call)
        released.set()
        site.answers["/start"] = page("<h1>Start</h1>")
        desk.resume("--rate-limit", "0")


def test_ctrl_c_while_a_model_answers(desk):
    desk.write("success: {script: 'test -f done'}\n")
    script = [hang(), bash("touch done"), say("Done.")]
    with ScriptedMessagesApi(script, api_key="sk-test") as api:
        desk.flags = (*LOCAL, "--agent", "claude")
        desk.env = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": "sk-test",
            "QUICKSTARTED_ANTHROPIC_API_KEY": "",
        }
        call = desk.call()
        wait_until(lambda: len(api.requests) == 1, "the call of the model")
        desk.interrupt(call)
        desk.resume()


def test_ctrl_c_before_a_lost_attempt_is_made_again(desk, tmp_path):
    desk.write("replay: [echo hello]\nsuccess: {script: 'true'}\n")
    desk.flags = ()
    call = desk.call("--retries", "3", DOCKER_HOST=f"unix://{tmp_path}/no-engine.sock")
    call.wait_for_event("holding")
    call.send(signal.SIGINT)
    done = call.finish(timeout_s=SOON_S)

    assert 130 == done.code, done.err
    assert ("interrupted", []) == (done.document["stopped"], done.document["runs"])
    resumed = desk.resume("--retries", "3")
    assert 2 == resumed.document["runs"][0]["tries"]


def test_ctrl_c_while_results_are_written(desk):
    desk.write("replay: [sleep 2.5]\nsuccess: {script: 'true'}\n")
    seen = desk.folder / "seen"
    call = desk.call(
        *("--repeat", "5"),
        **odd_machine(),
        QS_SLOW_NAME="results.json",
        QS_SLOW_SEEN=str(seen),
        QS_SLOW_S="1",
    )
    assert call.wait_for(lambda _: seen.exists()), call.said
    done = desk.interrupt(call)
    assert 0 < len(done.document["runs"]) < 5


@pytest.mark.parametrize(
    ("phase", "number"),
    [("opening", signal.SIGINT), ("waiting", signal.SIGINT), ("command", signal.SIGTERM)],
)
def test_ctrl_c_in_containers(desk, phase, number):
    desk.write("replay: [echo hello, sleep 2]\nsuccess: {script: 'true'}\n")
    desk.flags = ()
    call = desk.call("--repeat", "2")
    if phase == "command":
        call.wait_for_event("tool_call", command="sleep 2")
    else:
        call.wait_for_event("phase", phase=phase)
    desk.interrupt(call, number)
    desk.resume("--repeat", "2", "--workers", "2", repeat=2)


def test_ctrl_c_while_a_registry_is_silent(desk, engine):
    with serving_registry(engine.version["Arch"]) as registry:
        image = f"image: {registry.host}/silent:1\n"
        write_task(desk.folder, f"{image}replay: ['true']\nsuccess: {{script: 'true'}}\n")
        desk.flags = ()
        call = desk.call()
        call.wait_for(lambda _: "waiting for its registry" in call.said)
        desk.interrupt(call)
