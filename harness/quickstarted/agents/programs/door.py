"""
The harness's own host inside the sandbox, through which programs there read documentation.

It speaks MCP, for programs that do, and plain text, for the command `read_docs` of the sandbox's
shell; both end in the same tool as the reading of every other agent, with the same records.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from itertools import count

from quickstarted.agents.model.toolset import READ_DOCS
from quickstarted.agents.model.vendor import ToolAnswer, ToolUse
from quickstarted.agents.programs import mcp
from quickstarted.budget import BudgetExceeded
from quickstarted.errors import Interrupted
from quickstarted.sandbox.protocol import DoorAnswer, DoorRequest

HOST = "read-docs.quickstarted.internal"
"""`.internal` is reserved for private use (ICANN, 2024): no site has such a name."""
MCP_PATH = "/mcp"
READ_PATH = "/read"
"""
Takes a POST whose first line is a URL and whose second, which may be missing, a page; the answer's
first line is an exit code, 0 or 1, and the rest the text.
"""
READ_URL = f"http://{HOST}{READ_PATH}"
MCP_URL = f"http://{HOST}{MCP_PATH}"

_OVER = "[Not read: the attempt is over.]"
_JSON = "application/json"


def shell_command() -> bytes:
    """The program `read_docs` for a sandbox's shell; `READ_URL` is in its variable _QS_DOOR."""
    return (files(__package__) / "read_docs.sh").read_bytes()


class Door:
    """
    Answers requests, one at a time; `answer` is safe to call from any thread.

    Args:
        carry_out: Does what a call of a tool asks for; raises when the attempt is over.

    """

    def __init__(self, carry_out: Callable[[ToolUse], ToolAnswer]) -> None:
        self._carry_out = carry_out
        self._one = threading.Lock()
        self._numbers = count(1)
        self.ended: BudgetExceeded | Interrupted | None = None
        """What ended the attempt while a page was read; nothing is read after it."""

    def answer(self, request: DoorRequest) -> DoorAnswer:
        """Answer; what is asked for in the wrong way is told how to ask."""
        path = request.path.partition("?")[0].rstrip("/")
        if path not in {MCP_PATH, READ_PATH}:
            return _text(
                HTTPStatus.NOT_FOUND,
                f"POST to {MCP_PATH} (MCP) or {READ_PATH} (a URL, plain text).",
            )
        if request.method != "POST":
            # Streams from the server, and sessions that could be ended: there are none.
            return _text(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} takes POST only.")
        with self._one:
            return self._mcp(request.body) if path == MCP_PATH else self._read(request.body)

    def _mcp(self, body: bytes) -> DoorAnswer:
        answer = mcp.answered(body, self._carried_out)
        if answer is None:
            return DoorAnswer(status=HTTPStatus.ACCEPTED)
        return DoorAnswer(content_type=_JSON, body=answer)

    def _read(self, body: bytes) -> DoorAnswer:
        url, _, page = body.decode("utf-8", "replace").strip().partition("\n")
        arguments: dict[str, object] = {"url": url.strip()}
        if page.strip():
            arguments["page"] = int(page) if page.strip().isdecimal() else page.strip()
        use = ToolUse(
            call_id=f"shell-{next(self._numbers)}", name=READ_DOCS.name, arguments=arguments
        )
        answer = self._carried_out(use)
        # Not by status: some clients give no body of an answer that is an error.
        return _text(HTTPStatus.OK, f"{int(answer.is_error)}\n{answer.text}")

    def _carried_out(self, use: ToolUse) -> ToolAnswer:
        if self.ended is None:
            try:
                return self._carry_out(use)
            except (BudgetExceeded, Interrupted) as ended:
                self.ended = ended
        return ToolAnswer(call_id=use.call_id, text=_OVER, is_error=True)


def _text(status: int, text: str) -> DoorAnswer:
    return DoorAnswer(status=status, body=f"{text}\n".encode())
