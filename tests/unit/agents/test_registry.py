"""Names of agents, as the command line gives them."""

from __future__ import annotations

import pytest

from quickstarted.agents import AGENTS, ANNOUNCED, agent_named
from quickstarted.errors import NotYetSupported, UsageError


@pytest.mark.parametrize(
    ("name", "default_model", "expected"),
    [
        ("replay", None, ("replay", None)),
        ("replay", "claude-haiku-5-5", ("replay", None)),
        ("claude", None, ("claude", "claude-sonnet-5-5")),
        ("claude:claude-opus-5-5", None, ("claude:claude-opus-5-5", "claude-opus-5-5")),
        ("claude", "claude-haiku-5-5", ("claude:claude-haiku-5-5", "claude-haiku-5-5")),
        ("claude:claude-opus-5-5", "claude-haiku-5-5", ("claude:claude-opus-5-5",) * 2),
        ("claude:proxy/model:free", None, ("claude:proxy/model:free", "proxy/model:free")),
    ],
)
def test_a_name_says_agent_and_model(name, default_model, expected):
    agent = agent_named(name, default_model)

    model = expected[1].removeprefix("claude:") if expected[1] else None
    assert (expected[0], model) == (agent.name, agent.model)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("cluade", UsageError, "there is no agent 'cluade'"),
        ("", UsageError, "there is no agent ''"),
        ("claude:", UsageError, "there is no model after the colon"),
        ("claude: ", UsageError, "there is no model after the colon"),
        ("replay:x", UsageError, "the agent 'replay' has no model to choose"),
        *((name, NotYetSupported, "does not have the agent") for name in ANNOUNCED),
    ],
)
def test_a_name_that_stands_for_nothing_says_so(name, kind, message):
    with pytest.raises(kind, match=message):
        agent_named(name)


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_can_be_made_without_a_key(name, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("QUICKSTARTED_ANTHROPIC_API_KEY", raising=False)

    assert name == agent_named(name).name
