import pytest

from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.selection import is_leaving, is_server, select

TALKED = "waits for a person; what was typed into it is not recorded"


def done(*commands):
    return [Done(command=command, exit_code=0) for command in commands]


def kept(commands):
    return [one.command for one in select(commands).kept]


def reasons(commands):
    return {one.done.command: one.why for one in select(commands).left_out}


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "pwd",
        "cat app.py",
        "cat app.py | head -3 | grep x",
        "ls 2>/dev/null && pwd",
        "echo hello",
        "cat app.py 2>&1",
        "# a comment",
        "which python; type pip",
    ],
)
def test_what_only_looks_is_left_out(command):
    assert {command: "only looks"} == reasons(done(command, "pip install x"))


@pytest.mark.parametrize(
    "command",
    [
        "cat > app.py <<'E'\nx\nE",
        "echo x >> file",
        "echo x | tee file",
        "echo $(rm file)",
        "cat script | sh",
        "X=1",
        "X=1 ls",
        "export X=1",
        "f() { ls; }",
        "for x in 1; do touch $x; done",
        "python --version",
        "python <<'E'\nprint(1)\nE",
        "python < script.py",
        "find . -delete",
        "git status",
        "echo 'unclosed",
        "ls &",
        "nano --version > f",
        "su -c 'touch b'",
        "sqlite3 ex1 'create table x(a)'",
        "sqlite3 ex1 < script.sql",
        "echo 'select 1;' | sqlite3 ex1",
        "psql -U postgres -c 'select 1'",
        "psql --command='select 1'",
        "bash script.sh",
    ],
)
def test_what_may_change_something_is_kept(command):
    assert [command, "pip install x"] == kept(done(command, "pip install x"))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("nano app.py", "an editor: write the file with a heredoc"),
        ("sudo vim /etc/hosts", "an editor: write the file with a heredoc"),
        ("python3", TALKED),
        ("bash", TALKED),
        ("su", TALKED),
        ("su - me", TALKED),
        ("sudo su", TALKED),
        ("sqlite3 ex1", TALKED),
        ("psql -U postgres", TALKED),
        ("mysql -u root", TALKED),
        ("exit 0", "it ends the shell"),
        ("fg", "job control: a replay has no terminal"),
        ("kill %1", "job control: a replay has no terminal"),
    ],
)
def test_what_needs_a_person_is_left_out_with_a_reason(command, why):
    assert {command: why} == reasons(done(command, "pip install x"))


def test_what_failed_is_left_out_with_its_exit_code():
    commands = [Done(command="pip install nope", exit_code=1), *done("pip install yes")]

    assert ["pip install yes"] == kept(commands)
    assert {"pip install nope": "exit 1"} == reasons(commands)


def test_moving_is_kept_only_where_something_follows():
    commands = done("cd app", "npm ci", "cd ..", "ls", "pushd x && popd")

    assert ["cd app", "npm ci"] == kept(commands)
    assert "nothing came after it" == reasons(commands)["cd .."]


def test_moving_before_a_server_is_kept():
    commands = [*done("cd app"), Done(command="flask run", exit_code=130)]
    selection = select(commands)

    assert ["cd app"] == [one.command for one in selection.kept]
    assert ["flask run"] == [one.command for one in selection.servers]
    assert () == selection.left_out


def test_what_names_a_url_of_this_machine_until_ctrl_c_is_a_server():
    output = "Listening on http://localhost:3000\n"
    ended = Done(command="./own-server", exit_code=0, output=output, interrupted=True)
    returned = Done(command="./own-server", exit_code=0, output=output)

    assert ((ended,), ()) == (select([ended]).servers, select([returned]).servers)
    assert () == select([ended]).kept


def test_a_server_in_the_background_is_a_command_like_others():
    assert ["flask run &"] == kept(done("flask run &"))


def test_the_same_command_twice_is_kept_twice():
    assert ["make", "make"] == kept(done("make", "make"))


@pytest.mark.parametrize(
    ("command", "leaves"), [("exit", True), (" logout ", True), ("exit 3", True), ("exit-x", False)]
)
def test_leaving_is_told(command, leaves):
    assert leaves is is_leaving(command)


@pytest.mark.parametrize(
    ("command", "serves"),
    [("flask run", True), ("python -m http.server", True), ("flask run &", False), ("ls", False)],
)
def test_servers_in_the_foreground_are_told(command, serves):
    assert serves is is_server(command)
