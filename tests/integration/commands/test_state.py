"""What a command leaves to the next one, and what it does not."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.docker

IN_EVERY_SHELL = {
    "cwd": ("mkdir -p /tmp/a && cd /tmp/a", "pwd", "/tmp/a\n"),
    "cwd with odd name": ("mkdir -p '/tmp/a b\nc' && cd '/tmp/a b\nc'", "pwd", "/tmp/a b\nc\n"),
    "cwd through a link": (
        "mkdir -p /tmp/r && ln -sfn /tmp/r /tmp/l && cd /tmp/l",
        "pwd",
        "/tmp/l\n",
    ),
    "previous cwd": ("cd /tmp && cd /bin", "cd - >/dev/null; pwd", "/tmp\n"),
    "export": ("export GREETING='a  b'", "sh -c 'echo \"$GREETING\"'", "a  b\n"),
    "export of several lines": ("export T='1\n2\nexport X=3'", 'echo "$T$X"', "1\n2\nexport X=3\n"),
    "export with quotes": (
        """export Q="it's \\"so\\" \\$HOME" """,
        'echo "$Q"',
        'it\'s "so" $HOME\n',
    ),
    "export of nothing": ("export EMPTY=", 'echo "${EMPTY-unset}"', "\n"),
    "path": ("PATH=/opt/x:$PATH", 'echo "${PATH%%:*}"', "/opt/x\n"),
    "unset of the image's variable": ("unset HOME", 'echo "${HOME-unset}"', "unset\n"),
    "umask": ("umask 077", "umask", "0077\n"),
}

IN_BASH = {
    "variable": ("x='a b'", 'echo "$x"', "a b\n"),
    "variable that is not exported": ("x=1", "bash -c 'echo \"${x-none}\"'", "none\n"),
    "array": ("a=(1 '2 3' 4)", 'echo "${a[1]}/${#a[@]}"', "2 3/3\n"),
    "associative array": ("declare -A m=([k]='v w')", 'echo "${m[k]}"', "v w\n"),
    "integer": ("declare -i n=3", 'n+=4; echo "$n"', "7\n"),
    "readonly": ("declare -r fixed=1", 'echo "$fixed"', "1\n"),
    "reference": ("t=here; declare -n r=t", 'echo "$r"', "here\n"),
    "binary value": (
        r"b=$'\x01\xff\n'",
        r"[[ $b == $" "'" r"\x01\xff\n" + "'" + " ]] && echo same",
        "same\n",
    ),
    "function": ('greet() { echo "hi $1"; }', "greet you", "hi you\n"),
    "exported function": ("f() { echo in; }; export -f f", "bash -c f", "in\n"),
    "function with extended pattern": (
        "shopt -s extglob\nf() { case $1 in @(a|b)) echo yes;; esac; }",
        "f b",
        "yes\n",
    ),
    "function that replaces cd": (
        'cd() { builtin cd "$@" && echo moved; }; cd /tmp',
        "pwd; cd /",
        "/tmp\nmoved\n",
    ),
    "alias": ("shopt -s expand_aliases; alias hey='echo hey'", "hey", "hey\n"),
    "shell option": ("shopt -s nullglob", "echo /nowhere/*", "\n"),
    "field separator": ("IFS=:", "v=a:b; set -- $v; echo $#", "2\n"),
    "unset after set": ("x=1; unset x", 'echo "${x-gone}"', "gone\n"),
    "after noclobber": ("set -o noclobber; x=2", 'echo "$x"', "2\n"),
    "after nounset and xtrace": ("set -ux; x=3", 'echo "$x$nothing"', "3\n"),
    "after posix mode": ("set -o posix; x=4", 'echo "$x"', "4\n"),
    "debug trap": ("trap 'true' DEBUG; x=5", 'echo "$x"; trap', "5\n"),
}


def state(table):
    return pytest.mark.parametrize(("first", "second", "expected"), table.values(), ids=list(table))


@state(IN_EVERY_SHELL)
def test_every_shell_carries(box, run, first, second, expected):
    run(box, first)

    assert expected == run(box, second).output


@state(IN_BASH)
def test_bash_carries(bash_kind, run, first, second, expected):
    run(bash_kind, first)

    assert expected == run(bash_kind, second).output


def test_nothing_is_lost_over_many_commands(bash_kind, run):
    run(bash_kind, "n=0; export LIST=")
    for _ in range(5):
        run(bash_kind, 'n=$((n + 1)); LIST="$LIST$n,"')

    assert "5 1,2,3,4,5,\n" == run(bash_kind, 'echo "$n $LIST"').output


@pytest.mark.parametrize("option", ["set -e", "trap 'echo trapped' EXIT", "trap '' TERM"])
def test_errexit_and_traps_end_with_their_command(box, run, option):
    run(box, option)
    after = run(box, "false; trap; echo on")

    assert (0, "on\n") == (after.exit_code, after.output)


def test_jobs_end_with_their_command(box, run):
    run(box, "sleep 30 &")

    assert "" == run(box, "jobs").output


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("exit 3", 3),
        ("exec true", 0),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
        ("set -e; false", 1),
    ],
)
def test_a_shell_that_ends_early_keeps_the_last_snapshot(box, run, ending, code):
    run(box, "export KEPT=before; cd /tmp")
    ended = run(box, f"export KEPT=after; cd /; {ending}")
    after = run(box, 'echo "$KEPT"; pwd')

    assert code == ended.exit_code
    assert "before\n/tmp\n" == after.output
    assert "" == ended.restarted


def test_a_command_that_kills_its_reporter_is_a_result_and_leaves_its_state(box, run):
    ended = run(box, "echo printed; export KEPT=after; kill -9 $PPID")
    after = run(box, "echo $KEPT")

    assert (137, "printed\n", "") == (ended.exit_code, ended.output, ended.restarted)
    assert "killed the shell" in ended.note
    assert "after\n" == after.output


def test_a_signal_to_the_process_group_is_the_commands_end_and_not_the_harnesses(box, run):
    ended = run(box, "kill -TERM 0; sleep 5")

    assert (143, "") == (ended.exit_code, ended.note)


def test_a_syntax_error_is_the_commands_own(box, run):
    run(box, "export KEPT=1")
    failed = run(box, "if then")

    assert failed.exit_code == 2
    assert "yntax error" in failed.output
    assert "_qs" not in failed.output
    assert "1\n" == run(box, "echo $KEPT").output


def test_bash_counts_lines_from_one(bash_kind, run):
    failed = run(bash_kind, "true\nno-such-program-here")

    assert "bash: line 2: no-such-program-here: command not found\n" == failed.output


@pytest.mark.parametrize("listing", ["env", "set", "export -p", "cat /proc/self/environ"])
def test_names_of_the_wrapper_are_nowhere(box, run, listing):
    run(box, "export MINE=1")
    shown = run(box, listing, max_output_chars=100_000).output

    assert "MINE" in shown
    assert "_qs" not in shown.lower()


def test_functions_of_the_wrapper_are_nowhere(bash_kind, run):
    assert "" == run(bash_kind, "declare -F").output


def test_standard_input_is_empty(box, run):
    assert (0, "end\n") == (
        (result := run(box, "cat; read x; echo end")).exit_code,
        result.output,
    )


def test_a_removed_working_directory_falls_back_to_the_workspace(box, run):
    run(box, "mkdir -p /tmp/gone/deep && cd /tmp/gone/deep && rm -rf /tmp/gone")
    after = run(box, "pwd")

    assert ("/workspace\n", "/workspace") == (after.output, after.cwd)
    assert "the working directory was gone" in after.note


def test_a_removed_workspace_is_made_again(bash_box, run):
    bash_box.reset_shell()
    run(bash_box, "touch here; rm -rf /workspace")
    after = run(bash_box, "pwd; ls -A")

    assert "/workspace\n" == after.output
    assert "made again" in after.note


def test_the_folder_of_the_harness_is_made_again_when_it_was_removed(bash_box, run):
    bash_box.reset_shell()
    lost = run(bash_box, "x=1; rm -rf /.quickstarted")
    run(bash_box, "cd /tmp; x=2")

    assert "the state is lost" in lost.note
    assert "/tmp 2\n" == run(bash_box, 'echo "$PWD $x"').output


def test_reset_forgets_everything(box, run):
    run(box, "cd /tmp; export FORGOTTEN=1")
    box.reset_shell()

    assert "/workspace none\n" == run(box, 'echo "$PWD ${FORGOTTEN-none}"').output


def test_a_snapshot_that_could_not_be_written_is_not_taken(bash_box, run):
    bash_box.reset_shell()
    run(bash_box, "kept=1")
    run(bash_box, "kept=2; ulimit -f 0")

    assert "1\n" == run(bash_box, 'echo "$kept"').output
