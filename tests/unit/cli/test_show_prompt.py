"""`run --show-prompt`: what a model is told, and nothing runs."""

from __future__ import annotations

from click.testing import CliRunner

from fakes.program import write_task
from quickstarted.agents import agent_named
from quickstarted.agents.prompt import SYSTEM
from quickstarted.cli.run import command
from quickstarted.plan import AttemptPlan
from quickstarted.task import load_task

BODY = """\
    success: {script: 'test -f secret-of-the-check'}
    replay: [touch secret-of-the-replay]
    """


def shown(path, *flags):
    return CliRunner().invoke(command, [str(path), "--show-prompt", *flags])


def test_it_shows_the_prompt_and_its_hash_and_runs_nothing(tmp_path):
    path = write_task(tmp_path, BODY)

    ran = shown(path, "--out", str(tmp_path / "results"))

    assert 0 == ran.exit_code, ran.output
    assert SYSTEM in ran.output
    assert "Goal: Do as the page says." in ran.output
    assert "- https://docs.example/" in ran.output
    assert "secret" not in ran.output
    assert not (tmp_path / "results").exists()


def test_the_hash_is_that_of_every_models_run(tmp_path):
    path = write_task(tmp_path, BODY)
    task = load_task(path)
    hashes = {
        AttemptPlan(task=task, agent=agent_named(name), attempt=1, run_id="x").prompt_hash
        for name in ("claude", "openai:x", "gemini:x")
    }

    (only,) = hashes
    assert f"== probe: {only}" in shown(path).output


def test_each_task_has_its_own(tmp_path):
    write_task(tmp_path, BODY)
    write_task(tmp_path, BODY, name="other")

    output = shown(tmp_path).output

    assert ["== other: ", "== probe: "] == sorted(
        line[:10] for line in output.splitlines() if line.startswith("== ")
    )
    assert 2 == output.count(SYSTEM)


def test_a_choice_among_tasks_is_one_among_prompts(tmp_path):
    write_task(tmp_path, BODY)
    write_task(tmp_path, BODY, name="other")

    output = shown(tmp_path, "-k", "not probe").output

    assert ["== other: "] == [line[:10] for line in output.splitlines() if line.startswith("== ")]
