"""`validate --prove`: real attempts, and what they say about a check."""

from __future__ import annotations

import json
import signal
import textwrap

import pytest

from fakes.program import finish, start, wait_until, write_task

pytestmark = pytest.mark.docker

HOLDS = """\
    replay: ['touch made']
    success: {script: 'test -f made || qs_fail "there is no made"'}
    """
FETCH = json.dumps("python3 -c \"import urllib.request as u; u.urlopen('http://no.example/')\"")


def prove(path, *flags, temporary):
    temporary.mkdir(exist_ok=True)
    call = ["validate", "--prove", path, *flags]
    return finish(start(call, env={"TMPDIR": str(temporary)}), path.parent / "results")


@pytest.fixture(name="temporary")
def _temporary(tmp_path):
    return tmp_path / "temporary"


def test_a_check_that_can_tell_is_proved_and_nothing_stays(tmp_path, temporary):
    path = write_task(tmp_path, HOLDS)

    done = prove(path, temporary=temporary)

    assert 0 == done.code, done.err
    assert f"{path}: proved (fails untouched, passes after replay; " in done.out
    assert "1 proved, 0 not proved, 0 without evidence" in done.out
    assert [] == list(temporary.iterdir())


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        pytest.param(
            "replay: ['true']\nsuccess: {script: 'test -d /tmp || qs_fail no'}",
            1,
            ["NOT PROVED", "untouched: the check passes although nothing has been done"],
            id="it always passes",
        ),
        pytest.param(
            "replay: ['echo hello']\nsuccess: {script: 'echo one; qs_fail never-there'}",
            1,
            [
                "NOT PROVED",
                "replay: the check fails although every command",
                "| one",
                "| check failed: never-there",
                "quickstarted show ",
            ],
            id="it never passes",
        ),
        pytest.param(
            "replay: ['echo oops; exit 3', 'touch made']\n"
            "success: {script: 'test -f made || qs_fail no'}",
            1,
            ["a command of `replay` fails", "$ echo oops; exit 3  exit 3", "| oops"],
            id="replay fails",
        ),
        pytest.param(
            "replay: ['sleep 60']\nbudgets: {max_seconds: 2}\n"
            "success: {script: 'test -f made || qs_fail no'}",
            1,
            ["replay: replay does not end within the task's budgets (max_seconds)"],
            id="replay takes too long",
        ),
        pytest.param(
            "replay: ['touch made']\nsuccess: {script: 'test -f made'}",
            0,
            ["proved (", "warning: the check fails without a word (exit code 1): say why with `||"],
            id="it fails without a word",
        ),
        pytest.param(
            "replay: ['touch made', 'false']\nsuccess: {script: 'test -f made || qs_fail no'}",
            0,
            ["proved (", "warning: the check passes, but a command of `replay` failed"],
            id="it passes though replay fails",
        ),
        pytest.param(
            "success: {script: 'test -f made || qs_fail no'}",
            0,
            ["half proved (fails untouched; no `replay`, so nothing shows that it can pass; "],
            id="no replay",
        ),
        pytest.param(
            "setup: ['exit 7']\nreplay: ['true']\nsuccess: {script: 'false'}",
            2,
            ["no evidence", "untouched: harness_error: setup: the setup command `exit 7` ended"],
            id="setup fails",
        ),
        pytest.param(
            f"replay: [{FETCH}]\nsuccess: {{script: 'qs_fail no'}}",
            2,
            ["no evidence", "replay: harness_error: refused: no.example"],
            id="a host is refused",
        ),
        pytest.param(
            "replay: ['true']\nsuccess: {script: 'false'}\nresources: {gpus: all}",
            2,
            ["no evidence", "resources.gpus: GPUs are not", "0 proved, 0 not proved, 1 without"],
            id="what this version cannot do",
        ),
    ],
)
def test_what_does_not_hold_is_said_with_its_reason(tmp_path, temporary, body, code, said):
    done = prove(write_task(tmp_path, body), temporary=temporary)

    assert code == done.code, done.err
    assert [] == [part for part in said if part not in done.out], done.out


def test_traces_stay_and_are_named_where_something_does_not_hold(tmp_path, temporary):
    done = prove(write_task(tmp_path, "success: {script: 'echo x'}"), temporary=temporary)

    (kept,) = temporary.iterdir()
    assert 1 == done.code
    assert f"traces: {kept}" in done.out
    assert f"quickstarted show {kept}/probe/untouched/1 --verbose" in done.out
    assert {"trace.jsonl", "report.md", "run.json"} <= {
        entry.name for entry in (kept / "probe" / "untouched" / "1").iterdir()
    }


