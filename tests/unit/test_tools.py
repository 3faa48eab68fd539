"""What is shown of an output that its own program has not cut."""

import pytest

from quickstarted.events import CommandResult
from quickstarted.tools import cut


def result(output, **fields):
    return CommandResult(
        exit_code=0, output=output, output_bytes=len(output.encode()), duration=1.0, **fields
    )


@pytest.mark.parametrize("output", ["", "short", "x" * 10])
def test_what_fits_is_shown_whole(output):
    assert cut(result(output), 10) == result(output)


def test_what_was_cut_before_is_not_cut_again():
    shown = result("x" * 50, truncated=True)

    assert cut(shown, 10) is shown


def test_of_what_does_not_fit_head_and_tail_are_shown():
    shown = cut(result("abcdefghij" + "\u00fc" * 20), 10)

    assert ("abcde\n[... 35 bytes cut ...]\n" + "\u00fc" * 5, True) == (
        shown.output,
        shown.truncated,
    )
    assert 50 == shown.output_bytes
