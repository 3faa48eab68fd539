"""Commands that may serve, started by a real shell."""

import subprocess
import sys

import pytest

from quickstarted.page_steps import attending
from quickstarted.page_steps.attending import attended, is_known_server, same_server
from quickstarted.page_steps.model import WriteFile
from quickstarted.page_steps.writing import writing

SERVER = (
    f'{sys.executable} -c \'import socket, time; s = socket.socket(); s.bind(("127.0.0.1", 0));'
    ' s.listen(); print("up", flush=True); time.sleep(60)\''
)


@pytest.fixture(name="shell")
def _shell(tmp_path):
    """Runs commands one after the other in a shell of their own; the script stays in tmp_path."""

    def run(*commands):
        script = "\n".join(commands).replace("/tmp/quickstarted-att", f"{tmp_path}/att")
        done = subprocess.run(
            ["bash", "-c", f'{script}\necho "code $?"\nkill $(cat {tmp_path}/att*/*.pid)'],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            cwd=tmp_path,
        )
        return done.stdout

    return run


def test_what_ends_gives_its_output_and_its_exit_code(shell):
    assert "said\ncode 3\n" == shell(attended("echo said; (exit 3)", 1))


def test_what_listens_is_left_running(shell):
    assert "up\n(it listens, and is left running)\ncode 0\n" == shell(attended(SERVER, 1))


def test_a_server_that_is_started_again_takes_the_place_of_the_first(shell):
    alive = 'kill -0 "$(cat /tmp/quickstarted-attended/1.pid)" 2>&1 | grep -c "No such process"'

    said = shell(attended(SERVER, 1), attended(SERVER, 2, instead_of=1), alive)

    assert "1\ncode 0\n" == said[-9:]


@pytest.mark.parametrize(
    ("command", "expected"),
    [("flask run", True), ("npm run dev", True), ("node app.js", False), ("ls", False)],
)
def test_known_servers_are_waited_for_a_while_only(command, expected):
    assert expected == is_known_server(command)
    patience = attending.PATIENCE_S if expected else 0
    assert f"patience={patience}\n" in attended(command, 2)


def test_one_server_is_known_again():
    assert same_server("flask --app hello run") == same_server("flask --app hello run --debug")
    assert same_server("npm run dev") != same_server("npm run build")


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (WriteFile(path="a b/c.txt", text="x", line=1), {"a b/c.txt": "x\n"}),
        (
            WriteFile(path="d.txt", text="END_OF_FILE\n$HOME `x`\n", line=1),
            {"d.txt": "END_OF_FILE\n$HOME `x`\n\n"},
        ),
    ],
)
def test_a_file_is_written_as_it_stands(step, expected, tmp_path):
    subprocess.run(["sh", "-c", writing(step)], check=True, cwd=tmp_path)

    assert expected == {name: (tmp_path / name).read_text() for name in expected}


def test_a_part_is_added_to_the_file_that_is_there(tmp_path):
    (tmp_path / "a.txt").write_text("1\n")

    command = writing(WriteFile(path="a.txt", text="2", line=1, appends=True))
    subprocess.run(["sh", "-c", command], check=True, cwd=tmp_path)

    assert "1\n2\n" == (tmp_path / "a.txt").read_text()
