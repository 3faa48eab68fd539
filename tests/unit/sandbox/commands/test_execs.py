"""Cutting a script into pieces that a process can be given."""

from __future__ import annotations

import pytest

from quickstarted.sandbox.commands.execs import PIECE_BYTES, pieces


@pytest.mark.parametrize(
    "text",
    [
        "",
        "short",
        "x" * PIECE_BYTES,
        "x" * (PIECE_BYTES + 1),
        "€" * PIECE_BYTES,
        "a" + "😀" * 60_000,
    ],
)
def test_pieces_are_whole_characters_and_small_enough(text):
    parts = list(pieces(text))

    assert text == "".join(parts)
    assert all(0 < len(part.encode()) <= PIECE_BYTES for part in parts)


def test_half_a_surrogate_pair_becomes_a_question_mark():
    assert ["a?b"] == list(pieces("a\ud800b"))
