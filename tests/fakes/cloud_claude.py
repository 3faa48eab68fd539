"""
Claude as two clouds serve it, on loopback: the paths, credentials and streams of theirs.

`Bedrock` speaks AWS's event stream and records how requests are signed; `Vertex` is the Messages
API's stream behind Google's paths. Both answer from a list of turns.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote

from fakes.messages_api_replies import Error, Turn
from fakes.messages_api_stream import events_of, stream_steps
from fakes.messages_api_wire import Sent, document_steps, error_steps, write_message
from fakes.scripted_http import ScriptedServer
from fakes.scripted_http_steps import Head, Recorded, Step

EVENT_STREAM = "application/vnd.amazon.eventstream"


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """
    A message of AWS's event stream.

    https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html
    """
    block = b""
    for name, value in headers.items():
        block += bytes([len(name)]) + name.encode()
        block += b"\x07" + struct.pack(">H", len(value)) + value.encode()
    prelude = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    prelude += struct.pack(">I", binascii.crc32(prelude))
    body = prelude + block + payload
    return body + struct.pack(">I", binascii.crc32(body))


class _Cloud:
    max_body_bytes = 32_000_000

    def __init__(self) -> None:
        self.sent = Sent()

    def check(self, request: Recorded) -> Iterable[Step] | None:
        """Nothing is refused that the script does not refuse."""
        del request
        return None

    def fault(self, message: str) -> Iterable[Step]:
        """500."""
        return document_steps(500, {"message": message}, 0)


class _BedrockSpeaker(_Cloud):
    def answer(self, reply: Turn | Error | dict[str, Any], request: Recorded) -> Iterable[Step]:
        """A turn as a stream; a dict is an exception in the middle of one."""
        head = Head(200, (("Content-Type", EVENT_STREAM),))
        match reply:
            case Error():
                return error_steps(reply, request.n)
            case dict():
                return [head, frame(_exception(reply["type"]), json.dumps(reply).encode())]
            case Turn():
                model = unquote(request.path.split("/")[2])
                events = events_of(write_message(reply, model, self.sent))
                return [head, *(frame(_CHUNK, _payload(event)) for event in events)]


_CHUNK = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}


def _exception(kind: str) -> dict[str, str]:
    more = {":content-type": "application/json", ":message-type": "exception"}
    return {":exception-type": kind, **more}


def _payload(event: dict[str, Any]) -> bytes:
    text = json.dumps(event).encode()
    return json.dumps({"bytes": base64.b64encode(text).decode()}).encode()


class _VertexSpeaker(_Cloud):
    def answer(self, reply: Turn | Error, request: Recorded) -> Iterable[Step]:
        """As the Messages API; the model is in the path."""
        if isinstance(reply, Error):
            return error_steps(reply, request.n)
        model = request.path.rpartition("/")[2].partition(":")[0]
        return list(stream_steps(reply, write_message(reply, model, self.sent), request.n))


class Bedrock(ScriptedServer[Any]):
    """Bedrock's runtime."""

    def __init__(self, script: Sequence[Any]) -> None:
        super().__init__(script, _BedrockSpeaker())


class Vertex(ScriptedServer[Any]):
    """Vertex AI."""

    def __init__(self, script: Sequence[Any]) -> None:
        super().__init__(script, _VertexSpeaker())
