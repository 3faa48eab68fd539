import pytest

from quickstarted.task.findings.shell import calls


@pytest.mark.parametrize(
    ("script", "program", "args"),
    [
        ("flask run", "flask", ("run",)),
        (".venv/bin/flask --app hello run", "flask", ("--app", "hello", "run")),
        ("A=1 B=2 flask run", "flask", ("run",)),
        ("env -u X A=1 flask run", "flask", ("run",)),
        ("sudo -u www flask run", "flask", ("run",)),
        ("timeout -k 5 10 flask run", "flask", ("run",)),
        ("exec nohup flask run", "flask", ("run",)),
        ("""'flask' "run" --x="a b" """, "flask", ("run", "--x=a b")),
        ("flask run > log 2>&1", "flask", ("run",)),
        ("command -v node", "command", ("-v", "node")),
        ("python a.py <<'E'\nnode()\nE", "python", ("a.py",)),
    ],
)
def test_a_call_is_what_runs_in_the_end(script, program, args):
    (call,) = calls(script)

    assert (program, args) == (call.program, call.args)


@pytest.mark.parametrize(
    ("script", "programs"),
    [
        ("a && b || c; d | e", ["a", "b", "c", "d", "e"]),
        ("if a; then b; else c; fi", ["a", "b", "c"]),
        ("x=$(a | b)", ["a", "b"]),
        ("f() { a; }; f", ["a", "f"]),
        ("bash -c 'a && b'", ["bash", "a", "b"]),
        ("# a\necho 'b; c'", ["echo"]),
        ("cat <<E\na\nE\nb", ["cat", "b"]),
        ("A=1", []),
        ("", []),
        ("((", []),
    ],
)
def test_every_simple_command_is_found(script, programs):
    assert programs == [call.program for call in calls(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a & b", [True, False]),
        ("(a; b) &", [True, True]),
        ("cd x && a &", [True, True]),
        ("a; b", [False, False]),
        ("a 2>&1", [False]),
        ("a &> log", [False]),
    ],
)
def test_background_is_what_an_ampersand_follows(script, expected):
    assert expected == [call.background for call in calls(script)]