def test_out_keeps_the_traces_and_what_was_there_before(tmp_path, temporary):
    path = write_task(tmp_path, HOLDS)
    out = path.parent / "results"

    first = prove(path, "--out", out, temporary=temporary)
    second = prove(path, "--out", out, temporary=temporary)

    assert (0, 0) == (first.code, second.code)
    assert f"traces: {out}" in second.out
    assert "earlier results are kept as" in second.err
    assert {"probe", "probe.1"} == {entry.name for entry in out.iterdir()}
    assert ("completed", "docs_gap") == second.ending("probe/untouched/1")
    assert ("completed", "passed") == second.ending("probe/replay/1")


def test_machines_get_the_proof_with_its_steps(tmp_path, temporary):
    path = write_task(tmp_path, "replay: ['true']\nsuccess: {script: 'qs_fail never'}")

    done = prove(path, "--json", temporary=temporary)

    (task,) = json.loads(done.out)["tasks"]
    untouched, replay = task["proof"]["steps"]
    assert 1 == done.code
    assert "not_proved" == task["proof"]["standing"]
    assert ("untouched", "proved", "docs_gap") == (
        untouched["name"],
        untouched["standing"],
        untouched["classification"],
    )
    assert ("replay", "not_proved", "check failed: never\n") == (
        replay["name"],
        replay["standing"],
        replay["check"]["output"],
    )


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        pytest.param(HOLDS, [("untouched", ""), ("replay", "")], id="the check says why"),
        pytest.param(
            "setup: ['exit 7']\nreplay: ['true']\nsuccess: {script: 'false'}",
            [("untouched", "")],
            id="no second attempt where the first gives no evidence",
        ),
        pytest.param(
            "replay: ['false']\nsuccess: {script: 'qs_fail never'}",
            [("untouched", ""), ("replay", "")],
            id="what is not proved is no warning",
        ),
    ],
)
def test_each_step_is_there_once_and_warns_only_where_it_holds(tmp_path, temporary, body, steps):
    done = prove(write_task(tmp_path, textwrap.dedent(body)), "--json", temporary=temporary)

    (task,) = json.loads(done.out)["tasks"]
    assert steps == [(one["name"], one["warning"]) for one in task["proof"]["steps"]]


def test_an_invalid_file_is_said_and_the_others_are_proved(tmp_path, temporary):
    path = write_task(tmp_path, HOLDS)
    broken = path.with_name("broken.yaml")
    broken.write_text("name: broken\n")

    done = prove(path, broken, temporary=temporary)

    assert 1 == done.code
    assert f"{broken}: invalid" in done.out
    assert "1 proved, 0 not proved, 0 without evidence" in done.out


def test_no_engine_is_no_evidence(tmp_path, temporary):
    path = write_task(tmp_path, HOLDS)
    temporary.mkdir()
    nowhere = {"DOCKER_HOST": "unix:///nowhere/engine.sock", "TMPDIR": str(temporary)}

    done = finish(start(["validate", "--prove", path], env=nowhere), tmp_path)

    assert 2 == done.code
    assert "infra_error: engine: no container engine answers" in done.out


def test_documentation_can_be_read_from_a_folder(tmp_path, temporary):
    path = write_task(tmp_path, HOLDS)
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("<main><h1>Other</h1></main>")
    out = path.parent / "results"

    done = prove(
        path, "--docs-site", f"https://docs.example/={other}", "--out", out, temporary=temporary
    )

    (page,) = done.of_type("docs_fetch", "probe/replay/1")
    assert str(other / "index.html") == page.source


def test_ctrl_c_ends_cleanly(tmp_path, temporary):
    path = write_task(tmp_path, "replay: ['sleep 100']\nsuccess: {script: 'qs_fail no'}")
    temporary.mkdir()

    def replays():
        traces = temporary.glob("*/probe/replay/1/trace.jsonl")
        return any('"tool_call"' in trace.read_text() for trace in traces)

    process = start(["validate", "--prove", path], env={"TMPDIR": str(temporary)})
    wait_until(replays, "the replay", program=process)
    process.send_signal(signal.SIGINT)
    done = finish(process, tmp_path)

    assert 130 == done.code, done.err
    assert "0 proved, 0 not proved, 0 without evidence, interrupted" in done.out
    assert [] == list(temporary.iterdir())


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--out", "somewhere"], "--out goes with --prove"),
        (["--docs-site", "https://docs.example/=."], "--docs-site goes with --prove"),
        (["--prove", "--docs-site", "nonsense"], "write it as PREFIX=DIR"),
        (["--prove", "--docs-site", "https://docs.example/=/nowhere"], "there is no folder"),
    ],
)
def test_flags_that_make_no_sense_are_refused(tmp_path, flags, why):
    path = write_task(tmp_path, HOLDS)

    done = finish(start(["validate", path, *flags]), tmp_path)

    assert 3 == done.code
    assert why in done.err


def test_two_tasks_of_one_name_are_refused(tmp_path):
    path = write_task(tmp_path, HOLDS)
    other = path.with_name("other.yaml")
    other.write_text(path.read_text())

    done = finish(start(["validate", "--prove", path, other]), tmp_path)

    assert 3 == done.code
    assert "both have the name probe" in done.err
