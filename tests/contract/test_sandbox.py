"""
What `protocol.Sandbox` promises, held against every place that stands for one.

Only promises of the protocol are here; what one backend does beyond them, and its faults, is in
its own tests.
"""

from __future__ import annotations

import inspect
import re
import time
from pathlib import Path

import pytest

from contract.places import DOCS_HOST, KINDS, command_promise, promise
from quickstarted.errors import SandboxFault
from quickstarted.sandbox.protocol import CHECK_OUTPUT_PATH, STATE_DIR, WORKSPACE, Limits, Sandbox

pytestmark = pytest.mark.docker

AMPLE = Limits(timeout_s=30)
ALIVE = """
cd; for n in $(cat pids); do
  kill -0 $n 2>/dev/null && ! grep -qs ') Z ' /proc/$n/stat && echo alive
done; rm pids
"""
"""Says which processes of the file `pids` live; one that waits for its parent to ask does not."""
PROGRAM = f"""
import urllib.error, urllib.request
try:
    print(urllib.request.urlopen("http://{DOCS_HOST}/", timeout=20).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


def eventually(ask, wanted):
    """The answer, as soon as it is what is wanted; the last one after ten seconds."""
    deadline = time.monotonic() + 10
    while not wanted(answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return answer


def members():
    """Names of all that the protocol asks for."""
    methods = [name for name in vars(Sandbox) if not name.startswith("_")]
    return [*methods, *inspect.get_annotations(Sandbox)]


# What a place is, and the tables of known limits


@promise()
def test_a_place_has_all_of_the_protocol_but_what_its_table_lacks(place):
    missing = {name for name in members() if not hasattr(place.sandbox, name)}

    assert set(KINDS[place.kind].lacks) == missing


@promise()
def test_methods_take_what_the_protocol_says(place):
    for name in set(members()) - set(KINDS[place.kind].lacks) - {"image", "facts"}:
        asked = inspect.signature(getattr(Sandbox, name)).parameters
        given = inspect.signature(getattr(place.sandbox, name)).parameters

        assert list(asked)[1:] == list(given), name
        assert [(asked[one].kind, asked[one].default) for one in given] == [
            (given[one].kind, given[one].default) for one in given
        ], name


def test_tables_of_broken_promises_name_tests_of_this_suite():
    named = {name for kind in KINDS.values() for name in kind.breaks}

    assert named <= {name for name in globals() if name.startswith("test_")}


@promise("image", "facts")
def test_it_says_what_runs_and_how(place):
    image, facts = place.sandbox.image, place.sandbox.facts

    assert image.requested
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", image.image_id)
    assert image.architecture in {"amd64", "arm64"}
    assert {"shell", "engine_version", "sidecar_image_id", "limits"} <= set(facts)
    assert facts["shell"].startswith("/")


# Commands, the agent's and clean ones


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


# The agent's shell


@promise("bash", "reset_shell")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("cd /tmp", "pwd", "/tmp\n"),
        ("mkdir -p '/tmp/a b\nc' && cd '/tmp/a b\nc'", "pwd", "/tmp/a b\nc\n"),
        ("export NAME='a  \"b\"\n$c'", "sh -c 'echo \"$NAME\"'", 'a  "b"\n$c\n'),
        ("unset GREETING", 'echo "${GREETING-unset}"', "unset\n"),
        ("umask 077", "umask", "0077\n"),
        ("cd /tmp; export KEPT=1; exit 3", 'echo "$PWD ${KEPT-none}"', f"{WORKSPACE} none\n"),
    ],
)
def test_a_command_has_the_state_that_the_one_before_it_left(place, bash, first, second, expected):
    bash(first)

    assert expected == bash(second).output


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

    assert f"{WORKSPACE} none\n" == bash('echo "$PWD ${FORGOTTEN-none}"').output


@promise("bash", "reset_shell")
def test_the_workspace_is_empty_and_the_users_own(place, bash):
    result = bash("pwd; ls -A; touch x && rm x; stat -c %u .")

    assert f"{WORKSPACE}\n{place.uid}\n" == result.output


# Clean scripts


@promise("run_clean")
def test_a_clean_script_starts_in_the_workspace(place, clean):
    result = clean("pwd")

    assert (f"{WORKSPACE}\n", WORKSPACE) == (result.output, result.cwd)


@promise("run_clean", "bash", "reset_shell")
def test_a_clean_script_has_nothing_of_the_agents_shell_and_leaves_it_nothing(place, bash, clean):
    bash("export LEAK=1; cd /tmp; umask 0; PATH=/nowhere:$PATH")
    seen = clean('echo "${LEAK-none} $PWD $(umask)"; case $PATH in /nowhere*) echo leak; esac')
    clean("cd /; export LEFT=1")

    assert f"none {WORKSPACE} 0022\n" == seen.output
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
        f' grep -rsl $needle . "$HOME" "${{TMPDIR:-/tmp}}" {STATE_DIR} /dev/shm; true'
    )

    assert "0\n" == result.output


@promise("run_clean")
def test_a_script_is_roots_when_asked(place):
    assert "0\n" == place.sandbox.run_clean("id -u", AMPLE, root=True).output


# Services, what else runs, a restart


@promise("start_service", "service_state", "restart", "run_clean")
def test_a_service_runs_as_the_user_in_the_workspace_with_its_output_in_a_log(place):
    expected = f"{place.uid}\n{WORKSPACE}\ngood  morning\nerror\n"
    place.sandbox.start_service("web", 'id -u; pwd; echo "$GREETING"; echo error >&2; sleep 300')

    state = eventually(
        lambda: place.sandbox.service_state("web"), lambda state: state[1] == expected
    )
    place.sandbox.restart()

    assert (None, expected) == state


@promise("start_service", "service_state")
def test_a_service_that_ends_says_how(place):
    place.sandbox.start_service("short", "echo bye; exit 3")

    assert (3, "bye\n") == eventually(
        lambda: place.sandbox.service_state("short"), lambda state: state[0] is not None
    )


@promise("start_service", "service_state", "bash", "reset_shell", "restart")
def test_a_timeout_spares_services(place, bash):
    place.sandbox.start_service("web", "sleep 300")
    bash("sleep 300", timeout_s=0.3)
    code, _ = place.sandbox.service_state("web")
    place.sandbox.restart()

    assert code is None


@promise("foreign_processes", "start_service", "bash", "reset_shell", "restart")
def test_foreign_is_what_the_agent_left_and_nothing_of_ours(place, bash):
    place.sandbox.start_service("web", "sleep 301 & wait")
    bash("true")
    before = place.sandbox.foreign_processes()
    bash("sleep 303 & (setsid sleep 304 &); true")
    left = place.sandbox.foreign_processes()
    place.sandbox.restart()

    assert [] == before
    assert ["sleep 303", "sleep 304"] == sorted(process.command for process in left)
    assert all(process.pid > 1 for process in left)
    assert [] == place.sandbox.foreign_processes()


@promise("restart", "start_service", "service_state", "bash", "reset_shell")
def test_a_restart_ends_every_process_and_keeps_files(place, bash):
    bash("echo kept >kept; sleep 300 &")
    place.sandbox.start_service("web", "sleep 300")
    place.sandbox.restart()
    code, _ = eventually(
        lambda: place.sandbox.service_state("web"), lambda state: state[0] is not None
    )

    assert 137 == code
    assert [] == place.sandbox.foreign_processes()
    assert "kept\n" == bash("cat kept; rm kept").output


# Files


@promise("put_file", "get_file")
@pytest.mark.parametrize("content", [b"", b"a\0b\xff\n", b"x" * 3_000_000])
def test_a_file_comes_out_as_it_went_in(place, content):
    place.sandbox.put_file("/var/tmp/deep/er/file", content)

    assert content == place.sandbox.get_file("/var/tmp/deep/er/file", len(content) + 1)


@promise("put_file", "run_clean")
def test_a_file_is_roots_and_so_are_the_folders_made_for_it(place, clean):
    place.sandbox.put_file("/var/tmp/owned/file", b"here\n")
    script = "cd /var/tmp/owned && cat file && stat -c '%a %u %g' file ."

    assert "here\n644 0 0\n755 0 0\n" == clean(script).output


@promise("put_file", "run_clean")
def test_the_outputs_are_found_by_scripts_and_can_be_removed_by_root(place, clean):
    place.sandbox.put_file(CHECK_OUTPUT_PATH, b"printed\n", mode=0o640)
    seen = clean(f"cat {CHECK_OUTPUT_PATH}; ls -l {CHECK_OUTPUT_PATH}").output
    place.sandbox.run_clean(f"rm {CHECK_OUTPUT_PATH}", AMPLE, root=True)

    assert seen.startswith("printed\n-rw-r-----")
    assert 1 == clean(f"test -e {CHECK_OUTPUT_PATH}").exit_code


@promise("put_tree", "bash", "reset_shell")
def test_a_tree_is_copied_for_the_user_and_links_stay_links(place, bash, tmp_path):
    (tmp_path / "secret").write_text("secret")
    tree = tmp_path / "tree"
    (tree / "sub" / "empty").mkdir(parents=True)
    (tree / "sub" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tree / "sub" / "run.sh").chmod(0o755)
    (tree / "out").symlink_to(tmp_path / "secret")
    place.sandbox.put_tree(tree, WORKSPACE)

    result = bash(
        "sub/run.sh; stat -c %u sub sub/empty sub/run.sh out; cat out 2>/dev/null || echo dangling;"
        " rm -r sub out; ls -A"
    )

    assert "ran\n" + f"{place.uid}\n" * 4 + "dangling\n" == result.output


@promise("get_file", "bash", "reset_shell")
def test_reading_is_bounded(place, bash):
    bash("head -c 5000 /dev/zero >/tmp/big")

    assert b"\0" * 1000 == place.sandbox.get_file("/tmp/big", 1000)


@promise("get_file")
@pytest.mark.parametrize("path", ["/nowhere", "/nowhere/deep", "/tmp", "/etc/passwd/x"])
def test_what_is_no_file_is_empty(place, path):
    assert b"" == place.sandbox.get_file(path, 1000)


# Egress


@promise("begin_scope", "drain_egress", "run_clean", "restart")
def test_egress_is_delivered_with_its_scope_before_a_drain_returns(place):
    def ask(scope):
        place.sandbox.begin_scope(scope)
        began = time.time()
        done = place.sandbox.run_clean('python3 -c "$P"', AMPLE, env={"P": PROGRAM})
        place.sandbox.drain_egress()
        return done.output, began, time.time()

    place.events.clear()
    first = ask(7)
    place.sandbox.restart()
    second = ask(8)

    assert ["403\n", "403\n"] == [first[0], second[0]]
    assert [(7, DOCS_HOST), (8, DOCS_HOST)] == [(one.scope, one.host) for one in place.events]
    assert {"docs_host_requires_read_docs"} == {one.reason for one in place.events}
    for event, (_, began, ended) in zip(place.events, (first, second), strict=True):
        assert began - 0.5 <= event.ts <= ended + 0.5


# Keeping it, and losing it


@promise("save", "bash", "reset_shell")
def test_a_kept_sandbox_is_an_image_with_its_files(place, bash):
    bash("echo work >result; export SECRET_STATE=1; cd /tmp")
    kept = place.sandbox.save(3600)
    try:
        with place.open_image(kept.image) as again:
            found = again.bash('cat result; echo "$PWD ${SECRET_STATE-none}"', AMPLE)
    finally:
        place.forget(kept.image)
        bash(f"rm {WORKSPACE}/result")

    assert f"work\n{WORKSPACE} none\n" == found.output
    assert abs(kept.expires - time.time() - 3600) < 60


@promise("bash", "save")
def test_a_place_that_is_gone_is_a_fault_whatever_is_asked(fresh_place, place, tmp_path):
    sandbox = fresh_place.sandbox
    sandbox.start_service("web", "sleep 300")
    fresh_place.destroy()
    calls = {
        "bash": lambda: sandbox.bash("echo hi", AMPLE),
        "run_clean": lambda: sandbox.run_clean("echo hi", AMPLE),
        "reset_shell": sandbox.reset_shell,
        "start_service": lambda: sandbox.start_service("other", "sleep 1"),
        "foreign_processes": sandbox.foreign_processes,
        "restart": sandbox.restart,
        "put_file": lambda: sandbox.put_file("/tmp/x", b""),
        "put_tree": lambda: sandbox.put_tree(tmp_path, "/tmp"),
        "get_file": lambda: sandbox.get_file("/etc/passwd", 10),
        "save": lambda: sandbox.save(60),
    }

    for call in calls.values():
        with pytest.raises(SandboxFault):
            call()


def test_every_method_that_can_lose_its_sandbox_is_in_the_test_above():
    source = inspect.getsource(test_a_place_that_is_gone_is_a_fault_whatever_is_asked)
    egress = {"begin_scope", "drain_egress"}
    known = {name for name in members() if f'"{name}":' in source}

    assert {"image", "facts", "service_state"} | egress == set(members()) - known
