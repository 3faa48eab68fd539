import re
from pathlib import Path

import pytest

from quickstarted.task import parse_task
from quickstarted.task.findings.access_rules import RULES as ACCESS
from quickstarted.task.findings.check_rules import RULES as CHECK
from quickstarted.task.findings.model import Rule
from quickstarted.task.findings.replay_rules import RULES as REPLAY
from quickstarted.task.schema import task_schema

PAGE = (Path(__file__).parents[3] / "docs" / "task-format.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
DEFAULTS = {
    "name": "name: x\n",
    "goal": "goal: g\n",
    "docs": "docs: {entrypoint: https://docs.example/}\n",
    "success": "success: {script: python a.py}\n",
}


def keys() -> list[str]:
    schema = task_schema()
    parts = [schema, *schema["$defs"].values()]
    return sorted({key for part in parts for key in part.get("properties", {})})


@pytest.mark.parametrize("key", keys())
def test_every_key_is_on_the_page(key):
    assert re.search(rf"`(\w+\.)?{key}[`.]", PAGE)


def test_every_code_of_a_finding_is_on_the_page():
    codes = {
        value.code
        for rule in (*ACCESS, *CHECK, *REPLAY)
        for value in rule.__globals__.values()
        if isinstance(value, Rule)
    }

    assert codes
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_example_on_the_page_is_valid(tmp_path, block):
    (tmp_path / "docs" / "_build" / "html").mkdir(parents=True)
    (tmp_path / "tasks").mkdir()
    rest = "".join(text for key, text in DEFAULTS.items() if f"\n{key}:" not in f"\n{block}")

    assert parse_task((rest + block).encode(), tmp_path / "tasks" / "x.yaml").name
