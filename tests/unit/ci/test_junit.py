"""The JUnit report: what the schema of Jenkins and the reader of GitLab want of it."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from fakes.attempts import egress_blocked, result, success_check, tool_call, tool_result
from fakes.ci_results import ResultsFolder
from quickstarted.ci.checkout import Checkout
from quickstarted.ci.junit import junit_xml, xml_text
from quickstarted.ci.outcomes import Outcome, TaskFile, read_outcomes
from quickstarted.results import FaultResult, TryResult
from quickstarted.verdict import Classification

SCHEMA = etree.XMLSchema(etree.parse(str(Path(__file__).parents[2] / "data" / "junit-10.xsd")))
NOWHERE = Checkout(root=Path("/nowhere"))


def outcome(run, lines=("headline",), **fields):
    return Outcome(run=run, lines=lines, task_file=TaskFile(), **fields)


def valid(document):
    tree = etree.fromstring(document)
    SCHEMA.assertValid(tree)
    return tree


def of_folder(folder, **flags):
    outcomes = read_outcomes(folder.suite, folder.out)
    return junit_xml(outcomes, Checkout(root=folder.out), **flags)


@pytest.fixture
def folder(tmp_path):
    """One of each kind, in two cells."""
    folder = ResultsFolder(tmp_path)
    task = {"task_path": str(tmp_path / "tasks" / "flask.yaml"), "task_source": "name: flask"}
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "flask.yaml").write_text("name: flask")
    folder.add(start={"attempt": 1}, record=task)
    folder.gap(
        [
            tool_call("pip install flsk"),
            tool_result(1, output="no such package"),
            success_check(1, output="check failed: no server"),
        ],
        start={"attempt": 2},
        record=task,
    )
    folder.lost([egress_blocked("x.example")], start={"attempt": 3}, record=task)
    folder.add(
        start={"agent": "claude", "affordance_policy": "none"},
        end={"classification": "skipped", "stop_reason": "interrupted", "passed": None},
    )
    return folder


def test_a_report_of_every_kind_of_ending_is_valid_by_jenkins_schema(folder):
    tree = valid(of_folder(folder))

    assert ["1", "1", "4"] == [tree.get(name) for name in ("failures", "errors", "tests")]


def test_each_cell_is_a_suite_and_each_attempt_a_case(folder):
    tree = valid(of_folder(folder))
    names = {
        suite.get("name"): [case.get("name") for case in suite.findall("testcase")]
        for suite in tree
    }

    assert {
        "flask by replay": ["flask by replay #1", "flask by replay #2", "flask by replay #3"],
        "flask by claude, affordances none": ["flask by claude, affordances none #1"],
    } == names


def test_a_gap_is_a_failure_that_says_what_to_look_at(folder):
    (failure,) = valid(of_folder(folder)).iter("failure")

    assert "docs_gap" == failure.get("type")
    assert "did not lead to the outcome" in failure.get("message")
    assert "$ pip install flsk  exit 1: no such package" in failure.text
    assert "check failed: no server" in failure.text
    assert "trace: flask/replay/2/trace.jsonl" in failure.text


@pytest.mark.parametrize(
    ("classification", "expected"),
    [
        ("passed", None),
        ("docs_gap", "failure"),
        ("budget_exhausted", "error"),
        ("agent_refusal", "error"),
        ("harness_error", "error"),
        ("infra_error", "error"),
        ("skipped", "skipped"),
    ],
)
def test_what_gives_no_evidence_is_an_error_and_what_was_not_made_is_skipped(
    classification, expected
):
    (case,) = valid(junit_xml([outcome(result(classification))], NOWHERE)).iter("testcase")

    assert ([expected] if expected else []) + ["system-out"] == [part.tag for part in case]


def test_a_failure_that_does_not_count_is_no_failure_of_the_report():
    tree = valid(junit_xml([outcome(result("docs_gap"), counts=False)], NOWHERE))

    assert "0" == tree.get("failures")
    assert ["docs_gap"] == [one.get("type") for one in tree.iter("flakyFailure")]


def test_every_classification_has_been_thought_of():
    assert 7 == len(Classification)


def test_the_figures_of_a_cell_are_properties_of_its_suite():
    runs = [
        result("passed", agent="claude", attempt=number, image_digest="sha256:1", model="model-a")
        for number in (1, 2)
    ]
    (suite,) = valid(junit_xml([outcome(run) for run in runs], NOWHERE))
    found = {one.get("name"): one.get("value") for one in suite.iter("property")}

    assert {
        "agent": "claude",
        "model": "model-a",
        "affordances": "all",
        "arm": "docs",
        "image_digest": "sha256:1",
        "passes": "2",
        "evidential_runs": "2",
        "pass_rate": "1.0000",
        "tokens": "0",
        "estimated_cost_usd": "$0",
    }.items() <= found.items()


def test_the_arms_of_one_name_with_other_content_are_suites_of_their_own():
    runs = [result("passed", arm="skill", arm_hash=digest) for digest in ("sha256:1", "sha256:2")]

    assert 2 == len(valid(junit_xml([outcome(run) for run in runs], NOWHERE)))


def test_tries_that_were_lost_are_reported_as_reruns_are():
    lost = TryResult(
        classification="infra_error",
        fault=FaultResult(component="engine", error="gone"),
        started=1.0,
        duration_seconds=1.0,
        trace="flask/1.1/trace.jsonl",
    )
    runs = [
        result(name, attempt=number, tries=2, earlier_tries=[lost])
        for number, name in enumerate(("passed", "infra_error"), 1)
    ]
    first, second = valid(junit_xml([outcome(run) for run in runs], NOWHERE)).iter("testcase")

    assert "gone" == first.find("flakyError").get("message")
    assert "gone" == second.find("rerunError").get("message")
    assert "trace: flask/1.1/trace.jsonl" == second.findtext("rerunError/system-out")


def test_a_dot_in_a_tasks_name_makes_no_package_of_it_in_jenkins():
    (case,) = valid(junit_xml([outcome(result("passed", task="flask-3.0"))], NOWHERE)).iter(
        "testcase"
    )

    assert "flask-3_0" == case.get("classname")
    assert "flask-3.0 by replay #1" == case.get("name")


def test_a_clock_that_went_backwards_gives_no_negative_time():
    tree = valid(junit_xml([outcome(result("passed", duration_seconds=-3.0))], NOWHERE))

    assert {"0.000"} == {one.get("time") for one in tree.iter("testcase", "testsuite")}


def test_times_begin_in_utc():
    (suite,) = valid(junit_xml([outcome(result("passed", started=86400.5))], NOWHERE))

    assert "1970-01-02T00:00:00" == suite.get("timestamp")


def test_gitlab_gets_the_file_of_each_case_and_is_the_only_one(folder):
    plain, for_gitlab = of_folder(folder), of_folder(folder, for_gitlab=True)
    tree = etree.fromstring(for_gitlab)
    files = [case.attrib.pop("file", None) for case in tree.iter("testcase")]

    SCHEMA.assertValid(tree)
    assert ["tasks/flask.yaml"] * 3 + [None] == files
    assert etree.tostring(tree) == etree.tostring(valid(plain))


def test_gitlab_tells_all_cases_apart(folder):
    """It takes the first of those with the same class and name, and drops the others."""
    tree = ET.fromstring(of_folder(folder, for_gitlab=True))
    keys = [(case.get("classname"), case.get("name")) for case in tree.iter("testcase")]

    assert 4 == len(set(keys)) == len(keys)


ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
@example("\udc80")
def test_text_comes_back_as_it_was_but_for_what_xml_cannot_hold(text):
    element = ET.Element("a")
    element.text = xml_text(text)
    back = etree.fromstring(ET.tostring(element, encoding="utf-8")).text or ""

    # A reader turns every end of a line into \n (XML 1.0, section 2.11).
    assert xml_text(text).replace("\r\n", "\n").replace("\r", "\n") == back


@given(st.text(min_size=1), ANY_TEXT, ANY_TEXT)
@example("\x00", "\x1b\ufffe", "\udc80")
def test_no_text_of_an_attempt_makes_a_report_that_is_not_valid(agent, error, line):
    run = result(
        "harness_error",
        agent=agent,
        image=error,
        fault=FaultResult(component="check", error=error),
        trace=line,
        models_reported=[error],
    )

    assert 1 == len(valid(junit_xml([outcome(run, lines=(line,))], NOWHERE)))


def test_a_report_of_no_attempts_is_valid():
    assert [] == list(valid(junit_xml([], NOWHERE)))
