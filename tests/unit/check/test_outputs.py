import pytest

from quickstarted.check import collect_output
from quickstarted.check.outputs import MAX_COMMAND_BYTES
from quickstarted.errors import StorageFault
from quickstarted.events import CommandResult


def result(output, *, exit_code=0, path=None):
    return CommandResult(
        exit_code=exit_code,
        output=output,
        output_bytes=len(output),
        duration=0.1,
        full_output_path=None if path is None else str(path),
    )


def test_only_commands_that_exited_0_count_in_their_order():
    results = [
        result("one\n"),
        result("failed\n", exit_code=1),
        result("two\n"),
        result("late\n", exit_code=124),
    ]

    assert collect_output(results) == b"one\ntwo\n"


def test_the_recorded_output_counts_and_not_the_cut_one(tmp_path):
    (tmp_path / "full").write_bytes(b"head middle tail\n")

    assert (
        collect_output([result("head ... tail", path=tmp_path / "full")]) == b"head middle tail\n"
    )


def test_each_command_starts_a_line():
    assert collect_output([result("no newline"), result("next")]) == b"no newline\nnext\n"


def test_a_command_that_printed_nothing_adds_nothing():
    assert collect_output([result(""), result("")]) == b""


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("on \x1b[1;32mport 3000\x1b[0m", b"on port 3000\n"),
        ("\x1b[2K\x1b[1Gdone", b"done\n"),
        ("\x1b]8;;http://x/\x1b\\link\x1b]8;;\x07", b"link\n"),
        ("a [1m that is no code", b"a [1m that is no code\n"),
        ("cut off \x1b[3", b"cut off \x1b[3\n"),
    ],
    ids=["colour", "cursor", "link", "text", "cut"],
)
def test_control_sequences_of_a_terminal_are_left_out(printed, seen):
    assert seen == collect_output([result(printed)])


def test_bytes_that_are_not_utf8_stay_as_they_are(tmp_path):
    (tmp_path / "full").write_bytes(b"\xff\xfe\n")

    assert collect_output([result("?", path=tmp_path / "full")]) == b"\xff\xfe\n"


def test_of_one_command_16_mib_count(tmp_path):
    (tmp_path / "full").write_bytes(b"x" * (MAX_COMMAND_BYTES + 5))

    assert len(collect_output([result("x", path=tmp_path / "full")])) == MAX_COMMAND_BYTES + 1


def test_a_record_that_is_gone_is_a_fault(tmp_path):
    with pytest.raises(StorageFault, match="cannot be read"):
        collect_output([result("x", path=tmp_path / "gone")])
