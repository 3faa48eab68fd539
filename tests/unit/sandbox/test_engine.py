"""Connecting: what is said where no engine can be reached."""

from __future__ import annotations

import pytest

from fakes.program import finish, start


@pytest.mark.parametrize(
    ("docker_host", "message", "hint"),
    [
        (
            "unix:///nowhere/engine.sock",
            "no container engine answers at unix:///nowhere/engine.sock: No such file or directory",
            "Start Docker",
        ),
        (
            "tcp://127.0.0.1:1",
            "no container engine answers at tcp://127.0.0.1:1: Connection refused",
            "Start Docker",
        ),
        (
            "ssh://user@build.example",
            "DOCKER_HOST=ssh://user@build.example: an engine behind ssh cannot be asked directly",
            "-L /tmp/engine.sock:/var/run/docker.sock user@build.example",
        ),
    ],
)
def test_an_engine_that_cannot_be_reached_is_named_with_what_to_do(
    tmp_path, docker_host, message, hint
):
    done = finish(start(["gc"], env={"DOCKER_HOST": docker_host}), tmp_path)

    assert 2 == done.code
    assert f"error: {message}" in done.err
    assert hint in done.err
