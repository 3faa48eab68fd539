"""Calls that meet in one results folder: one is refused, and the other does not notice."""

from __future__ import annotations

import pytest

from fakes.followed import Followed
from fakes.program import write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE

pytestmark = pytest.mark.docker

FLAGS = ("--backend", "local", "--allow-unenforced", "--repeat", "2")


@pytest.mark.parametrize("more", [(), ("--resume",)], ids=["anew", "to go on with it"])
def test_a_second_call_is_refused_and_the_first_one_ends_as_if_alone(tmp_path, more):
    gate = f"until test -e {tmp_path}/go; do sleep 0.05; done"
    task = write_task(tmp_path, f"replay: ['{gate}']\nsuccess: {{script: 'true'}}\n")
    out, env = tmp_path / "out", {BASE_VARIABLE: str(tmp_path / "attempts")}

    first = Followed([task, *FLAGS], out, env)
    first.wait_for_event("tool_call", tool="bash")
    before = {path: path.stat().st_ino for path in out.rglob("*")}
    refused = Followed([task, *FLAGS, *more], out, env).finish()
    after = {path: path.stat().st_ino for path in out.rglob("*")}
    (tmp_path / "go").touch()
    done = first.finish()

    assert 3 == refused.code
    assert f"another call writes to {out}: process {first.process.pid} on " in refused.err
    assert before == after
    assert 0 == done.code, done.err
    assert ["passed", "passed"] == [run["classification"] for run in done.document["runs"]]
    assert [] == list(out.glob("*.1"))
