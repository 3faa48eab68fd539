import re
import shlex
import string
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakes.shell_sandbox import SHELLS, ShellSandbox
from quickstarted.check import CheckPlan, ExpectOutput, WaitHttp, build_script, show_script
from quickstarted.check.script import Shebang, read_shebang
from quickstarted.sandbox.protocol import Limits

ONE_LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40
)
SHELL_NOISE = st.text(st.sampled_from("'\"\\$`!#&|;()<>{}[]*?~=-eE \t\nax09é"), max_size=60)
TARGETS = st.text(st.sampled_from(sorted(set(string.printable) - set(string.whitespace))))
few = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def parses(shell, script):
    done = subprocess.run(
        [*SHELLS[shell], "-n"], input=script.encode(), capture_output=True, check=False
    )
    return done.stderr.decode(), done.returncode


@few
@given(script=SHELL_NOISE, serve=SHELL_NOISE, text=ONE_LINE, pattern=ONE_LINE, path=TARGETS)
def test_whatever_the_author_writes_the_whole_is_valid_shell(
    shell, script, serve, text, pattern, path
):
    plan = CheckPlan(
        script=script,
        serve=serve,
        wait_http=WaitHttp(
            target=f"/{path}", contains=(text,), matches=(pattern,), json=((text, pattern),)
        ),
        expect_output=ExpectOutput(contains=(text,), matches=(pattern,)),
    )

    assert parses(shell, build_script(plan)) == ("", 0)


@few
@given(text=ONE_LINE)
def test_a_pattern_reaches_grep_exactly_as_written(shell, tmp_path, text):
    sandbox = ShellSandbox(tmp_path, SHELLS[shell])
    output = tmp_path / "out"
    output.write_bytes(f"before {text} after\n".encode())

    codes = []
    for wanted in (text, f"{text}\N{SNOWMAN}"):
        plan = CheckPlan(expect_output=ExpectOutput(contains=(wanted,)))
        script = build_script(plan, output_path=str(output))
        codes.append(sandbox.run_clean(script, Limits(timeout_s=20)).exit_code)

    assert codes == [0, 1]


@few
@given(script=SHELL_NOISE.map(lambda noise: f"cat <<'THE END'\n{noise}\nTHE END\n"))
def test_the_authors_script_runs_exactly_as_written(shell, tmp_path, script):
    sandbox = ShellSandbox(tmp_path, SHELLS[shell])

    result = sandbox.run_clean(build_script(CheckPlan(script=script)), Limits(timeout_s=20))

    assert script.removeprefix("cat <<'THE END'\n").removesuffix("THE END\n") == result.output


@few
@given(command=SHELL_NOISE)
def test_a_server_command_is_one_word_for_the_shell(command):
    script = build_script(CheckPlan(serve=command)) if command else "qs_serve ''"

    assert f"\nqs_serve {shlex.quote(command)}\n" in f"\n{script}\n"


def test_the_whole_script_can_come_in_on_standard_input(shell):
    script = build_script(CheckPlan(script="cat; echo after; exit 7"))

    done = subprocess.run(
        SHELLS[shell], input=script.encode(), capture_output=True, check=False, timeout=20
    )

    assert (done.stdout, done.returncode) == (b"after\n", 7)


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("echo hi", Shebang("", ())),
        ("# a comment", Shebang("", ())),
        ("#!", Shebang("", ())),
        ("#!/bin/sh", Shebang("sh", ())),
        ("#! /bin/bash -eu", Shebang("bash", ("-eu",))),
        ("#!/usr/bin/env bash", Shebang("bash", ())),
        ("#!/usr/bin/env -S bash -e -u", Shebang("bash", ("-e", "-u"))),
        ("#!/bin/bash -euo pipefail", Shebang("bash", ("-euo pipefail",))),
        ("#!/bin/bash -eo", Shebang("bash", ())),
        ("#!/bin/bash --login -l -e", Shebang("bash", ("-e",))),
        ("#!/bin/bash -o $(reboot)", Shebang("bash", ())),
        ("#!/bin/busybox sh -e", Shebang("sh", ("-e",))),
    ],
)
def test_the_first_line_says_shell_and_options(first, expected):
    assert expected == read_shebang(f"{first}\necho more")


def test_show_gives_the_steps_and_the_script_as_written():
    plan = CheckPlan(
        serve="flask run -p $QS_PORT",
        wait_http=WaitHttp(
            target="/a?b=1", contains=("it's",), json=(("a.0", '"x"'),), timeout_s=2.5
        ),
        expect_output=ExpectOutput(contains=("one", "two"), matches=("^x+$",)),
        script="#!/bin/bash -e\ntest -f app.py\n",
        timeout_s=90,
    )

    assert show_script(plan) == (
        "# Runs after the agent has stopped, in /bin/bash where the image has it,"
        " else in /bin/sh,\n# for 90 s at most. The first step that fails ends it.\n"
        "qs_serve 'flask run -p $QS_PORT'\n"
        "qs_wait_http '/a?b=1' --status 200 --contains 'it'\"'\"'s' --json 'a.0=\"x\"'"
        " --timeout 2.5\n"
        "qs_expect_output --contains one --contains two --matches '^x+$'\n"
        "set -e\n"
        "#!/bin/bash -e\n"
        "test -f app.py"
    )


def test_names_of_the_library_stay_out_of_the_authors_way():
    script = build_script(CheckPlan())
    names = set(re.findall(r"^ *([A-Za-z_][A-Za-z0-9_]*)(?:\(\)|=)", script, re.MULTILINE))
    shell_names = {name for name in names if f"{name}()" in script or f"${name}" in script}

    foreign = {name for name in shell_names if not name.startswith("qs_")}

    assert foreign <= {"QS_PORT", "IFS", "BASH_ARGV0"}, foreign


@pytest.mark.parametrize(
    "name",
    [
        "qs_fail",
        "qs_serve",
        "qs_wait_http",
        "qs_expect_output",
        "$QS_PORT",
        "--status",
        "--contains",
        "--matches",
        "--json",
        "--timeout",
    ],
)
def test_all_that_a_check_may_use_is_in_the_guide_and_there(name):
    guide = (Path(__file__).parents[3] / "docs" / "checks.md").read_text("utf-8")
    library = build_script(CheckPlan())

    assert name in guide
    assert f"{name}() {{" in library or f"{name})" in library or name == "$QS_PORT"
