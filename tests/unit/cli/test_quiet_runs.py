"""`--quiet` leaves out notes, and not that something asked for could not be had."""

from __future__ import annotations

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
