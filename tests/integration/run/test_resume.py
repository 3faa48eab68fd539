"""Calls that go on with others, that are shared out, or that meet; as a person makes them."""

import json
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.containers import derive
from fakes.program import finish, run_task, start, wait_until, write_task
from fakes.records import steady
from quickstarted.sandbox.local.folders import BASE_VARIABLE

pytestmark = pytest.mark.docker

FLAGS = ["--backend", "local", "--allow-unenforced", "--quiet"]
PASSING = "replay: [echo hello]\nsuccess: {expect_output: {contains: hello}}\n"
FAILING = "replay: [echo hello]\nsuccess: {expect_output: {contains: bye}}\n"


@dataclass
class Desk:
    """A folder with two tasks."""

    folder: Path

    def out(self, name="out"):
        return self.folder / name

    def start(self, *flags, out="out", tasks=("one", "two")):
        paths = [self.folder / f"{name}.yaml" for name in tasks]
        return start(["run", *paths, "--out", self.out(out), *FLAGS, *flags], env=self.env)

    def run(self, *flags, out="out", tasks=("one", "two")):
        return finish(self.start(*flags, out=out, tasks=tasks), self.out(out))

    def call(self, *args, out="out"):
        return finish(start([*args, "--out", self.out(out)], env=self.env), self.out(out))

    @property
    def env(self):
        return {BASE_VARIABLE: str(self.folder / "attempts")}


@pytest.fixture(name="desk")
def _desk(tmp_path):
    write_task(tmp_path, PASSING, name="one")
    write_task(tmp_path, FAILING, name="two")
    return Desk(tmp_path)


def attempts_of(out):
    return [(run["task"], run["attempt"]) for run in steady(out)["runs"]]


def test_three_shards_are_joined_to_what_one_call_makes(desk):
    whole = desk.run("--repeat", "3")
    for number in (1, 2, 3):
        desk.run("--repeat", "3", "--shard", f"{number}/3", out=f"shard-{number}")
    folders = [desk.out(f"shard-{number}") for number in (1, 2, 3)]
    missing = desk.call("merge", folders[0], folders[2], out="merged")
    merged = desk.call("merge", *folders, out="merged")

    assert (3, "  shard 2/3") == (missing.code, missing.err.splitlines()[1])
    assert (1, 1) == (whole.code, merged.code), merged.err
    assert steady(desk.out()) == steady(desk.out("merged"))
    assert sorted(attempts_of(desk.out())) == sorted(
        attempt for folder in folders for attempt in attempts_of(folder)
    )


def test_a_killed_call_is_gone_on_with_and_ends_as_if_nothing_had_happened(desk):
    undisturbed = desk.run("--repeat", "4", out="undisturbed")
    process = desk.start("--repeat", "4", "--workers", "2")
    wait_until(
        lambda: len([*desk.out().rglob("result.json")]) >= 2, "two attempts", program=process
    )
    process.send_signal(signal.SIGKILL)
    process.communicate()
    made = {path: path.stat().st_ino for path in desk.out().rglob("result.json")}
    resumed = desk.run("--repeat", "4", "--resume")

    assert (undisturbed.code, undisturbed.code) == (resumed.code, 1), resumed.err
    assert steady(desk.out("undisturbed")) == steady(desk.out())
    assert made == {path: path.stat().st_ino for path in made}
    assert [] == [*(desk.folder / "attempts").iterdir()]


def test_with_nothing_to_go_on_with_a_call_makes_everything_and_then_nothing_more(desk):
    first = desk.run("--resume", out="new")
    before = {path: path.stat().st_ino for path in desk.out("new").rglob("result.json")}
    second = desk.run("--resume", out="new")

    assert (1, 1) == (first.code, second.code)
    assert before == {path: path.stat().st_ino for path in desk.out("new").rglob("result.json")}
    assert [("one", 1), ("two", 1)] == attempts_of(desk.out("new"))


