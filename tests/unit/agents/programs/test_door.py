import threading

import pytest

from quickstarted.agents.model.vendor import ToolAnswer
from quickstarted.agents.programs.door import HOST, MCP_PATH, MCP_URL, READ_PATH, Door
from quickstarted.budget import BudgetExceeded
from quickstarted.errors import Interrupted
from quickstarted.sandbox.protocol import DoorRequest
from quickstarted.verdict import StopReason


class Reader:
    """Notes what it is asked, and answers from a script."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.uses = []

    def __call__(self, use):
        self.uses.append(use)
        answer = self.answers.pop(0) if self.answers else "the page"
        if isinstance(answer, Exception):
            raise answer
        return ToolAnswer(call_id=use.call_id, text=answer, is_error=answer.startswith("["))


def post(path, body=b"", method="POST"):
    return DoorRequest(method=method, path=path, content_type="", body=body)


def read(door, text):
    return door.answer(post(READ_PATH, text.encode()))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("https://docs.example.org/", {"url": "https://docs.example.org/"}),
        ("https://docs.example.org/\n", {"url": "https://docs.example.org/"}),
        ("https://docs.example.org/\n2\n", {"url": "https://docs.example.org/", "page": 2}),
        ("https://docs.example.org/\r\n2", {"url": "https://docs.example.org/", "page": 2}),
        ("https://docs.example.org/\ntwo", {"url": "https://docs.example.org/", "page": "two"}),
        ("", {"url": ""}),
    ],
)
def test_a_line_with_a_url_and_one_with_a_page_are_a_call_of_the_tool(text, arguments):
    reader = Reader()

    answer = read(Door(reader), text)

    assert (answer.status, answer.body) == (200, b"0\nthe page\n")
    assert [use.arguments for use in reader.uses] == [arguments]


def test_a_page_that_cannot_be_read_is_told_by_exit_code_and_text():
    answer = read(Door(Reader("[Not read: no]")), "https://docs.example.org/")

    assert (answer.status, answer.body) == (200, b"1\n[Not read: no]\n")


def test_calls_are_numbered_so_that_records_tell_them_apart():
    reader = Reader()
    door = Door(reader)
    for _ in range(3):
        read(door, "https://docs.example.org/")

    assert [use.call_id for use in reader.uses] == ["shell-1", "shell-2", "shell-3"]


def test_mcp_is_spoken_at_its_path():
    answer = Door(Reader()).answer(post(MCP_PATH, b'{"jsonrpc":"2.0","id":1,"method":"ping"}'))
    told = Door(Reader()).answer(post(f"{MCP_PATH}/", b'{"jsonrpc":"2.0","method":"x"}'))

    assert f"http://{HOST}{MCP_PATH}" == MCP_URL
    assert (answer.status, answer.content_type) == (200, "application/json")
    assert answer.body == b'{"jsonrpc": "2.0", "id": 1, "result": {}}'
    assert (told.status, told.body) == (202, b"")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", MCP_PATH, 405),
        ("DELETE", MCP_PATH, 405),
        ("GET", READ_PATH, 405),
        ("POST", "/", 404),
        ("GET", "/favicon.ico", 404),
        ("POST", "/.well-known/oauth-protected-resource", 404),
    ],
)
def test_what_is_asked_in_another_way_is_told_how(method, path, status):
    reader = Reader()

    answer = Door(reader).answer(post(path, method=method))

    assert answer.status == status
    assert b"POST" in answer.body
    assert reader.uses == []


@pytest.mark.parametrize(
    "ending", [BudgetExceeded(StopReason.MAX_SECONDS), Interrupted("interrupted")]
)
def test_after_the_end_nothing_is_read_and_the_ending_is_kept(ending):
    reader = Reader(ending, "never")
    door = Door(reader)

    answers = [read(door, "https://docs.example.org/") for _ in range(2)]

    assert door.ended is ending
    assert [answer.body for answer in answers] == [b"1\n[Not read: the attempt is over.]\n"] * 2
    assert len(reader.uses) == 1


def test_two_at_once_are_read_one_after_the_other():
    inside, most = [], []

    def carry_out(use):
        inside.append(use)
        most.append(len(inside))
        threading.Event().wait(0.02)
        inside.pop()
        return ToolAnswer(call_id=use.call_id, text="x")

    door = Door(carry_out)
    threads = [threading.Thread(target=read, args=(door, "u")) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] * 5
