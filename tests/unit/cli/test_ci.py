"""What a CI system is told, by `run` at its end and by `ci` later, as a job has it."""

import pytest
from lxml import etree

from fakes.ci_results import ResultsFolder
from fakes.github_api import GitHubApi
from fakes.program import finish, run_task, start, trace_lines, wait_until, write_task
from quickstarted.ci.comment import marker

LOCAL = ("--backend", "local", "--allow-unenforced")
FAILS = """\
replay: ['echo ::error::forged; echo "##[error]forged"; false']
success: {script: 'false'}
"""


def run(folder, *flags, body=FAILS, **env):
    env = {"GITHUB_WORKSPACE": str(folder), **env}
    return run_task(write_task(folder, body), *LOCAL, *flags, env=env)


@pytest.fixture
def results(tmp_path):
    folder = ResultsFolder(tmp_path / "results")
    folder.add()
    folder.gap(start={"attempt": 2})
    return folder.write()


def ci(results, *flags, **env):
    return finish(start(["ci", results, *flags], env=env), results)


def test_a_run_writes_report_summary_and_annotations_at_its_end(tmp_path):
    summary = tmp_path / "summary.md"
    done = run(
        tmp_path,
        "--github-summary",
        "--junit",
        tmp_path / "junit.xml",
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert 1 == done.code
    assert "1" == etree.parse(tmp_path / "junit.xml").getroot().get("failures")
    assert "**FAIL docs_gap, nothing enforced: `probe by replay #1`**" in summary.read_text()
    assert "::error file=site/index.html,line=1,title=probe" in done.err.splitlines()[-1]


def test_what_commands_print_is_no_command_of_the_log(tmp_path):
    lines = run(tmp_path, "--verbose", GITHUB_ACTIONS="true").err.splitlines()
    (begun,) = (n for n, line in enumerate(lines) if line.startswith("::stop-commands::"))
    word = lines[begun].removeprefix("::stop-commands::")
    ended = lines.index(f"::{word}::")
    forged = [
        number for number, line in enumerate(lines) if "forged" in line and "::error f" not in line
    ]

    assert forged
    assert all(begun < number < ended for number in forged)


def test_outside_of_github_nothing_is_annotated_unless_it_is_asked_for(tmp_path):
    assert "::error" not in run(tmp_path).err.replace("::error::forged", "")
    assert "::error file=" in run(tmp_path, "--github-annotations").err


def test_in_github_annotations_can_be_switched_off(tmp_path):
    done = run(tmp_path, "--no-github-annotations", GITHUB_ACTIONS="true")

    assert "::error file=" not in done.err


def test_a_report_that_cannot_be_written_changes_no_exit_code(tmp_path):
    (tmp_path / "file").write_text("")
    done = run(
        tmp_path,
        "--junit",
        tmp_path / "file" / "junit.xml",
        "--github-summary",
        GITHUB_STEP_SUMMARY="/dev/full",
    )

    assert 1 == done.code
    assert "note: cannot write" in done.err
    assert "note: cannot write /dev/full: No space left on device" in done.err


def test_a_report_is_written_also_where_the_tables_cannot_be(tmp_path):
    """As where the disk of results is full; here a folder stands where results.json should."""
    blocked = tmp_path / "results" / "results.json"
    body = f"replay: ['mkdir {blocked}']\nsuccess: {{script: 'true'}}\n"
    summary = tmp_path / "summary.md"
    done = run(
        tmp_path,
        "--github-summary",
        "--junit",
        tmp_path / "junit.xml",
        body=body,
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert 2 == done.code
    assert f"error: cannot write {blocked}" in done.err
    assert "1" == etree.parse(tmp_path / "junit.xml").getroot().get("tests")
    assert "1 attempt, 1 gave evidence, 1 passed." in summary.read_text()


def test_a_shard_without_attempts_leaves_a_report_of_none(tmp_path):
    """Jenkins fails a build that has no report where there should be one."""
    done = run(tmp_path, "--shard", "2/2", "--junit", tmp_path / "junit.xml")

    assert 0 == done.code
    assert "0" == etree.parse(tmp_path / "junit.xml").getroot().get("tests")


def test_an_interrupted_run_tells_of_what_it_has(tmp_path):
    task = write_task(tmp_path, "replay: ['true', 'sleep 60']\nsuccess: {script: 'true'}\n")
    out, report = tmp_path / "results", tmp_path / "junit.xml"
    process = start(["run", task, "--out", out, *LOCAL, "--junit", report])
    wait_until(
        lambda: any(line.get("command") == "sleep 60" for line in trace_lines(out)),
        "the second command",
        program=process,
    )
    process.send_signal(2)
    done = finish(process, out)

    assert 130 == done.code
    assert ["skipped", "system-out"] == [
        part.tag for part in next(etree.parse(report).iter("testcase"))
    ]


def test_without_any_option_the_command_prints_what_a_comment_would_say(results):
    done = ci(results, "--title", "nightly")

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith("## nightly\n\n2 attempts, 2 gave evidence, 1 passed.")
    assert "### What to look at" in done.out


def test_results_are_told_of_later_as_the_run_would_have(results, tmp_path):
    summary = tmp_path / "summary.md"
    done = ci(
        results / "results.json",
        "--junit",
        tmp_path / "junit.xml",
        "--github-summary",
        "--github-annotations",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert (0, "") == (done.code, done.out)
    assert "2" == etree.parse(tmp_path / "junit.xml").getroot().get("tests")
    assert "1 passed" in summary.read_text()
    assert done.err.startswith("::error title=flask")


def test_what_has_changed_since_earlier_results_stands_above_the_figures(results, tmp_path):
    earlier = ResultsFolder(tmp_path / "earlier")
    for number in range(1, 6):
        earlier.add(start={"attempt": number})
    said = ci(results, "--base", earlier.write()).out

    assert said.index("### What has changed") < said.index("2 attempts,")
    assert "| 5/5 100% |" in said.split("2 attempts,")[0]


def test_earlier_results_that_are_not_there_are_a_note(results, tmp_path):
    done = ci(results, "--base", tmp_path / "gone")

    assert 0 == done.code
    assert "note: no comparison: " in done.err
    assert "2 attempts," in done.out


def test_no_results_are_a_usage_error(tmp_path):
    done = ci(tmp_path)

    assert 3 == done.code
    assert "results.json: No such file" in done.err


def test_the_comment_of_a_pull_request_is_made_and_then_updated(results):
    with GitHubApi() as api:
        job = {**api.environ, "GITHUB_WORKFLOW": "Docs", "GITHUB_JOB": "replay"}
        first = ci(results, "--github-comment", GITHUB_REF="refs/pull/7/merge", **job)
        second = ci(results, "--github-comment", "--pr", "7", "--title", "again", **job)

    assert ["comment on #7: created\n", "comment on #7: updated\n"] == [first.out, second.out]
    (body,) = api.bodies()
    assert body.startswith(f"{marker('Docs/replay')}\n## again\n")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY is not set"),
        ({"GITHUB_TOKEN": "", "GH_TOKEN": ""}, "GITHUB_TOKEN is not set"),
        ({"GITHUB_REF": "refs/heads/main"}, "the job is about no pull request"),
        ({"GITHUB_TOKEN": "wrong"}, "GitHub says 401 Unauthorized"),
    ],
)
def test_a_comment_that_cannot_be_made_is_a_note_and_no_failure(results, change, expected):
    with GitHubApi() as api:
        done = ci(
            results,
            "--github-comment",
            **{**api.environ, "GITHUB_REF": "refs/pull/7/merge", **change},
        )

    assert (0, "") == (done.code, done.out)
    assert done.err.startswith("note: ")
    assert expected in done.err
