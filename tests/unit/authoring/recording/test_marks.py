import itertools

from hypothesis import given
from hypothesis import strategies as st

from quickstarted.authoring.recording.marks import (
    LONGEST_MARK,
    Began,
    Left,
    MarkFilter,
    Printed,
    Prompted,
)

NONCE = "0123abcd"


def mark(text):
    return f"\x1b]7777;{NONCE};{text}\a".encode()


STREAM = (
    b"$ cat\r\n"
    + mark("B")
    + b"\x1b]0;title\atext\x1b"
    + mark("E;3;80,443;cat <<'E'\x1ea;b\x1eE")
    + b"$ "
)


def parts(chunks, nonce=NONCE):
    """What comes out, neighbouring pieces of what is printed put together."""
    found = []
    marks = MarkFilter(nonce)
    for chunk in chunks:
        for part in marks.feed(chunk):
            if isinstance(part, Printed) and found and isinstance(found[-1], Printed):
                found[-1] = Printed(found[-1].data + part.data)
            else:
                found.append(part)
    return found, marks.rest()


def test_marks_are_taken_out_and_the_rest_is_printed():
    assert (
        [
            Printed(b"$ cat\r\n"),
            Began(),
            Printed(b"\x1b]0;title\atext\x1b"),
            Prompted(exit_code=3, ports=(80, 443), command="cat <<'E'\na;b\nE"),
            Printed(b"$ "),
        ],
        b"",
    ) == parts([STREAM])


@given(cuts=st.lists(st.integers(0, len(STREAM))))
def test_marks_may_come_in_pieces(cuts):
    edges = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in itertools.pairwise(edges)]

    assert parts([STREAM]) == parts(chunks)


def test_the_mark_of_another_shell_is_no_mark():
    stream = mark("B")

    assert ([Printed(stream)], b"") == parts([stream], nonce="another")


def test_what_never_ends_is_printed_at_last():
    begun = mark("E")[:-1]
    found, held = parts([begun, b"x" * LONGEST_MARK])

    assert [Printed(begun + b"x" * LONGEST_MARK)] == found
    assert b"" == held


def test_a_prompt_without_a_command_says_so():
    assert ([Prompted(exit_code=130, ports=(), command="")], b"") == parts([mark("E;130;;")])


def test_the_end_of_the_shell_is_told_from_its_replacement():
    assert ([Printed(b"exit\r\n"), Left()], b"") == parts([b"exit\r\n" + mark("X")])
