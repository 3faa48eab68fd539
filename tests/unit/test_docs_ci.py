"""docs/ci.md: its questions have answers, and it has every exit code and every input."""

import os
import re

import jq
import pytest
import yaml

from fakes.golden import TRACES
from fakes.pages import CHECKOUT, section
from quickstarted.console.markdown import table
from quickstarted.results import exit_code, suite_result, summarise
from quickstarted.trace import read_trace
from quickstarted.verdict import Classification

FILE = CHECKOUT / "docs" / "ci.md"
PAGE = FILE.read_text()
MADE = "made from action.yml by tests/unit/test_docs_ci.py"
ADVICE = section(PAGE, "## Which outcomes should fail a build")
NAMES = ("passed", "docs_gap", "harness_error", "infra_error")


def runs():
    return [summarise(read_trace(TRACES / f"{name}.jsonl")) for name in NAMES]


def test_attempts_without_evidence_can_be_listed_as_the_page_says():
    (program,) = re.findall(r"jq -r '(.+?)' results/results\.json", ADVICE, re.DOTALL)
    document = suite_result(runs(), created=0).model_dump_json()
    answers = jq.compile(program).input_text(document).all()

    assert ["harness_error", "infra_error"] == [re.split(r"[:,] ", line)[1] for line in answers]
    assert all(len(line) > len("task: infra_error, ") for line in answers)


def test_the_table_and_the_command_line_have_the_same_exit_codes():
    codes = r"^\| `(\d+)` \|"
    page = (CHECKOUT / "docs" / "cli.md").read_text()
    known = re.findall(codes, section(page, "## Exit codes"), re.MULTILINE)

    assert known == re.findall(codes, ADVICE, re.MULTILINE)


@pytest.mark.parametrize("run", runs(), ids=lambda run: run.classification.value)
def test_an_attempt_alone_ends_with_the_code_that_the_table_has_for_it(run):
    expected = {Classification.PASSED: 0, Classification.DOCS_GAP: 1}.get(run.classification, 2)

    assert expected == exit_code([run])


def inputs_table():
    """The inputs and outputs of the action, as GitHub takes them from action.yml."""
    action = yaml.safe_load((CHECKOUT / "action.yml").read_text())
    inputs = [
        (f"`{name}`", f"`{one['default']}`" if one["default"] else "", one["description"])
        for name, one in action["inputs"].items()
    ]
    results = [(f"`{name}`", one["description"]) for name, one in action["outputs"].items()]
    return "\n\n".join(
        (
            table(("input", "default", "meaning"), inputs),
            table(("output", "meaning"), results),
        )
    )


def test_the_page_has_every_input_and_output_of_the_action():
    before, rest = PAGE.split(f"<!-- below: {MADE} -->\n", 1)
    _, after = rest.split(f"<!-- above: {MADE} -->\n", 1)
    whole = f"{before}<!-- below: {MADE} -->\n\n{inputs_table()}\n\n<!-- above: {MADE} -->\n{after}"
    if os.environ.get("QS_UPDATE_GOLDEN"):
        FILE.write_text(whole)

    assert whole == FILE.read_text(), "QS_UPDATE_GOLDEN=1 writes it again"
