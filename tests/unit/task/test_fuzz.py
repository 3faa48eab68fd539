from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quickstarted.errors import TaskInvalid
from quickstarted.task import parse_task
from quickstarted.task.findings import warnings_for
from quickstarted.task.findings.shell import calls
from quickstarted.task.findings.silent import spots

KEYS = st.sampled_from(
    [
        "name", "goal", "tags", "metadata", "image", "docs", "path", "entrypoint", "allow", "sites",
        "headers", "network", "only", "private", "paths", "secrets", "hosts", "env", "workspace",
        "setup", "replay", "success", "script", "file", "wait_http", "url", "status", "json",
        "expect_output", "contains", "matches", "budgets", "max_turns", "max_seconds", "resources",
        "memory", "cpus", "disk", "gpus", "<<", "0", "on",
    ]
)  # fmt: skip
SCALARS = st.sampled_from(
    [
        "x", "3.10", "on", "~", "true", "1e999", "-1", "4g", "from_docs", "https://docs.example/",
        "a.example:80", "http://[", "https://☃", "../x", "/", "''", '"\\0"', '"\\x1b[31m"', "&a x",
        "*a", "!t x", "9" * 400, "|", ">", "#", "@", "%", "{}", "[]", "xn--", "a..b", "0x", ".",
    ]
)  # fmt: skip


def _flow(children):
    pairs = st.tuples(KEYS, children).map(": ".join)
    return st.one_of(
        st.lists(children, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(pairs, max_size=4).map(lambda items: f"{{{', '.join(items)}}}"),
    )


VALUES = st.recursive(SCALARS, _flow, max_leaves=8)
DOCUMENTS = st.lists(st.tuples(KEYS, VALUES).map(": ".join), max_size=8).map("\n".join)
VALID_PARTS = {
    "name": "name: x",
    "goal": "goal: g",
    "docs": "docs: {entrypoint: https://docs.example/}",
    "success": "success: {script: test -f x}",
}


def loads_or_says_why(data: bytes) -> None:
    try:
        task = parse_task(data, Path("tasks/x.yaml"))
    except TaskInvalid as exc:
        task, problems = None, exc.problems
    else:
        problems = []
    assert (task is None) == bool(problems)
    assert all(line.startswith("tasks/x.yaml:") and line.isprintable() for line in problems)
    assert task is None or all(finding.advice for finding in warnings_for(task))


@settings(deadline=None)
@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"\xed\xa0\x80")
@example(b"? ")
@example(b"- - - -")
@example(b"'\n\n\t'")
@example(b"%TAG ! tag:x,2000:\n---\n!a b")
def test_no_bytes_make_the_reader_raise_anything_else(data):
    loads_or_says_why(data)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_makes_the_reader_raise_anything_else(text):
    loads_or_says_why(text.encode("utf-8", "surrogatepass"))


@settings(deadline=None)
@given(DOCUMENTS)
def test_no_document_makes_the_models_raise_anything_else(text):
    loads_or_says_why(text.encode())


@settings(deadline=None)
@given(st.sampled_from([*VALID_PARTS, "extra"]), KEYS, VALUES)
def test_no_value_in_a_valid_task_makes_the_models_raise_anything_else(part, key, value):
    lines = [line for name, line in VALID_PARTS.items() if name != part]
    top = key if part == "extra" else part
    loads_or_says_why("\n".join([*lines, f"{top}: {value}"]).encode())


@settings(deadline=None)
@given(st.text(alphabet="abc ;&|<>(){}[]'\"$`\\#!=-\n\t\x00é", max_size=80))
def test_no_script_makes_the_shell_reader_raise(script):
    assert all(call.words for call in calls(script))
    assert all(spot.line >= 1 for spot in spots(script))


@pytest.mark.parametrize("depth", [30, 3000])
def test_nested_shell_code_does_not_exhaust_the_stack(depth):
    script = "(" * depth + "test -f x" + ")" * depth

    assert isinstance(spots(script), list)
    assert isinstance(calls("$(" * depth + "a" + ")" * depth), list)
