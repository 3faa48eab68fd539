"""Local documentation that was read, in a terminal."""

from typing import get_args

from fakes.attempts import result
from quickstarted.console.local_docs import KINDS, local_docs_lines
from quickstarted.local_docs import Kind
from quickstarted.results import LocalDocResult


def read(number):
    return [
        LocalDocResult(kind="help", what=f"tool{at}\x1b[1m --help", command="x")
        for at in range(number)
    ]


def kinds(part=Kind):
    inner = [kind for one in get_args(part) for kind in (kinds(one) if get_args(one) else [one])]
    return sorted(set(inner))


def test_every_kind_has_words():
    assert kinds() == sorted(KINDS)


def test_nothing_is_said_where_nothing_was_read():
    assert [] == local_docs_lines(result(), verbose=True)


def test_what_was_read_is_listed_visibly_and_cut():
    lines = local_docs_lines(result(local_docs_read=read(7)), verbose=False)

    assert [
        "",
        "local documentation that was read, as far as commands show it:",
        *(f"  help of a program     tool{at} --help" for at in range(5)),
        "  and 2 more",
    ] == lines


def test_all_of_it_is_listed_to_who_wants_everything():
    lines = local_docs_lines(result(local_docs_read=read(7)), verbose=True)

    assert "  help of a program     tool6 --help" == lines[-1]
