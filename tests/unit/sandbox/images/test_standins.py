"""The table of stand-ins: a name is replaced only where the stand-in holds what it promises."""

from __future__ import annotations

import pytest

from quickstarted.sandbox.images.standins import familiar_name, repository_of, stand_in_for


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("python:3.13-slim", "quickstarted/sandbox-python:local"),
        ("docker.io/library/python:3.13-slim", "quickstarted/sandbox-python:local"),
        ("python:3.13-slim-trixie", "quickstarted/sandbox-python:local"),
        ("python:3.12-slim", None),
        ("python:3.13", None),
        ("python:3.13-alpine", None),
        ("python", None),
        ("ghcr.io/library/python:3.13-slim", None),
        ("python:3.13-slim@sha256:00", None),
        ("node:20-slim", "quickstarted/sandbox-node:local"),
        ("library/node:20-bookworm-slim", "quickstarted/sandbox-node:local"),
        ("node:22-slim", None),
        ("node:20", None),
        ("node:20-alpine", None),
        ("quickstarted/sandbox-node:local", None),
    ],
)
def test_which_names_have_a_stand_in(name, tag):
    found = stand_in_for(name)

    assert tag == (found.tag if found else None)


@pytest.mark.parametrize(
    ("name", "familiar"),
    [
        ("python", "python:latest"),
        ("index.docker.io/library/python:3", "python:3"),
        ("localhost:5000/app", "localhost:5000/app:latest"),
        ("localhost:5000/app:1", "localhost:5000/app:1"),
        ("app@sha256:00", "app@sha256:00"),
    ],
)
def test_names_are_compared_in_their_familiar_form(name, familiar):
    assert familiar == familiar_name(name)


@pytest.mark.parametrize(
    ("name", "repository"),
    [
        ("python:3.13-slim", "python"),
        ("docker.io/library/python@sha256:00", "python"),
        ("localhost:5000/app", "localhost:5000/app"),
        ("localhost:5000/app:1@sha256:00", "localhost:5000/app"),
    ],
)
def test_a_repository_is_the_name_without_tag_and_digest(name, repository):
    assert repository == repository_of(name)
