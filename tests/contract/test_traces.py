"""
Events that tests imagine, and the golden traces that readers are tried on, have the fields that a
real run writes and no others.
"""

from __future__ import annotations

import json

import pytest

from fakes import attempts
from fakes.golden import TRACES
from fakes.program import run_task, write_task

pytestmark = pytest.mark.docker

TASK = """\
    setup: [echo prepared]
    services: [sleep 300]
    network: {allow: [unserved.invalid]}
    replay:
      - echo hello
      - sleep 200 &
      - |
        python3 - <<'END'
        import urllib.request
        for host in ("docs.example", "unlisted.example", "unserved.invalid"):
            try:
                urllib.request.urlopen(f"http://{host}/")
            except OSError as error:
                print(host, error)
        END
    success: {script: 'true'}
    """
IMAGINED = {
    "run_start": attempts.run_start,
    "run_end": attempts.run_end,
    "docs_fetch": attempts.docs_fetch,
    "tool_call": attempts.tool_call,
    "tool_result": attempts.tool_result,
    "egress_blocked": lambda: attempts.egress_blocked("docs.example"),
    "egress_error": attempts.egress_error,
    "success_check": attempts.success_check,
}
NOT_OF_A_REPLAY = {"run_start": {"model", "prompt_hash"}}


@pytest.fixture(scope="module", name="written")
def _written(tmp_path_factory):
    """Type of event to the fields that a real run has written for it."""
    task = write_task(tmp_path_factory.mktemp("task"), TASK)
    done = run_task(task)
    assert 0 == done.code, done.out
    fields: dict[str, set[str]] = {}
    for line in (done.results / "probe" / "trace.jsonl").read_text().splitlines():
        event = json.loads(line)
        fields.setdefault(event["type"], set()).update(event)
    return fields


@pytest.mark.parametrize("kind", IMAGINED)
def test_an_imagined_event_has_no_field_that_a_real_one_lacks(written, kind):
    imagined = json.loads(IMAGINED[kind]().model_dump_json(exclude_none=True))

    assert set() == set(imagined) - written[kind] - NOT_OF_A_REPLAY.get(kind, set())


@pytest.mark.parametrize("name", ["passed", "docs_gap", "harness_error", "infra_error"])
def test_a_golden_trace_has_no_field_that_a_real_one_lacks(written, name):
    extra = set()
    for line in (TRACES / f"{name}.jsonl").read_text().splitlines():
        event = json.loads(line)
        kind = event["type"]
        if kind in written:
            unknown = set(event) - written[kind] - NOT_OF_A_REPLAY.get(kind, set())
            extra |= {(kind, field) for field in unknown}

    assert set() == extra
