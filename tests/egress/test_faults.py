"""
What breaks inside the sidecar breaks towards refusal, seen from a sandbox.

The sidecar's own tests go through each of its parts (`tests/addon/test_fail_closed.py`); here is
what the harness and the commands of an attempt notice of it.
"""

import json
from contextlib import contextmanager

import pytest

from egress.model import Attempt
from egress.world import worlds
from fakes import lanes
from quickstarted.errors import SidecarFault
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.labels import labels

pytestmark = pytest.mark.docker

PYTHON = "/opt/sidecar/bin/python"
RAISES = """
from quickstarted_proxy import trimmed; trimmed.install()
from quickstarted_proxy import __main__, gate
judged = gate.decide
def broken(policy, host, *more):
    if host == 'ok.test':
        raise RuntimeError('broken on purpose')
    return judged(policy, host, *more)
gate.decide = broken
__main__.main()
"""
CANNOT_WRITE = """
from quickstarted_proxy import __main__, reports
class Full(reports.Reporter):
    def _write(self, line):
        if b'unlisted.test' in line:
            raise OSError(28, 'No space left on device')
        super()._write(line)
__main__.Reporter = Full
__main__.main()
"""


@contextmanager
def sidecar_that_runs(engine, program):
    """An image of the sidecar in which *program* is what runs."""
    api, run_id = engine.api, lanes.new_run_id()
    made = api.create_container(sidecar_image(engine, None), labels=labels(run_id, "test"))
    entrypoint = json.dumps([PYTHON, "-c", f"exec({json.dumps(program)})"])
    try:
        image = api.commit(made["Id"], changes=[f"ENTRYPOINT {entrypoint}", "CMD []"])["Id"]
    finally:
        api.remove_container(made["Id"])
    try:
        yield image
    finally:
        api.remove_image(image, force=True)


@pytest.mark.parametrize("url", ["http://ok.test/", "https://ok.test/"])
def test_a_hook_that_raises_refuses_the_request_and_an_event_says_so(engine, origins, facts, url):
    row = Attempt("a hook raises", f"follow('{url}')", "")
    with (
        sidecar_that_runs(engine, RAISES) as image,
        worlds(engine, origins, facts, sidecar_image=image) as broken,
        broken.open("python") as world,
    ):
        outcome = world.attempt(row)

    method = "CONNECT" if url.startswith("https") else "GET"
    target = "ok.test:443" if method == "CONNECT" else "ok.test:80/"
    assert "403" in outcome.saw
    assert outcome.events == (
        f"egress_blocked {method} {target} not_allowlisted policy_exception (explicit)",
        f"egress_error {method} {target} policy_exception (explicit)",
    )
    assert ((), ()) == (outcome.requests, outcome.connections)


def test_an_event_that_cannot_be_written_ends_the_sidecar_and_with_it_the_attempt(
    engine, origins, facts
):
    with (
        sidecar_that_runs(engine, CANNOT_WRITE) as image,
        worlds(engine, origins, facts, sidecar_image=image) as broken,
        broken.open("python") as world,
    ):
        assert "200" == world.run(json.dumps("follow('http://ok.test/')"))
        with pytest.raises(SidecarFault, match="ended unexpectedly"):
            world.run(
                json.dumps("(tried(lambda: follow('http://unlisted.test/')), found('sleep 50'))")
            )
        with pytest.raises(SidecarFault):
            world.sandbox.drain_egress()
    seen = origins.take()

    assert ("GET ok.test/",) == seen.requests
