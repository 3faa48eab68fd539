"""`--quiet` leaves out notes, and not what an exit code cannot say by itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from fakes.program import write_task
from quickstarted.cli.run import command


def test_a_report_that_cannot_be_written_is_told_of_in_spite_of_quiet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    write_task(tmp_path, "replay: ['true']\nsuccess: {script: 'true'}\n")
    (tmp_path / "file").write_text("")
    local = ["probe.yaml", "--backend", "local", "--allow-unenforced", "--quiet"]
    done = CliRunner().invoke(
        command, [*local, "--junit", "file/junit.xml"], catch_exceptions=False
    )

    assert "[PASS, nothing enforced] probe" in done.stdout
    assert "note: cannot write file/junit.xml: File exists\n" == done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--quiet"], "1 FAIL docs_gap"),
        ([], "1 FAIL docs_gap"),
        (["--quiet", "--repeat", "2"], "2 FAIL docs_gap"),
    ],
)
def test_a_call_that_is_red_for_what_was_made_already_says_so(tmp_path, options, said):
    write_task(tmp_path, "replay: ['true']\nsuccess: {script: 'false'}\n")
    call = ["run", "probe.yaml", "--backend", "local", "--allow-unenforced", "--out", "r", *options]
    first, again = (
        subprocess.run(
            [sys.executable, "-m", "quickstarted", *args],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        for args in (call, [*call, "--resume"])
    )

    assert (1, 1) == (first.returncode, again.returncode)
    assert "nothing was left to make" not in first.stderr
    assert "" == again.stdout
    assert f"note: nothing was left to make: {said}\n" == again.stderr
