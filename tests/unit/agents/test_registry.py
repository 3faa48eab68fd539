"""Names of agents, as the command line gives them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quickstarted.agents import AGENTS, ANNOUNCED, agent_named, known_agents, known_kinds
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
        ("claude:bedrock/eu.x-v1:0", None, ("claude:bedrock/eu.x-v1:0", "bedrock/eu.x-v1:0")),
        ("claude:vertex/x@1", None, ("claude:vertex/x@1", "vertex/x@1")),
        ("openai:gpt-x", None, ("openai:gpt-x", "gpt-x")),
        ("openai", "gpt-x", ("openai:gpt-x", "gpt-x")),
        ("gemini:gemini-x", "gpt-x", ("gemini:gemini-x", "gemini-x")),
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
        ("openai", UsageError, "Name one: --agent openai:MODEL."),
        ("gemini", UsageError, "Name one: --agent gemini:MODEL."),
        ("gemini:", UsageError, "there is no model after the colon"),
        ("codex", UsageError, "Name one: --agent codex:MODEL."),
        ("exec", UsageError, "Name one: --agent exec:COMMAND."),
        ("exec: ", UsageError, "there is no command after the colon"),
        ("claude:bedrock", UsageError, "--agent claude:bedrock/MODEL"),
        ("claude:vertex/", UsageError, "--agent claude:vertex/MODEL"),
        *((name, NotYetSupported, "does not have the agent") for name in ANNOUNCED),
    ],
)
def test_a_name_that_stands_for_nothing_says_so(name, kind, message):
    with pytest.raises(kind, match=message):
        agent_named(name)


@pytest.mark.parametrize(("name", "kind"), list(known_kinds()))
def test_every_agent_can_be_made_without_a_key(name, kind, monkeypatch):
    for variable in kind.key_variables:
        monkeypatch.delenv(variable, raising=False)
    given = f"{name}:x" if kind.needs_argument else name

    assert given == agent_named(given).name


def test_no_sdk_is_imported_to_know_the_agents():
    program = (
        "import sys; from quickstarted.agents import known_kinds; list(known_kinds());"
        " print([name for name in ('anthropic', 'openai', 'google.genai', 'httpx2', 'boto3')"
        " if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert "[]" == ran.stdout.strip()


@pytest.fixture(name="install")
def _install(tmp_path, monkeypatch):
    """Puts a distribution with agents of its own on the path."""

    def install(source, *points):
        (tmp_path / "other_agents.py").write_text(source)
        info = tmp_path / "other_agents-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-agents\nVersion: 1\n")
        (info / "entry_points.txt").write_text("\n".join(["[quickstarted.agents]", *points]))
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    sys.modules.pop("other_agents", None)


OTHERS = """
from quickstarted.agents import AgentKind
from quickstarted.agents.replay import ReplayAgent
class Other(ReplayAgent):
    name = "other"
KIND = AgentKind(make=lambda argument: Other())
NO_KIND = 5
"""


def test_an_agent_of_another_package_is_found_by_its_entry_point(install):
    install(OTHERS, "other = other_agents:KIND", "replay = other_agents:KIND")

    assert "other" == agent_named("other").name
    assert (*AGENTS, "other") == known_agents()
    assert [*AGENTS, "other"] == [name for name, _ in known_kinds()]
    assert "replay" == agent_named("replay").name
    with pytest.raises(UsageError, match="other") as caught:
        agent_named("othre")
    assert "There is: replay" in caught.value.hint


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("other = other_agents:NO_KIND", "is not an AgentKind"),
        ("other = other_agents:NOTHING", "cannot be loaded"),
        ("other = no_such_module:KIND", "cannot be loaded"),
    ],
)
def test_an_entry_point_that_fails_says_so_and_spoils_nothing_else(install, point, said):
    install(OTHERS, point)

    with pytest.raises(UsageError, match=said):
        agent_named("other")
    assert list(AGENTS) == [name for name, _ in known_kinds()]
