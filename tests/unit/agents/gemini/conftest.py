"""Attempts by Gemini, with no engine."""

from __future__ import annotations

import pytest

from fakes.model_attempts import GEMINI, ModelAttempts


@pytest.fixture(name="attempts")
def _attempts(tmp_path):
    return ModelAttempts(tmp_path, service=GEMINI)
