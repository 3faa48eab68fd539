"""Attempts by a model of OpenAI, with no engine."""

from __future__ import annotations

import pytest

from fakes.model_attempts import OPENAI, ModelAttempts


@pytest.fixture(name="attempts")
def _attempts(tmp_path):
    return ModelAttempts(tmp_path, service=OPENAI)
