import pytest

from quickstarted.errors import UsageError
from quickstarted.trace import find_trace


def _attempt(folder):
    folder.mkdir(parents=True)
    trace = folder / "trace.jsonl"
    trace.touch()
    return trace


def test_a_file_is_taken_as_it_is(tmp_path):
    odd = tmp_path / "odd-name.log"
    odd.touch()

    assert odd == find_trace(odd)


@pytest.mark.parametrize("asked", ["flask/claude/3", "flask/claude", "flask", "."])
def test_the_one_attempt_below_a_folder_is_found(tmp_path, asked):
    trace = _attempt(tmp_path / "flask/claude/3")

    assert trace == find_trace(tmp_path / asked)


def test_an_attempt_s_own_folder_wins_over_what_lies_below(tmp_path):
    trace = _attempt(tmp_path / "flask")
    _attempt(tmp_path / "flask/claude/1")

    assert trace == find_trace(tmp_path / "flask")


def test_several_attempts_are_listed_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 2, 1):
        _attempt(tmp_path / f"flask/claude/{number}")

    with pytest.raises(UsageError) as caught:
        find_trace(tmp_path)

    listed = caught.value.message.splitlines()
    assert [f"{tmp_path} holds 3 attempts; give one of them:"] == listed[:1]
    assert [f"  {tmp_path}/flask/claude/{number}" for number in (1, 2, 10)] == listed[1:]


def test_a_long_list_is_cut(tmp_path):
    for number in range(40):
        _attempt(tmp_path / f"flask/claude/{number}")

    with pytest.raises(UsageError, match="and 28 more"):
        find_trace(tmp_path)


def test_a_folder_without_a_trace_says_what_to_give(tmp_path):
    with pytest.raises(UsageError, match="Give a trace, or the folder of an attempt"):
        find_trace(tmp_path)


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere: no such file or folder"):
        find_trace(tmp_path / "nowhere")
