"""What an attempt's sandbox gets of its agent's needs."""

import pytest

from fakes.program import write_task
from quickstarted.agents import agent_named
from quickstarted.agents.programs.agent import ProgramAgent
from quickstarted.agents.programs.claude_code import ClaudeCode
from quickstarted.agents.programs.door import HOST
from quickstarted.errors import ModelRejected
from quickstarted.plan import AttemptPlan
from quickstarted.programs import CLAUDE_CODE
from quickstarted.task import load_task

TASK = "success: {script: 'true'}\nbudgets: {max_turns: 7, max_tokens: 900}\n"
KEY = "sk-ant-0123456789"


@pytest.fixture(name="plan")
def _plan(tmp_path):
    def make(agent, body=TASK):
        task = load_task(write_task(tmp_path, body))
        return AttemptPlan(task=task, agent=agent, attempt=1, run_id="r", environ={})

    return make


def claude_code(**environ):
    usual = {"ANTHROPIC_API_KEY": KEY}
    return ProgramAgent(program=ClaudeCode(model=None), environ=usual | environ)


def test_a_program_gets_its_service_within_the_tasks_limits(plan, tmp_path):
    spec = plan(claude_code()).sandbox_spec(tmp_path)

    (api,) = spec.models
    assert ("api.anthropic.com", 7, 900) == (api.host, api.max_calls, api.max_tokens)
    assert (CLAUDE_CODE, HOST) == (spec.program, spec.door_host)
    assert spec.doorkeeper is not None
    assert spec.on_model_call is not None
    assert [("api.anthropic.com",)] == [secret.hosts for secret in spec.secrets]
    assert KEY not in repr(spec)


@pytest.mark.parametrize("name", ["replay", "claude"])
def test_an_agent_outside_of_the_sandbox_opens_nothing_in_it(plan, tmp_path, name):
    made = plan(agent_named(name))
    spec = made.sandbox_spec(tmp_path)

    assert ((), (), "", None) == (spec.models, spec.secrets, spec.door_host, spec.program)
    assert "api.anthropic.com" not in {rule.host for rule in spec.policy.allow}


def test_two_attempts_have_placeholders_of_their_own(plan, tmp_path):
    agent = claude_code()
    first, second = (plan(agent).sandbox_spec(tmp_path).placeholders for _ in range(2))

    assert first.keys() == second.keys()
    assert first != second


def test_no_record_may_hold_the_key(plan):
    assert [KEY] == [secret.value for secret in plan(claude_code()).scrubbed]


def test_an_attempt_without_a_key_can_be_recorded_all_the_same(plan):
    made = plan(ProgramAgent(program=ClaudeCode(model=None), environ={}))

    assert "api.anthropic.com" not in str(made.record("docker", []).policy)
    with pytest.raises(ModelRejected):
        made.agent.prepare()


def test_a_service_at_the_documentations_host_is_refused(plan, tmp_path):
    made = plan(claude_code(ANTHROPIC_BASE_URL="https://docs.example/llm"))

    with pytest.raises(ModelRejected, match="is a documentation host of the task"):
        made.sandbox_spec(tmp_path)
