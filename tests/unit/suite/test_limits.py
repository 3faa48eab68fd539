"""Who may be asked at once, and who asked for patience."""

from __future__ import annotations

import dataclasses

import pytest

from quickstarted.agents import agent_named, vendor_of
from quickstarted.condition import Condition
from quickstarted.events import ApiRetry
from quickstarted.suite.limits import LONGEST_PAUSE_S, Limits, unused, used_by


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize(
    ("agent", "vendor"),
    [
        ("replay", "replay"),
        ("claude:a-model", "anthropic"),
        ("claude-code", "anthropic"),
        ("openai:a-model", "openai"),
        ("codex", "openai"),
        ("gemini:a-model", "gemini"),
        ("untouched", "untouched"),
    ],
)
def test_agents_of_one_vendor_share_its_limit(agent, vendor):
    assert vendor == vendor_of(agent)


def test_an_attempt_uses_its_vendor_and_the_hosts_of_its_documentation(plans):
    (plan,) = plans(1)
    assert ["replay", "docs.example"] == list(used_by(plan))
    without = dataclasses.replace(plan, condition=Condition(arm="no-docs"))
    assert ["replay"] == list(used_by(without))


def test_a_limit_that_nothing_uses_is_found(plans):
    assert ["antropic"] == unused({"antropic": 2, "docs.example": 1}, plans(1))


def test_a_place_is_free_again_when_an_attempt_ends(plans):
    first, second = plans(2)
    limits = Limits({"docs.example": 1})
    assert limits.obstacle(first) is None
    limits.begin(first)
    assert "docs.example: 1 at once" == limits.obstacle(second)
    limits.end(first)
    assert limits.obstacle(second) is None


def test_after_a_429_no_attempt_of_that_vendor_begins_for_as_long_as_it_asked(plans):
    clock = Clock()
    limits = Limits({}, clock=clock)
    (claude,) = plans(1, agent=agent_named("claude"))
    (code,) = plans(1, agent=agent_named("claude-code"))
    (other,) = plans(1)
    retry = ApiRetry(ts=1.0, turn=1, attempt=1, sleep=20.0, error="too many requests", status=429)

    limits.hear(claude, retry)
    assert "anthropic: it asked for patience (429)" == limits.obstacle(code)
    assert limits.obstacle(other) is None
    clock.now += 19
    assert limits.obstacle(code) is not None
    clock.now += 2
    assert limits.obstacle(code) is None


def test_other_troubles_hold_nobody_back_and_no_pause_is_endless(plans):
    clock = Clock()
    limits = Limits({}, clock=clock)
    (plan,) = plans(1, agent=agent_named("claude"))
    limits.hear(plan, ApiRetry(ts=1.0, turn=1, attempt=1, sleep=20.0, error="down", status=503))
    assert limits.obstacle(plan) is None
    limits.hear(plan, ApiRetry(ts=1.0, turn=1, attempt=1, sleep=9e9, error="busy", status=429))
    clock.now += LONGEST_PAUSE_S + 1
    assert limits.obstacle(plan) is None
