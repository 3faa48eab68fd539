"""`quickstarted doctor` on this machine, and with engines that are there and do not answer."""

import json

import pytest

from fakes import lanes
from fakes.engine_relay import EngineRelay
from fakes.odd_engine import odd_engine
from fakes.program import finish, start
from quickstarted.probes import PROBES

pytestmark = pytest.mark.docker

KEY = "QUICKSTARTED_ANTHROPIC_API_KEY"


def examined(folder, *args, **env):
    done = finish(start(["doctor", *args], env={KEY: "sk-not-shown", **env}), folder)
    assert "sk-not-shown" not in done.out + done.err
    return done


def test_nothing_is_wrong_here_and_every_probe_is_told(tmp_path):
    done = examined(tmp_path, "--json")
    found = json.loads(done.out)
    by_code = {one["code"]: one for one in found["findings"]}

    errors = [one for one in found["findings"] if one["severity"] == "error"]
    assert ([], 0) == (errors, done.code)
    assert {f"probe-{probe.name}" for probe in PROBES} <= set(by_code)
    assert ("ok", "ok") == (by_code["engine-answers"]["severity"], by_code["networks"]["severity"])
    assert "ok" == by_code["probe-trust-node"]["severity"]
    with lanes.connected() as engine:
        labelled = engine.api.containers(all=True, filters={"label": "quickstarted.run"})
    assert not [one for one in labelled if one["Labels"]["quickstarted.run"].startswith("doctor-")]


def test_an_engine_that_dies_is_told_and_the_rest_too(tmp_path):
    with EngineRelay(tmp_path / "engine.sock") as relay:
        host = relay.docker_host
        relay.die()
        done = examined(tmp_path, DOCKER_HOST=host)

    assert 2 == done.code
    assert "  ERROR    DOCKER_HOST=unix://" in done.out
    assert "           $ unset DOCKER_HOST" in done.out
    assert f"the key for anthropic comes from {KEY}" in done.out


def test_an_engine_that_answers_once_and_then_hangs_is_told_with_what_it_said(tmp_path):
    with lanes.connected() as engine:
        answers = {"/version": engine.version, "/info": engine.info}
    with odd_engine(tmp_path / "engine.sock", answers) as host:
        done = examined(tmp_path, "--timeout", "1", DOCKER_HOST=host)

    assert 2 == done.code
    assert "takes connections and does not answer" in done.out
    assert "Asked for its networks: no answer in 1 s." in done.out
    assert f"{answers['/version']['Version']} answers at" in done.out


def test_an_image_that_is_not_here_is_told_and_nothing_is_pulled(tmp_path):
    done = examined(tmp_path, "--image", "quickstarted/never-made:1")

    assert "           $ quickstarted images pull quickstarted/never-made:1" in done.out
    assert "Not done: the image quickstarted/never-made:1 is not here" in done.out
