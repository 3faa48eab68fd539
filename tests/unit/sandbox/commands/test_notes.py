"""What the harness says about a command."""

from __future__ import annotations

import pytest

from quickstarted.sandbox.commands import notes


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (4 * 1024**3, "4g"),
        (64 * 1024**2, "64m"),
        (1536 * 1024**2, "1.5g"),
        (10 * 1024, "10k"),
        (17, "17"),
    ],
)
def test_sizes_are_written_as_in_task_files(size, text):
    assert text == notes.size_text(size)


def test_the_memory_note_names_the_limit_where_there_is_one():
    assert "killed: out of memory (limit 4g)" == notes.out_of_memory(4 * 1024**3)
    assert "killed: out of memory" == notes.out_of_memory(None)


@pytest.mark.parametrize("script", ["", "echo", "x" * 1024**2, "ä" * (512 * 1024)])
def test_scripts_up_to_the_limit_can_be_run(script):
    assert "" == notes.why_not_runnable(script)


@pytest.mark.parametrize("script", ["a\0b", "x" * (1024**2 + 1), "ä" * (512 * 1024 + 1)])
def test_scripts_that_no_process_can_be_given_are_refused(script):
    assert "was not run" in notes.why_not_runnable(script)
