"""Sweeping a real engine: what dead owners left goes, what living ones have stays."""

import io
import itertools
import json
import os
import subprocess
import sys
import tarfile
import time

import pytest
from click.testing import CliRunner
from docker.types import IPAMConfig, IPAMPool

from fakes import lanes
from quickstarted.cli.gc import command
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import EXPIRES, OWNER, ROLE, RUN, this_process

pytestmark = [
    pytest.mark.docker,
    # What is made here has a dead owner: every run beside it would remove it.
    pytest.mark.alone,
]

FAR = str(int(time.time()) + 3600)
PAST = str(int(time.time()) - 3600)
SUBNETS = itertools.count(os.getpid())
"""Of the last lanes, which nobody comes to."""


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture
def dead_owner():
    """A process of this machine that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    return f"{this_process().host}/{ended.pid}/1"


class Leavings:
    """One of each kind with the same labels."""

    def __init__(self, engine, owner, expires):
        self.engine = engine
        self.run_id = lanes.new_run_id()
        labels = {RUN: self.run_id, OWNER: owner, EXPIRES: expires, ROLE: "sandbox"}
        api = engine.api
        pool = IPAMPool(subnet=f"10.213.191.{8 * (next(SUBNETS) % 32)}/29")
        self.network = api.create_network(
            f"quickstarted-{self.run_id}", ipam=IPAMConfig(pool_configs=[pool]), labels=labels
        )["Id"]
        self.volume = api.create_volume(f"quickstarted-{self.run_id}", labels=labels)["Name"]
        self.image = self._image(labels)
        self.container = api.create_container(
            lanes.test_image(engine),
            ["sh", "-c", "exec tail -f /dev/null"],
            entrypoint=[],
            labels=labels,
            host_config=api.create_host_config(network_mode=self.network),
        )["Id"]
        api.start(self.container)

    def _image(self, labels):
        empty = io.BytesIO()
        with tarfile.open(fileobj=empty, mode="w") as archive:
            archive.addfile(tarfile.TarInfo("nothing"))
        changes = [f"LABEL {name}={value}" for name, value in labels.items()]
        answer = self.engine.api.import_image_from_data(
            empty.getvalue(), repository=f"quickstarted/{self.run_id}", changes=changes
        )
        return json.loads(answer.splitlines()[-1])["status"]

    def left(self):
        wanted = {"label": f"{RUN}={self.run_id}"}
        api = self.engine.api
        kinds = {
            "container": api.containers(all=True, filters=wanted),
            "network": api.networks(filters=wanted),
            "volume": api.volumes(filters=wanted)["Volumes"],
            "image": api.images(filters=wanted),
        }
        return {kind for kind, found in kinds.items() if found}

    def remove(self):
        api = self.engine.api
        left = self.left()
        if "container" in left:
            api.remove_container(self.container, force=True)
        if "network" in left:
            api.remove_network(self.network)
        if "volume" in left:
            api.remove_volume(self.volume)
        if "image" in left:
            api.remove_image(self.image, force=True)


@pytest.fixture
def leave(engine):
    made = []

    def leave_one_of_each(owner, expires):
        made.append(Leavings(engine, owner, expires))
        return made[-1]

    yield leave_one_of_each
    for leavings in made:
        leavings.remove()


def gc(*arguments):
    result = CliRunner().invoke(command, list(arguments), standalone_mode=False)
    assert result.exception is None
    return result


def test_what_a_dead_process_left_goes_running_or_not_and_its_kept_image_stays(
    engine, leave, dead_owner
):
    leavings = leave(dead_owner, FAR)

    sweep(engine, now=time.time())

    assert leavings.left() == {"image"}


def test_when_the_time_of_a_kept_image_is_over_it_goes_too(engine, leave, dead_owner):
    leavings = leave(dead_owner, PAST)

    sweep(engine, now=time.time())

    assert leavings.left() == set()


def test_what_a_living_process_has_stays_although_its_time_is_over(engine, leave):
    leavings = leave(str(this_process()), PAST)

    sweep(engine, now=time.time())

    assert leavings.left() == {"container", "network", "volume"}


def test_two_sweeps_at_once_do_not_trip_over_each_other(engine, leave, dead_owner):
    leavings = [leave(dead_owner, PAST) for _ in range(2)]
    runs = [one.run_id for one in leavings]
    program = (
        "import time; from quickstarted.sandbox import engine, gc;"
        "swept = gc.sweep(engine.connect(), now=time.time());"
        f"print([one.error for one in swept if one.error and one.run_id in {runs}])"
    )
    path = {"PYTHONPATH": ":".join(sys.path)}
    sweeps = [
        subprocess.Popen([sys.executable, "-c", program], env=path, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    outputs = [one.communicate()[0] for one in sweeps]

    assert outputs == [b"[]\n", b"[]\n"]
    assert [one.left() for one in leavings] == [set(), set()]


def test_the_command_says_what_it_would_remove_and_why_and_then_does(leave, dead_owner):
    leavings = leave(dead_owner, FAR)
    about = f"container {leavings.container[:12]} (sandbox, run {leavings.run_id})"

    dry = gc("--dry-run").output
    after_dry = leavings.left()
    wet = gc().output

    assert f"would remove {about}: its owner, process " in dry
    assert after_dry == {"container", "network", "volume", "image"}
    assert f"removed {about}: its owner, process " in wet
    assert leavings.left() == {"image"}


def test_the_command_explains_what_it_leaves(leave):
    leavings = leave(str(this_process()), FAR)

    document = json.loads(gc("--all", "--json", "--dry-run").output)
    mine = [one for one in document["objects"] if one["run_id"] == leavings.run_id]

    assert {one["kind"] for one in mine} == {"container", "network", "volume", "image"}
    assert not any(one["removed"] for one in mine)
    assert "is running" in mine[0]["why"]


def test_kept_sandboxes_go_when_asked_for(engine, leave, dead_owner):
    leavings = leave(dead_owner, FAR)

    swept = sweep(engine, now=time.time(), dry_run=True, kept_images=True)
    mine = {one.kind: one.why for one in swept if one.run_id == leavings.run_id}

    assert mine["image"] == "asked for"
