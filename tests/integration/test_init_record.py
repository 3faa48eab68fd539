"""`init --record` through a pipe: commands are run one after the other."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from fakes.recordings import FETCH, assert_proved, call, proof_of, task_of, write_site

pytestmark = pytest.mark.docker


@pytest.fixture(name="folder")
def _folder(tmp_path):
    return write_site(tmp_path)


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


@pytest.mark.slow
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
