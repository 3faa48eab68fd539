"""Whom the agent's commands run as."""

from __future__ import annotations

import pytest

from quickstarted.sandbox.container.spec import ContainerSpec
from quickstarted.sandbox.protocol import ImageIdentity


@pytest.mark.parametrize(
    ("asked", "image", "runs_as"),
    [(None, "", "0"), (None, "node", "node"), ("1000:1000", "node", "1000:1000")],
)
def test_the_task_comes_before_the_image_and_root_is_last(asked, image, runs_as):
    identity = ImageIdentity(
        requested="x", image_id="sha256:1", digest=None, architecture="amd64", user=image
    )

    assert runs_as == ContainerSpec(run_id="r", image=identity, labels={}, user=asked).agent_user
