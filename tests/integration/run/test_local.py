"""Runs by the local backend, as a person starts them: no engine, this machine's own programs."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import psutil
import pytest

from fakes.program import COMMAND, Done, finish, has_event, start, wait_until, write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE

FLAGS = ["--backend", "local", "--allow-unenforced"]
DAEMON = textwrap.dedent("""\
    import os, sys, time
    if os.fork(): os._exit(0)
    os.setsid()
    if os.fork(): os._exit(0)
    open(sys.argv[1], "w").write(str(os.getpid()))
    time.sleep(600)
    """)
"""Leaves its family as daemons do; started with an empty environment it carries no mark either."""


@dataclasses.dataclass
class Desk:
    """A folder with a task, and where the attempts of its runs are."""

    folder: Path

    @property
    def base(self):
        """Where attempts have their folders."""
        return self.folder / "attempts"

    @property
    def results(self):
        return self.folder / "results"

    def task(self, body):
        return write_task(self.folder, body)

    def env(self, **more):
        return {BASE_VARIABLE: str(self.base), **more}

    def start(self, body, *flags, **env):
        args = ["run", self.task(body), "--out", self.results, *FLAGS, *flags]
        return start(args, env=self.env(**env))

    def run(self, body, *flags, **env):
        return finish(self.start(body, *flags, **env), self.results)

    def call(self, *args):
        return finish(start(args, env=self.env()), self.results)

    def attempts(self):
        """Names of folders of attempts that are there."""
        return sorted(path.name for path in self.base.iterdir())

    def pid_in(self, name):
        """The number in a file, once it is there."""
        path = self.folder / name
        wait_until(lambda: path.exists() and path.read_text().strip().isdigit(), name)
        return int(path.read_text())


@pytest.fixture(name="desk")
def _desk(tmp_path):
    (tmp_path / "daemon.py").write_text(DAEMON)
    return Desk(tmp_path)


def is_gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def daemon(desk, name):
    """A command that starts the daemon, which writes its number to the file."""
    python = sys.executable
    path = f"{desk.folder}/{name}"
    return (
        f"env -i {python} {desk.folder}/daemon.py {path}; until test -s {path}; do sleep 0.1; done"
    )


PASSING = """\
    replay: [echo hello > made, cat made]
    success: {script: 'test -s made', expect_output: {contains: hello}}
    """


def test_without_leave_the_call_is_refused_and_nothing_runs(desk):
    task = desk.task("replay: [touch ran]\nsuccess: {script: 'true'}")
    done = desk.call("run", task, "--out", desk.results, "--backend", "local")

    assert 3 == done.code
    assert "the local backend enforces nothing" in done.err
    assert "--allow-unenforced" in done.err
    assert not desk.results.exists()
    assert not desk.base.exists()


def test_a_passing_run_is_marked_in_every_result_and_leaves_nothing(desk):
    done = desk.run(PASSING)

    assert 0 == done.code, done.err
    assert ("completed", "passed") == done.ending()
    assert "[PASS, nothing enforced] probe" in done.out
    assert "NOTHING ENFORCED" in done.err
    assert not done.document["enforced"]
    run = done.document["runs"][0]
    assert ("local", False) == (run["backend"], run["enforced"])
    begun, ready = done.events()[0], done.of_type("sandbox_ready")[0]
    assert ("local", False) == (begun.backend, begun.enforced)
    assert "no request is on record" in ready.notes[0]
    assert f"the image {begun.image} is ignored" in ready.notes
    assert ready.limits["pids"]["not_enforced"]
    record = json.loads((desk.results / "probe" / "run.json").read_text())
    assert ("local", False) == (record["backend"], record["enforced"])
    for name in ("probe/report.md", "suite.md"):
        assert "**Nothing enforced**" in (desk.results / name).read_text()
    assert [] == desk.attempts()


@pytest.mark.parametrize(
    ("body", "code", "ending"),
    [
        pytest.param(
            "replay: ['exit 3']\nsuccess: {script: 'false'}",
            1,
            ("command_failed", "docs_gap"),
            id="docs gap",
        ),
        pytest.param(
            "replay: ['sleep 60']\nbudgets: {max_command_seconds: 1}\nsuccess: {script: 'false'}",
            1,
            ("command_failed", "docs_gap"),
            id="timeout",
        ),
        pytest.param(
            "setup: ['exit 4']\nreplay: ['true']\nsuccess: {script: 'true'}",
            2,
            ("fault", "harness_error"),
            id="setup",
        ),
        pytest.param(
            "services: ['exit 7']\nreplay: ['true']\nsuccess: {script: 'true'}",
            2,
            ("fault", "harness_error"),
            id="service",
        ),
    ],
)
def test_an_ending_is_what_it_is_in_a_container(desk, body, code, ending):
    done = desk.run(body)

    assert (code, ending) == (done.code, done.ending()), done.err
    assert [] == desk.attempts()


def test_a_file_of_the_tasks_workspace_a_server_and_a_service_are_there_for_commands_and_check(
    desk,
):
    given = {
        "page.txt": "from the task",
        "port.py": "import socket; s = socket.socket(); s.bind(('', 0)); print(s.getsockname()[1])",
        "get.py": "import sys; from urllib.request import urlopen; urlopen(sys.argv[1])",
    }
    (desk.folder / "given").mkdir()
    for name, text in given.items():
        (desk.folder / "given" / name).write_text(text)
    done = desk.run("""\
        workspace: given
        services: ['echo up > up; exec sleep 300']
        replay:
          - export PORT=$(python3 port.py)
          - python3 -m http.server --bind 127.0.0.1 $PORT >log 2>&1 & echo $! >pid
          - until python3 get.py http://127.0.0.1:$PORT/page.txt; do sleep 0.1; done
        success:
          serve: python3 -m http.server --bind 127.0.0.1 $QS_PORT
          wait_http: {path: /page.txt, contains: from the task}
          script: |
            test -e up || qs_fail "no service"
            ! kill -0 $(cat pid) 2>/dev/null || qs_fail "the server is still there"
        """)

    assert (0, ("completed", "passed")) == (done.code, done.ending()), done.err + done.out
    left = done.of_type("left_processes")[0]
    assert "reaped" == left.action
    assert ["http.server" in command for command in left.processes] == [True]
    assert ["started", "started"] == [event.state for event in done.of_type("service")]
    assert [] == desk.attempts()


def test_leftovers_are_kept_for_the_check_where_the_task_says_so_and_ended_after_it(desk):
    done = desk.run(f"""\
        replay: ['sleep 300 & echo $! >{desk.folder}/pid']
        success: {{leftovers: keep, script: 'kill -0 $(cat {desk.folder}/pid)'}}
        """)

    assert 0 == done.code, done.err
    assert "kept" == done.of_type("left_processes")[0].action
    assert is_gone(desk.pid_in("pid"))


def test_a_timeout_ends_a_daemon_that_left_everything_behind_and_no_bystander(desk):
    with subprocess.Popen(["sleep", "300"], start_new_session=True) as bystander:
        done = desk.run(f"""\
            replay: ['{daemon(desk, "early")}', '{daemon(desk, "late")}; sleep 300']
            budgets: {{max_command_seconds: 3}}
            success: {{leftovers: keep, script: 'kill -0 $(cat {desk.folder}/early) && exit 9'}}
            """)
        ran_on = bystander.poll() is None
        bystander.kill()

    late, early = desk.pid_in("late"), desk.pid_in("early")
    assert 124 == done.of_type("tool_result")[-1].exit_code
    assert 9 == done.of_type("success_check")[0].exit_code, "the earlier one was there still"
    assert ran_on
    assert [True, True] == [is_gone(late), is_gone(early)]
    assert [f"{sys.executable} {desk.folder}/daemon.py {desk.folder}/early"] == done.of_type(
        "left_processes"
    )[0].processes


def test_what_was_kept_is_checked_again_where_it_was_and_needs_leave_too(desk):
    done = desk.run(
        """\
        replay: ['python3 -m venv --without-pip .venv', 'mkfifo pipe', 'mkdir shut', 'chmod 0 shut']
        success: {script: .venv/bin/python -c pass}
        """,
        "--keep-sandbox",
    )
    kept = done.of_type("sandbox_saved")[0]
    script = f"""\
        replay: ['true']
        success:
          script: |
            . .venv/bin/activate
            test "$(python -c 'import sys; print(sys.prefix)')" = "$PWD/.venv" || exit 5
            case $PWD in {desk.base}/attempt-*) exit 0 ;; esac
            exit 6
        """
    task = desk.task(script)
    refused = desk.call("check", task, "--sandbox", desk.results / "probe")
    twice = [
        desk.call("check", task, "--sandbox", desk.results / "probe", "--allow-unenforced")
        for _ in range(2)
    ]

    assert 0 == done.code, done.err + done.out
    assert 3 == refused.code
    assert [0, 0] == [one.code for one in twice], twice[0].err + twice[0].out
    assert [kept.image.removeprefix("local:")] == desk.attempts()


def test_what_is_not_kept_any_more_is_said(desk):
    desk.run("replay: ['true']\nsuccess: {script: 'true'}", "--keep-sandbox")
    shutil.rmtree(desk.base)
    done = desk.call(
        "check", desk.folder / "probe.yaml", "--sandbox", desk.results / "probe",
        "--allow-unenforced",
    )  # fmt: skip

    assert 2 == done.code
    assert "is not in" in done.err
    assert "--keep-sandbox" in done.err


def test_ctrl_c_ends_what_runs_and_leaves_nothing(desk):
    process = desk.start(f"""\
        replay: ['sleep 300 & echo $! >{desk.folder}/pid; wait']
        success: {{script: 'true'}}
        """)
    pid = desk.pid_in("pid")
    process.send_signal(signal.SIGINT)
    done = finish(process, desk.results)

    assert (130, ("interrupted", "skipped")) == (done.code, done.ending())
    assert is_gone(pid)
    assert [] == desk.attempts()


def test_a_harness_that_is_killed_takes_its_attempt_with_it(desk):
    process = desk.start(f"""\
        replay: ['{daemon(desk, "pid")}; sleep 300']
        success: {{script: 'true'}}
        """)
    pid = desk.pid_in("pid")
    process.kill()
    process.communicate()

    wait_until(lambda: is_gone(pid), "the end of its processes")
    wait_until(lambda: not desk.attempts(), "the end of its folder")


def test_what_is_left_when_the_keeper_is_killed_too_is_removed_by_gc_and_by_the_next_run(desk):
    body = f"replay: ['sleep 300 & echo $! >{desk.folder}/pid; wait']\nsuccess: {{script: 'true'}}"
    for clean_up in ("gc", "run"):
        (desk.folder / "pid").unlink(missing_ok=True)
        process = desk.start(body)
        pid = desk.pid_in("pid")
        keeper = next(
            child
            for child in psutil.Process(process.pid).children()
            if "quickstarted.sandbox.local.keeper" in child.cmdline()
        )
        keeper.suspend()
        process.kill()
        process.communicate()
        keeper.kill()
        left = desk.attempts()
        if clean_up == "gc":
            shown = desk.call("gc", "--json").out
            named = [one["name"] for one in json.loads(shown)["objects"]]
        else:
            desk.run(PASSING)
            named = left

        assert 1 == len(left)
        assert set(left) <= set(named)
        assert [] == desk.attempts()
        assert is_gone(pid)


def test_a_keeper_that_dies_costs_processes_and_not_the_attempt(desk):
    done = desk.run("""\
        replay:
          - echo kept >file; read -r _ _ _ keeper _ </proc/$PPID/stat
          - (sleep 0.2; kill -9 $keeper) &
          - sleep 0.5
          - cat file
        success: {script: 'test -s file'}
        """)

    assert [0] * 4 == [event.exit_code for event in done.of_type("tool_result")]
    assert 1 == len(done.of_type("sandbox_restarted"))
    assert ("completed", "passed") == done.ending()
    assert [] == desk.attempts()


def test_commands_have_a_short_list_of_the_callers_variables_and_the_tasks(desk):
    done = desk.run(
        "env: {GIVEN: here}\nreplay: ['env | sort']\nsuccess: {script: 'true'}",
        ANTHROPIC_API_KEY="sk-secret",
        GITHUB_TOKEN="secret",
        SOMETHING="else",
        LANG="C.UTF-8",
        HTTPS_PROXY="http://proxy.example:3128",
    )
    printed = done.of_type("tool_result")[0].output
    names = {line.partition("=")[0] for line in printed.splitlines()}

    assert {"GIVEN", "LANG", "HTTPS_PROXY", "HOME", "TMPDIR", "PATH"} <= names
    assert not names & {"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "SOMETHING", "PYTHONPATH"}
    assert "secret" not in printed


def test_nobody_in_particular_can_run_it(tmp_path):
    """
    As a user without privileges, with what `docker run --user 65534` leaves it. It may read
    everything, because the interpreter of the tests can be in its owner's home.
    """
    away = []
    if os.geteuid() == 0:
        read = "+dac_read_search"
        away = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        away += [f"--inh-caps={read}", f"--ambient-caps={read}"]
    folder = Path(tempfile.mkdtemp(prefix="qs-nobody-"))
    try:
        path = write_task(
            folder,
            """\
            setup: [mkdir -p deep/er && chmod 555 deep/er deep]
            services: ['sleep 300']
            replay: ['id -u > uid', 'sleep 300 & touch $HOME/x $TMPDIR/x']
            success: {script: 'test -s uid'}
            """,
        )
        if away:
            shutil.chown(folder, 65534, 65534)
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "TMPDIR": str(folder),
        }
        args = [*away, *COMMAND, "run", path, "--out", folder / "results", *FLAGS]
        ran = subprocess.run(
            list(map(str, args)), env=env, cwd=folder, capture_output=True, text=True, check=False
        )
        done = Done(ran.returncode, ran.stdout, ran.stderr, folder / "results")

        assert (0, ("completed", "passed")) == (done.code, done.ending()), done.err
        assert ["sleep 300"] == done.of_type("left_processes")[0].processes
        uid = 65534 if away else os.geteuid()
        assert [] == list((folder / f"quickstarted-{uid}").iterdir())
    finally:
        shutil.rmtree(folder)


def test_a_folder_that_others_may_write_to_is_refused(desk):
    desk.base.mkdir()
    desk.base.chmod(0o777)
    done = desk.run(PASSING)

    assert 3 == done.code
    assert "is not a folder that only you may write to" in done.err
    assert has_event(desk.results, "run_start") is False


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("exec:true", "the local backend has no proxy through which a program could read"),
        ("claude-code", "the local backend cannot keep a secret"),
    ],
)
def test_a_program_that_needs_a_sandbox_is_refused_with_what_to_do(desk, agent, words):
    key = {"ANTHROPIC_API_KEY": "sk-ant-0123456789" if agent == "claude-code" else ""}
    others = dict.fromkeys(
        ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "QUICKSTARTED_ANTHROPIC_API_KEY"), ""
    )
    done = desk.run("success: {script: 'true'}\n", "--agent", agent, **key, **others)

    assert 2 == done.code
    assert "harness_error" == done.ending()[1]
    (fault,) = done.of_type("fault")
    assert words in fault.error
    assert "--backend docker" in fault.hint
