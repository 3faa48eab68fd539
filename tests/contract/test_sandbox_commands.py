"""What `protocol.Sandbox` promises of commands: the agent's, and clean scripts."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from contract.places import AMPLE, command_promise, promise

pytestmark = pytest.mark.docker

ALIVE = """
cd; for n in $(cat pids); do
  kill -0 $n 2>/dev/null && ! grep -qs ') Z ' /proc/$n/stat && echo alive
done; rm pids
"""
"""Says which processes of the file `pids` live; one that waits for its parent to ask does not."""


# Of both


@command_promise
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("true", 0),
        ("false", 1),
        ("exit 3", 3),
        ("exit 124", 124),
        ("(exit 255)", 255),
        ("no-such-program-here", 127),
        ("/dev/null", 126),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("if then", 2),
    ],
)
def test_the_exit_code_is_the_commands_own(place, run, command, code):
    result = run(command)

    assert (code, False, "") == (result.exit_code, result.timed_out, result.restarted)
    assert result.duration >= 0


@command_promise
def test_both_streams_are_the_output_in_the_order_written(place, run):
    result = run("echo 1; echo 2 >&2; echo 3; printf 4 >&2")

    assert ("1\n2\n3\n4", 7, False) == (result.output, result.output_bytes, result.truncated)
    assert result.full_output_path is None


@command_promise
def test_bytes_that_are_no_text_become_replacement_characters(place, run):
    result = run(r"printf 'a\377\000b\033[31m\303\244'")

    assert ("a\ufffd\ufffdb\x1b[31mä", 11) == (result.output, result.output_bytes)


@command_promise
def test_long_output_is_cut_in_the_middle_and_recorded_whole(place, run):
    everything = "".join(f"line{number}\n" for number in range(3000))

    result = run(
        "i=0; while [ $i -lt 3000 ]; do echo line$i; i=$((i+1)); done", max_output_chars=200
    )

    cut = len(everything) - 200
    assert (True, len(everything)) == (result.truncated, result.output_bytes)
    assert f"{everything[:100]}\n[... {cut:,} bytes cut ...]\n{everything[-100:]}" == result.output
    assert everything == Path(result.full_output_path).read_text()


@command_promise
@pytest.mark.parametrize("size", [100_000, 131_072, 1_000_000])
def test_a_script_may_be_long(place, run, size):
    result = run(f": '{'ä' * (size // 2)}'\necho done")

    assert (0, "done\n") == (result.exit_code, result.output)


@command_promise
@pytest.mark.parametrize("script", ["echo a\0b", f": {'x' * 1024**2}"], ids=["NUL", "too long"])
def test_a_script_that_no_process_can_be_given_is_a_result_that_says_why(place, run, script):
    result = run(script)

    assert 126 == result.exit_code
    assert "the command was not run" in result.note
    assert f"{result.note}\n" == result.output


@command_promise
@pytest.mark.parametrize("script", ["", "# nothing", "\n\n", "true;"])
def test_a_script_that_does_nothing_succeeds(place, run, script):
    assert (0, "") == ((result := run(script)).exit_code, result.output)


@command_promise
def test_a_script_arrives_as_it_was_written(place, run):
    text = "$HOME `id` \\ 'a' \"b\" ü \\n \t!\n"

    assert text == run(f"cat <<'END'\n{text}END").output


@command_promise
def test_standard_input_is_empty_and_no_child_swallows_the_script(place, run):
    result = run("cat\nread line\necho reached\nexit 1")

    assert (1, "reached\n") == (result.exit_code, result.output)


@command_promise
def test_a_child_that_holds_the_output_does_not_hold_up_the_end(place, run):
    result = run("(sleep 8; echo late) & echo now", timeout_s=5)

    assert (0, False, "now\n") == (result.exit_code, result.timed_out, result.output)


@command_promise
def test_a_timeout_is_124_and_ends_the_whole_tree(place, run):
    result = run(
        "cd; echo begun; sleep 300 & echo $! >pids; sh -c 'echo $$ >>pids; sleep 300; :'",
        timeout_s=0.3,
    )

    assert (124, True, "begun\n") == (result.exit_code, result.timed_out, result.output)
    assert "timed out after 0.3 s" in result.note
    assert "" == run(ALIVE).output


@command_promise
def test_a_timeout_ends_what_has_left_its_session(place, run):
    run("cd; setsid sh -c 'echo $$ >pids; sleep 5; :' & sleep 300", timeout_s=0.3)

    assert "" == run(ALIVE).output


@command_promise
def test_a_time_that_is_over_is_a_timeout(place, run):
    result = run("sleep 300", timeout_s=0.0)

    assert (124, True) == (result.exit_code, result.timed_out)


@command_promise
def test_who_is_asked_to_stop_ends_the_command_with_130(place, run):
    began = time.monotonic()

    result = run("echo begun; sleep 300", cancelled=lambda: time.monotonic() - began > 0.4)

    assert (130, False, "begun\n") == (result.exit_code, result.timed_out, result.output)
    assert "interrupted" in result.note


@command_promise
def test_the_configured_environment_is_every_commands(place, run):
    assert "good  morning\n" == run('echo "$GREETING"').output


@promise("bash", "reset_shell", "run_clean")
def test_a_command_runs_as_the_images_user(place, bash, clean):
    assert [f"{place.uid}\n"] * 2 == [run("id -u").output for run in (bash, clean)]


@command_promise
def test_a_home_and_a_place_for_temporary_files_are_there(place, run):
    result = run('for d in "$HOME" "${TMPDIR:-/tmp}"; do touch "$d/x" && rm "$d/x"; done')

    assert (0, "") == (result.exit_code, result.output)


# The agent's


@promise("bash", "reset_shell")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("cd /tmp", "pwd", "/tmp\n"),
        ("mkdir -p '/tmp/a b\nc' && cd '/tmp/a b\nc'", "pwd", "/tmp/a b\nc\n"),
        ("export NAME='a  \"b\"\n$c'", "sh -c 'echo \"$NAME\"'", 'a  "b"\n$c\n'),
        ("unset GREETING", 'echo "${GREETING-unset}"', "unset\n"),
        ("umask 077", "umask", "0077\n"),
        ("cd /tmp; export KEPT=1; exit 3", 'echo "$PWD ${KEPT-none}"', "{workspace} none\n"),
    ],
)
def test_a_command_has_the_state_that_the_one_before_it_left(place, bash, first, second, expected):
    bash(first)

    assert expected.replace("{workspace}", place.sandbox.workspace) == bash(second).output


@promise("bash", "reset_shell", "facts")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("x='a b'", 'echo "$x"', "a b\n"),
        ("a=(1 '2 3')", 'echo "${a[1]}"', "2 3\n"),
        ("greet() { echo hi $1; }", "greet you", "hi you\n"),
    ],
)
def test_in_bash_variables_and_functions_are_state_too(place, bash, first, second, expected):
    bash(first)

    assert place.sandbox.facts["shell"].endswith("/bash")
    assert expected == bash(second).output


@promise("bash", "reset_shell")
def test_the_working_directory_is_told(place, bash):
    assert ["/tmp", "/tmp"] == [bash(command).cwd for command in ("cd /tmp", "true")]


@promise("bash", "reset_shell")
def test_a_timeout_costs_neither_the_state_nor_what_earlier_commands_left(place, bash):
    bash("cd /tmp; export KEPT=1; sleep 60 & echo $! >/tmp/earlier")
    bash("export KEPT=2; sleep 300", timeout_s=0.3)
    after = bash('kill -0 $(cat /tmp/earlier) && echo alive; echo "$KEPT $PWD"')
    bash("kill -9 $(cat /tmp/earlier)")

    assert "alive\n1 /tmp\n" == after.output


@promise("bash", "reset_shell")
def test_a_reset_forgets_the_shells_state(place, bash):
    bash("cd /tmp; export FORGOTTEN=1")
    place.sandbox.reset_shell()

    assert f"{place.sandbox.workspace} none\n" == bash('echo "$PWD ${FORGOTTEN-none}"').output


@promise("bash", "reset_shell")
def test_the_workspace_is_empty_and_the_users_own(place, bash):
    result = bash("pwd; ls -A; touch x && rm x; stat -c %u .")

    assert f"{place.sandbox.workspace}\n{place.uid}\n" == result.output


# Clean scripts


@promise("run_clean")
def test_a_clean_script_starts_in_the_workspace(place, clean):
    result = clean("pwd")

    assert (f"{place.sandbox.workspace}\n", place.sandbox.workspace) == (result.output, result.cwd)


@promise("run_clean", "bash", "reset_shell")
def test_a_clean_script_has_nothing_of_the_agents_shell_and_leaves_it_nothing(place, bash, clean):
    bash("export LEAK=1; cd /tmp; umask 0; PATH=/nowhere:$PATH")
    seen = clean('echo "${LEAK-none} $PWD $(umask)"; case $PATH in /nowhere*) echo leak; esac')
    clean("cd /; export LEFT=1")

    assert f"none {place.sandbox.workspace} 0022\n" == seen.output
    assert "/tmp none\n" == bash('echo "$PWD ${LEFT-none}"').output


@promise("run_clean")
def test_a_clean_script_gets_variables_for_its_time_only(place, clean):
    env = {"QS_ONE": "a  b", "GREETING": "other"}

    given = place.sandbox.run_clean('echo "$QS_ONE $GREETING"', AMPLE, env=env)

    assert "a  b other\n" == given.output
    assert "none good  morning\n" == clean('echo "${QS_ONE-none} $GREETING"').output


@promise("run_clean")
def test_a_clean_script_obeys_no_profile(place, clean):
    clean("echo 'echo planted; exit 0' >planted")
    planted = {"BASH_ENV": "./planted", "ENV": "./planted"}

    result = place.sandbox.run_clean("rm planted; echo checked; exit 1", AMPLE, env=planted)

    assert (1, "checked\n") == (result.exit_code, result.output)


@promise("run_clean")
def test_a_clean_script_is_neither_a_file_nor_in_the_environment(place, clean):
    result = clean(
        f": needle-4711; needle=needle-; needle=${{needle}}4711; env | grep -c $needle;"
        f' grep -rsl $needle . "$HOME" "${{TMPDIR:-/tmp}}" {place.sandbox.state_dir} /dev/shm; true'
    )

    assert "0\n" == result.output


@promise("run_clean", "put_file")
def test_what_a_script_prints_is_told_while_it_runs(place):
    go, heard = f"{place.sandbox.state_dir}/go", []

    def listen(data):
        heard.append(data)
        if b"one" in data:
            place.sandbox.put_file(go, b"")

    limits = replace(AMPLE, on_output=listen)
    result = place.sandbox.run_clean(
        f"echo one; while [ ! -e {go} ]; do sleep 0.05; done; echo two", limits
    )

    assert (0, "one\ntwo\n") == (result.exit_code, result.output)
    assert b"one\ntwo\n" == b"".join(heard)


@promise("run_clean")
def test_all_that_is_printed_is_told_also_what_the_result_leaves_out(place):
    heard = []

    limits = replace(AMPLE, max_output_chars=10, on_output=heard.append)
    result = place.sandbox.run_clean(
        "i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done", limits
    )

    assert result.truncated
    assert "".join(f"{number}\n" for number in range(500)).encode() == b"".join(heard)


@promise("run_clean")
def test_a_script_is_roots_when_asked(place):
    assert "0\n" == place.sandbox.run_clean("id -u", AMPLE, root=True).output