def test_another_task_text_is_refused_and_nothing_is_touched(desk):
    desk.run()
    before = (desk.out() / "results.json").read_bytes()
    write_task(desk.folder, PASSING + "tags: [new]\n", name="two")
    refused = desk.run("--resume", "--repeat", "2")

    assert 3 == refused.code
    assert ["  two, replay (1 attempt): the task file"] == refused.err.splitlines()[1:2]
    assert before == (desk.out() / "results.json").read_bytes()


@pytest.mark.parametrize("name", ["workspace", "site"])
def test_another_workspace_or_site_is_refused(desk, name):
    (desk.folder / "start").mkdir()
    write_task(desk.folder, PASSING + "workspace: start\n", name="one")
    desk.run(tasks=["one"])
    edited = desk.folder / ("start" if name == "workspace" else "site")
    (edited / "new.html").write_text("new")
    refused = desk.run("--resume", tasks=["one"])
    what = {
        "workspace": "the content of the workspace",
        "site": "the site for https://docs.example/",
    }

    assert 3 == refused.code
    assert f"  one, replay (1 attempt): {what[name]}" == refused.err.splitlines()[1]


def test_two_calls_into_one_folder_are_refused_and_a_killed_one_is_no_obstacle(desk):
    write_task(desk.folder, "replay: [sleep 60]\nsuccess: {script: 'true'}\n", name="slow")
    process = desk.start(tasks=["slow"])
    wait_until((desk.out() / "call.json").exists, "the call", program=process)
    refused = desk.run(tasks=["one"])
    process.kill()
    process.communicate()
    after = desk.run(tasks=["one"])

    assert 3 == refused.code
    assert f"another call writes to {desk.out()}: process {process.pid} on " in refused.err
    assert 0 == after.code, after.err


def test_a_workspace_that_is_edited_in_the_middle_ends_what_comes_after_it(desk):
    (desk.folder / "start").mkdir()
    edit = f"replay: [echo hello, 'date > {desk.folder}/start/file']\nworkspace: start\n"
    write_task(desk.folder, edit + "success: {script: 'true'}\n", name="one")
    desk.run("--repeat", "2", tasks=["one"])
    first, second = json.loads((desk.out() / "results.json").read_bytes())["runs"]

    assert ("passed", "harness_error") == (first["classification"], second["classification"])
    assert "source" == second["fault"]["component"]
    assert "has changed since the call began" in second["fault"]["error"]


def test_a_site_that_is_edited_in_the_middle_ends_the_attempt(desk):
    edit = f"replay: ['date > {desk.folder}/site/page.html']\nsuccess: {{script: 'true'}}\n"
    write_task(desk.folder, edit, name="one")
    done = desk.run(tasks=["one"])

    assert (2, "source") == (done.code, done.document["runs"][0]["fault"]["component"])


def test_a_task_file_that_is_edited_in_the_middle_is_told_of_and_the_call_goes_on(desk):
    path = desk.folder / "one.yaml"
    shutil.copy(path, desk.folder / "kept")
    body = f"replay: ['date >> {path}']\nsuccess: {{script: 'true'}}\n"
    write_task(desk.folder, body, name="one")
    process = start(["run", path, "--repeat", "3", "--out", desk.out(), *FLAGS[:-1]], env=desk.env)
    done = finish(process, desk.out())

    assert 0 == done.code, done.err
    said = f"{path} has changed; the call goes on with the text it has read"
    assert 1 == (done.out + done.err).count(said)
    assert (
        body.splitlines()[0]
        in json.loads((desk.out() / "one/replay/3/run.json").read_bytes())["task_source"]
    )


def test_a_name_that_has_come_to_stand_for_another_image_is_refused(engine, tmp_path):
    image = derive(engine, "resume-moves", "true")
    task = write_task(tmp_path, "replay: [echo hello]\nsuccess: {script: 'true'}\n")
    args = [task, "--image", image, "--quiet", "--resume"]
    first = run_task(*args)
    same = run_task(*args, "--repeat", "2")
    derive(engine, "resume-moves", "touch /elsewhere")
    refused = run_task(*args, "--repeat", "3")

    assert (0, 0, 3) == (first.code, same.code, refused.code), first.err + same.err
    assert refused.err.splitlines()[1].startswith(
        f"  probe, replay (2 attempts): the image {image}: sha256:"
    )
