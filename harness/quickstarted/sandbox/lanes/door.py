"""
Requests of programs in the sandbox to the harness, on their way from the sidecar and back.

A thread of its own answers them: reading a page takes as long as it takes, and the thread that
reads the sidecar's reports must not wait for it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from quickstarted.errors import AttemptFault, EventStreamFault
from quickstarted.sandbox.protocol import DoorAnswer, Doorkeeper, DoorRequest

CLOSED = DoorAnswer(status=503, body=b"Nobody answers here.\n")


class DoorCalls:
    """
    Hands requests to who answers them, one after the other.

    Args:
        send: Gives an order to the sidecar.
        fail: Takes what an answer brought to an end.

    """

    def __init__(
        self, send: Callable[[dict[str, Any]], None], fail: Callable[[AttemptFault], None]
    ) -> None:
        self._send = send
        self._fail = fail
        self._keeper: Doorkeeper | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="door")

    def answered_by(self, keeper: Doorkeeper | None) -> None:
        """Who answers from now on; None: nobody."""
        self._keeper = keeper

    def take(self, report: dict[str, Any]) -> None:
        """
        Take a `docs_call`; does not wait.

        Raises:
            EventStreamFault: The report is not what the control protocol says.

        """
        try:
            number = int(report["id"])
            request = DoorRequest(
                method=str(report["method"]),
                path=str(report["path"]),
                content_type=str(report["content_type"]),
                body=base64.b64decode(report["body_b64"], validate=True),
            )
        except (KeyError, TypeError, ValueError, binascii.Error) as exc:
            raise EventStreamFault(f"the sidecar handed over no request: {exc!r}") from exc
        self._thread.submit(self._answer, number, request, self._keeper)

    def close(self) -> None:
        """Answer nothing any more; what is being answered is."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _answer(self, number: int, request: DoorRequest, keeper: Doorkeeper | None) -> None:
        try:
            answer = keeper(request) if keeper is not None else CLOSED
            self._send(
                {
                    "order": "docs_answer",
                    "id": number,
                    "status": answer.status,
                    "content_type": answer.content_type,
                    "body_b64": base64.b64encode(answer.body).decode("ascii"),
                }
            )
        except AttemptFault as fault:
            self._fail(fault)
