"""Whole runs that are held to a pass rate, alone and in shards."""

import os
import subprocess
import sys

import pytest

from quickstarted.results import SuiteResult

TASK = """\
name: words
goal: Print a word.
docs: {path: ["https://docs.example/"], sites: {"https://docs.example/": site}}
replay: [echo WORD]
success: {expect_output: {contains: hello}}
"""


@pytest.fixture
def here(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.md").write_text("# Words\n")
    return tmp_path


def _quickstarted(here, *args):
    done = subprocess.run(
        [sys.executable, "-m", "quickstarted", *args],
        cwd=here,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def _run(here, word, *args):
    (here / "words.yaml").write_text(TASK.replace("WORD", word))
    local = ("--backend", "local", "--allow-unenforced", "--quiet")
    return _quickstarted(here, "run", "words.yaml", *local, *args)


def _suite(folder):
    return SuiteResult.model_validate_json((folder / "results.json").read_text())


@pytest.mark.parametrize(
    ("word", "code", "verdict", "used"),
    [("hello", 0, "not_below", 7), ("nothing", 1, "below", 3)],
)
def test_attempts_are_repeated_until_a_cell_is_decided(here, word, code, verdict, used):
    flags = ("--repeat", "auto", "--min-pass-rate", "0.9", "--workers", "2")
    found, _, err = _run(here, word, *flags)
    suite = _suite(here / "results")
    gate = suite.cells[0].gate

    assert (found, gate.verdict, gate.evidential_runs) == (code, verdict, used), err
    # What was under way at the decision is made.
    assert used <= len(suite.runs) <= used + 1
    assert f"{verdict.replace('_', ' ')}: words by replay: " in err


def test_shards_write_the_rule_down_and_merge_judges(here):
    flags = ("--repeat", "4", "--min-pass-rate", "0.9")
    for shard in ("1", "2"):
        code, _, err = _run(here, "nothing", *flags, "--shard", f"{shard}/2", "--out", shard)
        suite = _suite(here / shard)
        assert (code, suite.cells[0].gate, suite.gate.min_pass_rate) == (0, None, 0.9), err

    code, _, err = _quickstarted(here, "merge", "1", "2", "--out", "all")
    gate = _suite(here / "all").cells[0].gate

    assert (code, gate.verdict, gate.evidential_runs, gate.passes) == (1, "below", 4, 0), err


def test_shards_that_are_held_to_different_rates_are_not_joined(here):
    for shard, rate in (("1", "0.9"), ("2", "0.8")):
        _run(
            here,
            "hello",
            *("--repeat", "4", "--min-pass-rate", rate, "--shard", f"{shard}/2", "--out", shard),
        )
    code, _, err = _quickstarted(here, "merge", "1", "2", "--out", "all")

    assert code == 3
    assert "1 and 2 differ in --min-pass-rate" in err
