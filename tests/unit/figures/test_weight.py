"""What a run does not load: numpy and scipy take longer than a trivial attempt."""

import subprocess
import sys

import pytest

TASK = """\
name: trivial
goal: Print a word.
docs: {path: ["https://docs.example/"], sites: {"https://docs.example/": site}}
replay: [echo hello]
success: {expect_output: {contains: hello}}
"""
PROGRAM = """\
import sys
from quickstarted.cli import run_cli
code = run_cli(["run", "t.yaml", "--backend", "local", "--allow-unenforced", *sys.argv[1:]])
assert "quickstarted.cli.attempts" in sys.modules
print(code, sorted({name.partition(".")[0] for name in sys.modules} & {"numpy", "scipy"}))
print("scipy.stats" in sys.modules)
"""


@pytest.mark.parametrize(
    ("flags", "loaded"),
    [
        ([], "[]"),
        (["--repeat", "auto", "--min-pass-rate", "0.95"], "[]"),
        (["--repeat", "2", "--min-pass-rate", "0.9"], "['numpy', 'scipy']"),
    ],
)
def test_a_run_loads_scipy_for_a_fixed_gate_alone(tmp_path, flags, loaded):
    (tmp_path / "t.yaml").write_text(TASK)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.md").write_text("# Words\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *flags],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.splitlines()[-2:] == [f"0 {loaded}", "False"], done.stderr
