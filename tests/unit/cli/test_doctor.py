"""`quickstarted doctor` where no engine answers: the rest is told all the same."""

import json
import os
import subprocess
import sys

import pytest

from fakes.odd_engine import odd_engine
from fakes.program import COMMAND
from quickstarted.cli import run_cli
from quickstarted.cli.doctor import document, show
from quickstarted.console.output import open_console
from quickstarted.doctor import findings as made

INVALID = "name: a\n"
KEY = "QUICKSTARTED_ANTHROPIC_API_KEY"


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    for name in (KEY, "ANTHROPIC_API_KEY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def examined(capsys, *args):
    code = run_cli(["doctor", "--json", *args])
    found = json.loads(capsys.readouterr().out)
    return code, found, {one["code"]: one for one in found["findings"]}


def test_without_an_engine_keys_sdks_and_tasks_are_told(folder, capsys, monkeypatch):
    monkeypatch.setenv(KEY, "sk-not-shown")
    (folder / "tasks").mkdir()
    (folder / "tasks" / "a.yaml").write_text(INVALID)

    code, found, by_code = examined(capsys)

    assert (2, 2, 1) == (code, found["exit_code"], found["schema_version"])
    assert "error" == next(iter(by_code.values()))["severity"]
    assert ("ok", f"the key for anthropic comes from {KEY}") == (
        by_code["key-anthropic"]["severity"],
        by_code["key-anthropic"]["title"],
    )
    assert "ok" == by_code["sdk-anthropic"]["severity"]
    assert "goal: is required" in by_code["task-invalid"]["detail"]
    assert "not_applicable" == by_code["sandbox"]["severity"]
    assert "sk-not-shown" not in json.dumps(found)


def test_an_engine_that_hangs_ends_in_a_finding(folder, capsys, monkeypatch):
    with odd_engine(folder / "s.sock", {}) as host:
        monkeypatch.setenv("DOCKER_HOST", host)
        code, _, by_code = examined(capsys, "--timeout", "0.3")

    assert 2 == code
    assert "no answer in 0.3 s" in by_code["engine-hangs"]["detail"]
    assert "restart" in by_code["engine-hangs"]["fix"]


@pytest.mark.parametrize("args", [["missing.yaml"], ["--timeout", "0"], ["--no-such-flag"]])
def test_a_wrong_call_ends_with_3(folder, capsys, args):
    assert 3 == run_cli(["doctor", *args])


def test_people_see_groups_and_each_command_on_a_line_of_its_own(folder, capsys):
    assert 2 == run_cli(["doctor"])
    shown = capsys.readouterr()

    lines = shown.out.splitlines()
    assert ["engine", "room", "images"] == [line for line in lines if line in made.GROUPS[:3]]
    assert f"           $ read -rs {KEY} && export {KEY}" in lines
    assert lines[-1].endswith("not applicable")
    assert "asking the engine at unix://" in shown.err


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        ([made.ok("engine", "a", "fine")], 0),
        ([made.warning("engine", "a", "not so fine", fix="mend")], 0),
        ([made.not_applicable("engine", "a", "nothing")], 0),
        ([made.ok("engine", "b", "fine"), made.error("engine", "a", "bad", fix="mend")], 2),
    ],
)
def test_only_errors_count(findings, code):
    assert (code, code) == (made.exit_code(findings), document(findings)["exit_code"])


def test_what_others_wrote_cannot_drive_the_terminal(capsys):
    findings = [made.error("engine", "a", "bad \x1b[2J", detail="one\ntwo \x07", fix="mend")]

    show(findings, open_console())

    assert capsys.readouterr().out.splitlines() == [
        "engine",
        "  ERROR    bad ",
        "           one",
        "           two \\x07",
        "           $ mend",
        "0 ok, 0 warnings, 1 error, 0 not applicable",
    ]


def test_a_terminal_without_utf_8_and_colour_is_enough(folder):
    (folder / "tâche.yaml").write_text(INVALID)
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}

    done = subprocess.run(
        [*COMMAND, "doctor", "tâche.yaml"], env=env, capture_output=True, check=False
    )

    assert (2, True) == (done.returncode, done.stdout.isascii())
    assert b"t\\xe2che.yaml is not valid" in done.stdout
    assert sys.executable == COMMAND[0]
