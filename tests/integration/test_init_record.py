"""`init --record`: a quickstart done once, through a pipe and at a real terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from fakes.program import finish, start
from fakes.terminals import PROMPT, at_terminal
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import OWNER, ROLE, Owner
from quickstarted.task import load_task

pytestmark = [
    pytest.mark.docker,
    # pexpect forks, and the engine's client may have threads by then.
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

URL = "https://docs.example/start/"
SITE = "<main><h1>Start</h1><p>Do it.</p></main>"
FETCH = "python3 -c \"import urllib.request as u; u.urlopen('http://no.example/')\""


@pytest.fixture(name="folder")
def _folder(tmp_path):
    site = tmp_path / "site" / "start"
    site.mkdir(parents=True)
    (site / "index.html").write_text(SITE)
    return tmp_path


def call(folder, *flags):
    site = f"https://docs.example/={folder / 'site'}"
    out = folder / "x.yaml"
    return ["init", URL, "--name", "x", "--out", out, "--docs-site", site, "--record", *flags]


def record(folder, commands, *flags):
    done = subprocess.run(
        [sys.executable, "-m", "quickstarted", *map(str, call(folder, *flags))],
        input=textwrap.dedent(commands).encode(),
        capture_output=True,
        timeout=200,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def task_of(folder):
    path = folder / "x.yaml"
    return load_task(path), path.read_text()


def proof_of(folder):
    return finish(start(["validate", "--prove", folder / "x.yaml"]), folder)


def assert_proved(folder):
    proof = proof_of(folder)
    assert 0 == proof.code, proof.out + proof.err


def kill_sandbox_of(engine, pid):
    (mine,) = [
        container["Id"]
        for container in engine.api.containers(filters={"label": f"{ROLE}=sandbox"})
        if (owner := Owner.parse(container["Labels"].get(OWNER, ""))) and owner.pid == pid
    ]
    engine.api.kill(mine)


def test_a_piped_quickstart_becomes_a_task_that_is_proved(folder):
    code, out, err = record(
        folder,
        """\
        ls
        python3 -m venv --without-pip .venv
        cat > app.py <<'PYTHON'
        import sys

        print("hello from", sys.argv[1])
        PYTHON
        cat app.py
        python3 missing.py
        for name in a b; do
          echo $name > $name.txt
        done
        .venv/bin/python \\
          app.py here
        cd /
        exit
        touch never
        """,
    )
    task, text = task_of(folder)

    assert 0 == code, err
    assert f"{folder / 'x.yaml'}: written" in out
    assert (
        "python3 -m venv --without-pip .venv",
        "cat > app.py <<'PYTHON'\nimport sys\n\nprint(\"hello from\", sys.argv[1])\nPYTHON",
        "for name in a b; do\n  echo $name > $name.txt\ndone",
        ".venv/bin/python \\\n  app.py here",
    ) == task.replay
    assert ("hello from here",) == task.success.expect_output.contains
    assert "test -e app.py || qs_fail" in task.success.script
    for line in ("ls  (only looks)", "python3 missing.py  (exit 2)", "cd /  (nothing came after"):
        assert line in text
    assert "$ cat > app.py <<'PYTHON'\n> import sys" in err
    proof = proof_of(folder)
    assert 0 == proof.code, proof.out
    assert "proved (fails untouched, passes after replay" in proof.out


def test_refused_hosts_are_told_and_written_down_where_that_is_wanted(folder):
    code, _, err = record(folder, f"{FETCH}\ntouch x\n")
    _, text = task_of(folder)
    (folder / "x.yaml").unlink()
    agreed, _, _ = record(folder, f"{FETCH}\ntouch x\n", "--yes", "--allow", "other.example")
    task, _ = task_of(folder)

    assert (0, 0) == (code, agreed)
    assert (
        "[refused: no.example is not on the allowlist; --allow no.example lets it through]" in err
    )
    assert "--yes writes them down" in err
    assert "#   no.example\n" in text
    assert ["other.example", "no.example"] == [one.host for one in task.network.allow]


def test_a_server_in_the_background_is_asked_by_the_check(folder):
    code, _, err = record(
        folder, "echo hi > index.html\npython3 -m http.server 8123 > log 2>&1 &\nsleep 1\n"
    )
    task, _ = task_of(folder)

    assert 0 == code, err
    assert ("http://127.0.0.1:8123/", "keep") == (
        task.success.wait_http.url,
        task.success.leftovers,
    )
    assert_proved(folder)


def test_a_server_in_the_foreground_becomes_the_one_that_the_check_starts(folder):
    server = "python3 -u -m http.server 8124"
    code, _, err = record(folder, f"mkdir www\ncd www\ntouch here\n{server}\n")
    task, text = task_of(folder)

    assert 0 == code, err
    assert "[ended after 10 s: it does not end by itself]" in err
    assert f"cd www && {server}" == task.success.serve
    assert "http://127.0.0.1:8124/" == task.success.wait_http.url
    assert f"#   {server}  (a server in the foreground)" in text
    assert_proved(folder)


def test_an_image_without_bash_is_recorded_line_by_line(folder, busybox):
    code, _, err = record(
        folder, "cat > f <<E\nx\nE\nif true; then\n  touch g\nfi\n", "--image", busybox
    )
    task, _ = task_of(folder)

    assert 0 == code, err
    assert (busybox, ("cat > f <<E\nx\nE", "if true; then\n  touch g\nfi")) == (
        task.image,
        task.replay,
    )
    assert_proved(folder)


def test_nothing_recorded_is_a_scaffold(folder):
    code, _, _ = record(folder, "")
    task, _ = task_of(folder)

    assert (0, ()) == (code, task.replay)
    assert "has not been written yet" in task.success.script


def test_a_quickstart_done_at_a_terminal_becomes_a_task_that_is_proved(folder):
    with at_terminal(call(folder), folder) as person:
        person.sees(PROMPT)
        while_recording = person.mode()
        assert "40 120" in person.gives("stty size; ls")
        person.gives("export NAME=world")
        person.gives("cat > app.py <<'E'\nimport os\n\nprint('hello', os.environ['NAME'])\nE")
        assert "a!b" in person.gives("echo 'a!b'")
        assert "[refused: no.example is not on" in person.gives(FETCH)
        person.child.sendline("echo begun; sleep 100")
        person.sees("begun\r\n")
        person.child.setwinsize(33, 77)
        person.types("\x03")
        assert "^C" in person.sees(PROMPT)
        assert "33 77" in person.gives("ls; stty size")
        assert "hello world" in person.gives("python3 app.py")
        person.types("\x04")
        person.sees("Write them down as network.allow")
        assert while_recording != person.mode()
        person.child.sendline("y")
        code = person.leaves()
    task, text = task_of(folder)

    assert 0 == code
    assert (
        "stty size; ls",
        "export NAME=world",
        "cat > app.py <<'E'\nimport os\n\nprint('hello', os.environ['NAME'])\nE",
        "ls; stty size",
        "python3 app.py",
    ) == task.replay
    assert ["no.example"] == [one.host for one in task.network.allow]
    assert ("hello world",) == task.success.expect_output.contains
    assert "#   echo begun; sleep 100  (exit 130)\n" in text


def test_a_server_ended_with_ctrl_c_is_served_by_the_check(folder):
    server = "python3 -u -m http.server 8125"
    with at_terminal(call(folder), folder) as person:
        person.sees(PROMPT)
        person.gives("touch here")
        person.child.sendline(server)
        person.sees("Serving HTTP")
        person.types("\x03")
        person.sees(PROMPT)
        person.child.sendline("exit")
        code = person.leaves()
    task, _ = task_of(folder)

    assert 0 == code
    assert (("touch here",), server) == (task.replay, task.success.serve)
    assert_proved(folder)


def test_what_is_typed_into_another_shell_is_told_to_be_lost_and_keys_are_pointed_at(folder):
    with at_terminal(call(folder), folder) as person:
        person.sees(PROMPT)
        person.gives("export TOKEN=hunter2")
        person.child.sendline("bash")
        person.sees(r"sandbox:/workspace# ")
        person.child.sendline("touch inner; exit")
        person.sees("is not recorded; do it again here")
        person.sees(PROMPT)
        person.child.sendline("exec bash")
        person.sees(r"sandbox:/workspace# ")
        person.child.sendline("exit")
        person.sees("was replaced")
        person.sees("what looks like a key")
        code = person.leaves()
    task, text = task_of(folder)

    assert (0, ("export TOKEN=hunter2",)) == (code, task.replay)
    assert "see that it may be published" in text
    assert "bash  (waits for a person; what was typed into it is not recorded)" in text


def test_a_terminal_without_bash_in_the_image_is_asked_line_by_line(folder, busybox):
    with at_terminal(call(folder, "--image", busybox), folder) as person:
        person.sees(PROMPT)
        person.child.sendline("cat > f <<E")
        person.sees("> ")
        person.child.sendline("x")
        person.sees("> ")
        person.gives("E")
        assert "f" in person.gives("ls")
        person.types("\x04")
        code = person.leaves()
    task, _ = task_of(folder)

    assert (0, ("cat > f <<E\nx\nE",)) == (code, task.replay)


def test_the_terminal_is_as_before_when_the_program_is_told_to_stop(folder, engine):
    with at_terminal(call(folder), folder) as person:
        person.sees("recorded; `exit` or Ctrl-D")
        before = person.mode()
        person.sees(PROMPT)
        assert before != person.mode()
        person.child.kill(signal.SIGTERM)
        person.sees("ending cleanly")
        person.sees("interrupted while the quickstart was recorded")
        after = person.mode()
        pid = person.child.pid
        code = person.leaves()

    found = sweep(engine, now=time.time(), dry_run=True)
    owners = [Owner.parse(one.owner) for one in found if one.kind != "image"]
    assert (130, before) == (code, after)
    assert [] == [owner for owner in owners if owner and owner.pid == pid]
    assert not (folder / "x.yaml").exists()


def test_a_terminal_that_is_hung_up_costs_nothing_that_was_recorded(folder):
    with at_terminal(call(folder), folder) as person:
        person.sees(PROMPT)
        person.gives("touch here")
        person.child.kill(signal.SIGHUP)
        person.sees("x.yaml: written")
        code = person.leaves()
    task, _ = task_of(folder)

    assert (0, ("touch here",)) == (code, task.replay)


def test_a_sandbox_that_dies_costs_nothing_that_was_recorded(folder, engine):
    with at_terminal(call(folder), folder) as person:
        person.sees(PROMPT)
        person.gives("touch here")
        kill_sandbox_of(engine, person.child.pid)
        person.sees("looking at what was left")
        code = person.leaves()
    task, _ = task_of(folder)

    assert (0, ("touch here",)) == (code, task.replay)


def test_no_engine_is_said(folder):
    done = subprocess.run(
        [sys.executable, "-m", "quickstarted", *map(str, call(folder))],
        input=b"ls\n",
        capture_output=True,
        check=False,
        env={**os.environ, "DOCKER_HOST": "unix:///nowhere/engine.sock"},
    )

    assert 2 == done.returncode
    assert b"no container engine answers" in done.stderr
    assert not (folder / "x.yaml").exists()


@pytest.mark.parametrize(
    ("flags", "text", "why"),
    [
        (["--allow", "http://x/"], b"", "--allow: a host has no scheme"),
        ([], b"echo \xff\n", "standard input is not UTF-8"),
    ],
)
def test_wrong_input_is_said_and_nothing_is_written(folder, flags, text, why):
    done = subprocess.run(
        [sys.executable, "-m", "quickstarted", *map(str, call(folder, *flags))],
        input=text,
        capture_output=True,
        check=False,
    )

    assert 3 == done.returncode
    assert why in done.stderr.decode()
    assert not (folder / "x.yaml").exists()
