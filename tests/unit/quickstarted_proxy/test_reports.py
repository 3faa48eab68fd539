"""Numbered lines, or the end of the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from quickstarted_proxy.control import decode, encode
from quickstarted_proxy.reports import EXIT_FAULT, EXIT_UNHEARD, Reporter


def test_reports_are_numbered_without_a_gap():
    reading, writing = os.pipe()
    reporter = Reporter(writing)
    reporter.send("scope", scope=1)
    reporter.event({"type": "egress_error", "error": "\u2028\n"})
    os.close(writing)
    with os.fdopen(reading) as stream:
        reports = [json.loads(line) for line in stream]

    assert [0, 1] == [report["seq"] for report in reports]
    assert ["scope", "event"] == [report["report"] for report in reports]
    assert "\u2028\n" == reports[1]["event"]["error"]


PROGRAM = """
import os, sys
from quickstarted_proxy.reports import Reporter
reading, writing = os.pipe()
{step}
print("alive")
"""


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("os.close(reading); Reporter(writing).send('scope')", EXIT_UNHEARD),
        ("os.close(writing); Reporter(writing).send('scope')", EXIT_UNHEARD),
        ("Reporter(writing).send('event', event={1: object()})", EXIT_UNHEARD),
        ("Reporter(writing).end('fault', 'why', 70)", EXIT_FAULT),
    ],
)
def test_a_report_that_cannot_be_written_ends_the_process(step, code):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(step=step)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (code, "") == (done.returncode, done.stdout)


@pytest.mark.parametrize("line", [b"[]", b"1", b"{", b"", b"\xff"])
def test_only_json_objects_are_messages(line):
    with pytest.raises(ValueError, match=r"JSON object|Expecting|codec"):
        decode(line)


def test_a_message_is_one_ascii_line():
    line = encode({"a": "\n\u2028é\x00"})

    assert (1, True, True) == (line.count(b"\n"), line.endswith(b"\n"), line.isascii())
    assert {"a": "\n\u2028é\x00"} == decode(line)
