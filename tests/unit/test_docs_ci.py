"""docs/ci.md: its questions have answers, its files are YAML, its advice covers every exit code."""

import re

import jq
import pytest
import yaml

from fakes.golden import TRACES
from fakes.pages import CHECKOUT, blocks, section
from quickstarted.results import exit_code, suite_result, summarise
from quickstarted.trace import read_trace
from quickstarted.verdict import Classification

PAGE = (CHECKOUT / "docs" / "ci.md").read_text()
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


@pytest.mark.parametrize("block", [block for block in blocks(PAGE) if block.language == "yaml"])
def test_the_files_for_ci_systems_are_maps(block):
    assert isinstance(yaml.safe_load(block.text), dict)
