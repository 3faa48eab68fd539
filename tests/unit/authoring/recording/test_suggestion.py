from dataclasses import dataclass, field

import pytest

from quickstarted.authoring.recording.local_url import local_url
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.remains import Server
from quickstarted.authoring.recording.selection import select
from quickstarted.authoring.recording.suggestion import suggest


@dataclass
class Left:
    """The findings of `Remains`, without a sandbox."""

    files: list = field(default_factory=list)
    entries: list = field(default_factory=list)
    servers: list = field(default_factory=list)


def values(commands, **left):
    check = suggest(select(commands), Left(**left))
    return None if check is None else dict(check.values)


def done(command, output="", exit_code=0):
    return Done(command=command, exit_code=exit_code, output=output)


def test_files_are_asked_for_those_first_that_the_last_commands_name():
    commands = [done("touch a b c"), done("cat > app.py <<'E'\nE"), done("python app.py")]
    found = values(commands, files=["a", "b", "c", "app.py", "package-lock.json"])

    assert {
        "script": 'test -e app.py || qs_fail "there is no app.py in the workspace"\n'
        'test -e a || qs_fail "there is no a in the workspace"\n'
        'test -e b || qs_fail "there is no b in the workspace"\n'
    } == found


def test_odd_file_names_stay_names():
    found = values([done("touch x")], files=['a b"$(x)'])

    assert {
        "script": 'test -e \'a b"$(x)\' || qs_fail "there is no a b\\"\\$(x) in the workspace"\n'
    } == found


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("hello\n", "hello"),
        ("\x1b[32mgreen\x1b[0m\r\n", "green"),
        ("1 hour, 1 minute and 1 second\n", "1 hour, 1 minute and 1 second"),
        ("ready\nDone in 3.2s\n", "ready"),
        ("fine\n12:30:01 finished\n", "fine"),
        ("fine\nbuilt 4f2a9c01b\n", "fine"),
        ("added\n[notice] A new release of pip is available\n", "added"),
        ("ab\n", None),
        ("| hello |\n ======\n (oo)\\____\n ||    ||\n", "| hello |"),
        ("+----+\n| 42 |\n+----+\n", "| 42 |"),
        ("50%\n", None),
        ("", None),
        ("object at 0x7f00aa\n", None),
        ("x" * 200, None),
    ],
)
def test_the_last_line_that_is_the_same_each_time_is_expected(output, line):
    found = values([done("python app.py", output)], entries=["app.py"])

    expected = {"expect_output": {"contains": line}} if line else None
    assert expected == found if line else "expect_output" not in found


@pytest.mark.parametrize("command", ["pip install x", "python -m pip install x", "npm ci", "x &"])
def test_what_installers_and_background_commands_print_is_not_expected(command):
    found = values([done(command, "Successfully installed x\n")], entries=[".venv"])

    assert {"script": 'test -e .venv || qs_fail "there is no .venv in the workspace"\n'} == found


def test_nothing_left_is_no_check():
    assert values([done("true && false || :")]) is None


def test_a_server_that_was_ended_is_served_with_the_state_of_its_shell():
    commands = [
        done("python3 -m venv .venv"),
        done(". .venv/bin/activate"),
        done("export FLASK_APP=hello"),
        done("flask run", " * Running on http://127.0.0.1:5000\r\n", exit_code=130),
    ]

    assert {
        "serve": ". .venv/bin/activate && export FLASK_APP=hello && flask run",
        "wait_http": {"url": "http://127.0.0.1:5000/"},
    } == values(commands)


def test_a_server_in_the_background_is_kept_and_asked():
    found = values([done("flask run &")], servers=[Server(5000, 404)])

    assert {
        "leftovers": "keep",
        "wait_http": {"url": "http://127.0.0.1:5000/", "status": 404, "timeout": 10},
    } == found


def test_a_port_that_does_not_answer_is_only_told():
    check = suggest(
        select([done("redis-server &")]), Left(servers=[Server(6379, 0)], files=["dump.rdb"])
    )

    assert ["script"] == list(check.values)
    assert any("port 6379" in line for line in check.comments)


@pytest.mark.parametrize(
    ("output", "url"),
    [
        ("  Local:   http://localhost:5173/\n", "http://127.0.0.1:5173/"),
        ("Serving at http://0.0.0.0:8000/docs/ now\n", "http://127.0.0.1:8000/docs/"),
        ("on http://[::]:3000\n", "http://127.0.0.1:3000/"),
        ("http://127.0.0.1\n", "http://127.0.0.1/"),
        ("see https://docs.example:8000/\n", ""),
    ],
)
def test_the_url_that_a_server_names_is_found(output, url):
    assert url == local_url(output)
