"""
A JUnit XML report: a test suite for each cell, a test case for each attempt.

There is no one format. The schema of Jenkins' xUnit plugin (junit-10.xsd), which that plugin
refuses other files by, is the strictest that is in use, and a test holds the report to it. GitLab
tells cases apart by `classname` and `name` and shows `file`, which that schema does not allow in a
test case: it is written there only.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from quickstarted.ci.checkout import Checkout
from quickstarted.ci.outcomes import Outcome, cell_name
from quickstarted.ci.sources import place_of, task_place
from quickstarted.console.money import cost_said
from quickstarted.console.words import why
from quickstarted.results import CellResult, RunResult, cell_result
from quickstarted.verdict import Classification

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that cannot be in XML 1.0, not even as references (section 2.2, `Char`)."""


def junit_xml(
    outcomes: Sequence[Outcome], checkout: Checkout, *, for_gitlab: bool = False
) -> bytes:
    """
    The report, as UTF-8.

    Args:
        outcomes: All attempts that are reported.
        checkout: The repository that files are named in.
        for_gitlab: Give each case the attribute `file`.

    """
    of_cell: dict[object, list[Outcome]] = {}
    for outcome in outcomes:
        of_cell.setdefault((outcome.run.cell_key, outcome.run.arm_hash), []).append(outcome)
    root = ET.Element("testsuites", _attributes(outcomes))
    root.set("name", "quickstarted")
    # Jenkins' schema has it for suites only.
    del root.attrib["skipped"]
    for known in of_cell.values():
        root.append(_suite(known, checkout, for_gitlab=for_gitlab))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def xml_text(text: str) -> str:
    r"""*text* with what XML cannot hold spelled out, such as `\x1b`."""
    return _FORBIDDEN.sub(lambda match: _spelled(ord(match[0])), text)


def _spelled(code: int) -> str:
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def _suite(outcomes: Sequence[Outcome], checkout: Checkout, *, for_gitlab: bool) -> ET.Element:
    runs = [outcome.run for outcome in outcomes]
    element = ET.Element(
        "testsuite", {"name": xml_text(cell_name(runs[0])), **_attributes(outcomes)}
    )
    element.set("timestamp", _timestamp(min(run.started for run in runs)))
    if (place := task_place(outcomes[0], checkout)) is not None:
        element.set("file", xml_text(place.file))
    properties = ET.SubElement(element, "properties")
    for name, value in _properties(cell_result(runs), runs):
        ET.SubElement(properties, "property", name=name, value=xml_text(value))
    for outcome in outcomes:
        element.append(_case(outcome, checkout, for_gitlab=for_gitlab))
    return element


def _attributes(outcomes: Sequence[Outcome]) -> dict[str, str]:
    kinds = [_kind(outcome) for outcome in outcomes]
    runs = [outcome.run for outcome in outcomes]
    return {
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
        "time": f"{sum(max(0.0, run.duration_seconds) for run in runs):.3f}",
    }


def _properties(cell: CellResult, runs: Sequence[RunResult]) -> Iterable[tuple[str, str]]:
    """What the attempts of a cell have in common, and its figures."""
    yield "task", cell.task
    yield "agent", cell.agent
    yield "affordances", cell.affordance_policy
    yield "arm", cell.arm
    yield "model", _each(run.model for run in runs)
    yield "models_reported", ", ".join(cell.models_reported)
    yield "image", _each(run.image for run in runs)
    yield "image_id", _each(run.image_id for run in runs)
    yield "image_digest", _each(run.image_digest for run in runs)
    yield "backend", _each(run.backend for run in runs)
    yield "enforced", str(all(run.enforced for run in runs)).lower()
    yield "harness_version", _each(run.harness_version for run in runs)
    yield "evidential_runs", str(cell.evidential_runs)
    yield "passes", str(cell.passes)
    yield "pass_rate", "none" if cell.pass_rate is None else f"{cell.pass_rate:.4f}"
    yield "tokens", str(cell.tokens.total)
    yield "estimated_cost_usd", cost_said(cell.estimated_cost_usd, cell.unpriced_models)


def _each(values: Iterable[str | None]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))


def _kind(outcome: Outcome) -> str:
    """The element that says how an attempt ended; empty for one that passed."""
    match outcome.run.classification:
        case Classification.PASSED:
            return ""
        case Classification.DOCS_GAP:
            # Surefire's word for a failure that does not count.
            return "failure" if outcome.counts else "flakyFailure"
        case Classification.SKIPPED:
            return "skipped"
        case _:
            # Neither passed nor the documentation's fault: no evidence.
            return "error"


def _case(outcome: Outcome, checkout: Checkout, *, for_gitlab: bool) -> ET.Element:
    run = outcome.run
    element = ET.Element(
        "testcase",
        name=xml_text(outcome.name),
        # Jenkins takes what stands before the last dot for the name of a package.
        classname=xml_text(run.task.replace(".", "_")),
        time=f"{max(0.0, run.duration_seconds):.3f}",
    )
    if for_gitlab and (place := place_of(outcome, checkout)) is not None:
        element.set("file", xml_text(place.file))
    body = xml_text("\n".join([*outcome.lines, *_facts(run)]))
    if kind := _kind(outcome):
        ending = ET.SubElement(element, kind, message=xml_text(why(run)))
        ending.set("type", run.classification)
        ending.text = body
    _earlier_tries(element, run)
    ET.SubElement(element, "system-out").text = body
    return element


def _facts(run: RunResult) -> Iterable[str]:
    """What there is no attribute for."""
    cost = cost_said(run.estimated_cost_usd, run.unpriced_models)
    yield f"tokens: {run.tokens.total}; cost: {cost}"
    if run.trace:
        yield f"trace: {run.trace}"


def _earlier_tries(element: ET.Element, run: RunResult) -> None:
    """Tries that were lost to infrastructure, as Maven Surefire reports tests that were rerun."""
    name = "flakyError" if run.classification is Classification.PASSED else "rerunError"
    for one in run.earlier_tries:
        said = one.fault.error if one.fault else one.classification.value
        lost = ET.SubElement(element, name, message=xml_text(said), type=one.classification)
        ET.SubElement(lost, "system-out").text = xml_text(f"trace: {one.trace}")


def _timestamp(epoch_s: float) -> str:
    """UTC, without a zone: what Ant writes, and readers expect."""
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")
