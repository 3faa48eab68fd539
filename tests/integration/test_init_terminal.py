"""`init --record` at a real terminal: a person types, and the terminal is as before at the end."""

from __future__ import annotations

import signal
import time

import pytest

from fakes.recordings import FETCH, assert_proved, call, task_of, write_site
from fakes.terminals import PROMPT, at_terminal
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import OWNER, ROLE, Owner

pytestmark = [
    # A person at a terminal types when the prompt is there; beside other tests it may be late.
    pytest.mark.alone,
    pytest.mark.docker,
    # pexpect forks, and the engine's client may have threads by then.
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


@pytest.fixture(name="folder")
def _folder(tmp_path):
    return write_site(tmp_path)


def kill_sandbox_of(engine, pid):
    (mine,) = [
        container["Id"]
        for container in engine.api.containers(filters={"label": f"{ROLE}=sandbox"})
        if (owner := Owner.parse(container["Labels"].get(OWNER, ""))) and owner.pid == pid
    ]
    engine.api.kill(mine)


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
