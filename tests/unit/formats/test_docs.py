"""docs/agent-log.md and docs/trajectory.md have every rule as the checkers have it."""

import os

import pytest

from fakes.agent_logs import codes
from fakes.pages import CHECKOUT, blocks
from quickstarted.formats import agent_log, trajectory

MARKER = "<!-- below: made from the rules by tests/unit/formats/test_docs.py -->"


def tables(rules):
    """Errors and findings, each a table."""
    parts = []
    for severity, title in (("error", "Errors"), ("finding", "Findings")):
        rows = [f"| `{rule.code}` | {rule.says} |" for rule in rules if rule.severity == severity]
        parts.append("\n".join([f"### {title}", "", "| code | rule |", "| --- | --- |", *rows]))
    return "\n\n".join(parts)


@pytest.mark.parametrize(
    ("name", "rules"), [("agent-log", agent_log.RULES), ("trajectory", trajectory.RULES)]
)
def test_the_page_has_every_rule_as_the_checker_has_it(name, rules):
    page = CHECKOUT / "docs" / f"{name}.md"
    head, marker, below = page.read_text().partition(MARKER)
    if os.environ.get("QS_UPDATE_GOLDEN"):
        below = f"\n\n{tables(rules)}\n"
        page.write_text(f"{head}{MARKER}{below}")

    assert marker
    assert tables(rules) == below.strip(), "QS_UPDATE_GOLDEN=1 writes it again"


def test_the_program_that_records_a_run_on_the_page_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (CHECKOUT / "docs" / "agent-log.md").read_text()
    (program,) = [block.text for block in blocks(text) if block.language == "python"]
    exec(compile(program, "docs/agent-log.md", "exec"), {})
    report = agent_log.check_log(tmp_path / "agent-log.jsonl")

    assert ("accept", []) == (report.verdict, codes(report))
