"""
What `protocol.Sandbox` promises, held against every place that stands for one: what a place is,
what is known to be missing, its egress, and how it is kept and lost.

Only promises of the protocol are in this suite; what one backend does beyond them, and its faults,
is in its own tests.
"""

from __future__ import annotations

import inspect
import re
import time
from pathlib import Path

import pytest

from contract.places import AMPLE, DOCS_HOST, KINDS, promise
from quickstarted.errors import SandboxFault
from quickstarted.sandbox.protocol import Sandbox

pytestmark = pytest.mark.docker

PROGRAM = f"""
import urllib.error, urllib.request
try:
    print(urllib.request.urlopen("http://{DOCS_HOST}/", timeout=20).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


def members():
    """Names of all that the protocol asks for."""
    methods = [name for name in vars(Sandbox) if not name.startswith("_")]
    return [*methods, *inspect.get_annotations(Sandbox)]


@promise()
def test_a_place_has_all_of_the_protocol_but_what_its_table_lacks(place):
    missing = {name for name in members() if not hasattr(place.sandbox, name)}

    assert set(KINDS[place.kind].lacks) == missing


@promise()
def test_methods_take_what_the_protocol_says(place):
    attributes = set(inspect.get_annotations(Sandbox))
    for name in set(members()) - set(KINDS[place.kind].lacks) - attributes:
        asked = inspect.signature(getattr(Sandbox, name)).parameters
        given = inspect.signature(getattr(place.sandbox, name)).parameters

        assert list(asked)[1:] == list(given), name
        assert [(asked[one].kind, asked[one].default) for one in given] == [
            (given[one].kind, given[one].default) for one in given
        ], name


def test_tables_of_broken_promises_name_tests_of_this_suite():
    named = {name for kind in KINDS.values() for name in kind.breaks}
    suite = "".join(path.read_text() for path in Path(__file__).parent.glob("test_sandbox*.py"))

    assert named <= set(re.findall(r"^def (test_\w+)", suite, re.MULTILINE))


@promise("image", "facts")
def test_it_says_what_runs_and_how(place):
    image, facts = place.sandbox.image, place.sandbox.facts

    assert image.requested
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", image.image_id)
    assert image.architecture in {"amd64", "arm64"}
    assert {"shell", "engine_version", "sidecar_image_id", "limits"} <= set(facts)
    assert facts["shell"].startswith("/")


@promise("begin_scope", "drain_egress", "run_clean", "restart")
def test_egress_is_delivered_with_its_scope_before_a_drain_returns(place):
    def ask(scope):
        place.sandbox.begin_scope(scope)
        began = time.time()
        done = place.sandbox.run_clean('python3 -c "$P"', AMPLE, env={"P": PROGRAM})
        place.sandbox.drain_egress()
        return done.output, began, time.time()

    place.events.clear()
    first = ask(7)
    place.sandbox.restart()
    second = ask(8)

    assert ["403\n", "403\n"] == [first[0], second[0]]
    assert [(7, DOCS_HOST), (8, DOCS_HOST)] == [(one.scope, one.host) for one in place.events]
    assert {"docs_host_requires_read_docs"} == {one.reason for one in place.events}
    for event, (_, began, ended) in zip(place.events, (first, second), strict=True):
        assert began - 0.5 <= event.ts <= ended + 0.5


@promise("save", "bash", "reset_shell")
def test_a_kept_sandbox_is_an_image_with_its_files(place, bash):
    bash("echo work >result; export SECRET_STATE=1; cd /tmp")
    kept = place.sandbox.save(3600)
    try:
        with place.open_image(kept.image) as again:
            found = again.bash('cat result; echo "$PWD ${SECRET_STATE-none}"', AMPLE)
            workspace = again.workspace
    finally:
        place.forget(kept.image)
        bash(f"rm {place.sandbox.workspace}/result")

    assert f"work\n{workspace} none\n" == found.output
    assert abs(kept.expires - time.time() - 3600) < 60


@promise("bash", "save")
def test_a_place_that_is_gone_is_a_fault_whatever_is_asked(fresh_place, place, tmp_path):
    sandbox = fresh_place.sandbox
    sandbox.start_service("web", "sleep 300")
    fresh_place.destroy()
    calls = {
        "bash": lambda: sandbox.bash("echo hi", AMPLE),
        "run_clean": lambda: sandbox.run_clean("echo hi", AMPLE),
        "reset_shell": sandbox.reset_shell,
        "start_service": lambda: sandbox.start_service("other", "sleep 1"),
        "foreign_processes": sandbox.foreign_processes,
        "restart": sandbox.restart,
        "put_file": lambda: sandbox.put_file(f"{sandbox.workspace}/x", b""),
        "empty_file": lambda: sandbox.empty_file(f"{sandbox.workspace}/x"),
        "put_tree": lambda: sandbox.put_tree(tmp_path, sandbox.workspace),
        "get_file": lambda: sandbox.get_file("/etc/passwd", 10),
        "save": lambda: sandbox.save(60),
    }

    for call in calls.values():
        with pytest.raises(SandboxFault):
            call()


def test_every_method_that_can_lose_its_sandbox_is_in_the_test_above():
    source = inspect.getsource(test_a_place_that_is_gone_is_a_fault_whatever_is_asked)
    egress = {"begin_scope", "check", "drain_egress"}
    known = {name for name in members() if f'"{name}":' in source}

    attributes = set(inspect.get_annotations(Sandbox))

    assert {"service_state"} | attributes | egress == set(members()) - known
