"""What is printed, how much of it is kept, and when a command has ended."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fakes.containers import base_image, open_sandbox
from quickstarted.sandbox.commands.output import FULL_OUTPUT_BYTES

pytestmark = pytest.mark.docker


def test_output_and_error_are_one_stream_in_the_order_written(box, run):
    printed = run(box, "echo 1; echo 2 >&2; echo 3; echo 4 >&2")

    assert "1\n2\n3\n4\n" == printed.output


def test_output_without_a_last_line_break_is_kept_as_it_is(box, run):
    assert ("a", 1) == ((result := run(box, "printf a")).output, result.output_bytes)


def test_long_output_is_cut_in_the_middle_and_says_how_much(box, run):
    result = run(
        box, "i=0; while [ $i -lt 3000 ]; do echo line$i; i=$((i+1)); done", max_output_chars=200
    )
    everything = "".join(f"line{i}\n" for i in range(3000))

    assert result.truncated
    assert len(everything) == result.output_bytes
    cut = len(everything) - 200
    assert f"{everything[:100]}\n[... {cut:,} bytes cut ...]\n{everything[-100:]}" == result.output
    assert everything == Path(result.full_output_path).read_text()


def test_bytes_that_are_no_text_become_replacement_characters(box, run):
    result = run(box, r"printf 'a\377\000b\033[31mred\303\244'")

    assert ("a\ufffd\ufffdb\x1b[31mredä", 14) == (result.output, result.output_bytes)


def test_a_gigabyte_is_counted_and_the_record_is_bounded(bash_box, run):
    result = run(bash_box, "head -c 1000000000 /dev/zero; echo end", timeout_s=120)

    assert (0, 1_000_000_004) == (result.exit_code, result.output_bytes)
    assert result.output.endswith("\ufffdend\n")
    assert "[... 999,980,004 bytes cut ...]" in result.output
    assert FULL_OUTPUT_BYTES == Path(result.full_output_path).stat().st_size


def test_a_child_in_the_background_does_not_hold_up_the_end(box, run):
    began = time.monotonic()
    result = run(box, "(sleep 20; echo late) & echo now")

    assert (0, "now\n") == (result.exit_code, result.output)
    assert time.monotonic() - began < 10


def test_what_a_child_prints_later_goes_to_a_file_and_to_no_other_command(engine, run, tmp_path):
    with open_sandbox(engine, base_image(), record_dir=tmp_path) as sandbox:
        run(sandbox, "(sleep 0.3; echo late; head -c 3000000 /dev/zero) & echo now")
        later = run(sandbox, "sleep 1; echo other")
        run(sandbox, "wait; true")

    assert "other\n" == later.output
    late = (tmp_path / "command-0001.late").read_bytes()
    assert late.startswith(b"late\n")
    assert 1024**2 == len(late)


def test_records_without_a_folder_are_gone_with_the_sandbox(engine, run):
    with open_sandbox(engine, base_image()) as sandbox:
        kept = Path(run(sandbox, "head -c 100000 /dev/zero").full_output_path)
        assert 100_000 == kept.stat().st_size

    assert not kept.parent.exists()


@pytest.mark.parametrize("size", [1, 100_000, 131_072, 1_000_000])
def test_a_command_may_be_long(box, run, size):
    filler = "ä" * (size // 2)
    result = run(box, f": '{filler}'\necho done")

    assert (0, "done\n") == (result.exit_code, result.output)


def test_a_command_that_no_process_can_be_given_is_a_clear_result(box, run):
    too_long = run(box, f": {'x' * 1024**2}\necho done")
    with_nul = run(box, "echo a\0b")

    assert [126, 126] == [too_long.exit_code, with_nul.exit_code]
    assert "1,048,576 are possible" in too_long.output
    assert "NUL" in with_nul.note


def test_a_command_that_is_empty_or_a_comment_succeeds(box, run):
    assert [0, 0, 0] == [run(box, text).exit_code for text in ("", "# nothing", "\n\n")]


def test_a_here_document_and_its_quotes_arrive_unchanged(box, run):
    result = run(box, "cat <<'END'\n$HOME `id` \\ 'a' \"b\" ü\nEND")

    assert "$HOME `id` \\ 'a' \"b\" ü\n" == result.output
