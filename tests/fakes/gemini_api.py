"""
A scripted Gemini API on loopback, as strict as the service, for the vendor's real SDK.

    with ScriptedGeminiApi([bash("ls"), say("Done.")], api_key="k-test") as api:
        options = types.HttpOptions(base_url=api.base_url)
        client = google.genai.Client(api_key="k-test", http_options=options)
        ...
    api.assert_done()

Beside `streamGenerateContent` and `generateContent` it answers `GET models/MODEL` and
`countTokens`, which use nothing of the script up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from fakes.gemini_api_checks import Model, Problem, check_key, check_request, find_model
from fakes.gemini_api_replies import Error, Page, Reply, Turn, rpc
from fakes.gemini_api_stream import (
    Sent,
    chunks_of,
    document_steps,
    error_steps,
    stream_steps,
    whole,
)
from fakes.messages_api_wire import page_steps
from fakes.scripted_http import ScriptedServer
from fakes.scripted_http_steps import Recorded, Refused, Repeat, ScriptFault, Step

_PATH = re.compile(r"/v1(?:beta)?/models/(?P<model>[^:/?]+)(?::(?P<method>\w+))?(?:\?.*)?")


class GeminiSpeaker:
    """Speaks the Gemini API; see `scripted_http.Speaker`."""

    max_body_bytes = 64_000_000

    def __init__(self, api_key: str | None, models: Mapping[str, Model] | None) -> None:
        self._api_key = api_key
        self._models = models
        self._sent = Sent()

    def check(self, request: Recorded) -> Iterable[Step] | None:
        """Refuses what the service would refuse, and answers what is about models."""
        try:
            return self._look(request)
        except Problem as problem:
            reason = problem.reason
            details = (rpc("ErrorInfo", reason=reason),) if reason else ()
            error = Error(problem.code, message=str(problem), details=details)
            kind = reason or f"{problem.code}"
            raise Refused(kind, str(problem), error_steps(error)) from None

    def _look(self, request: Recorded) -> Iterable[Step] | None:
        if self._api_key is not None:
            check_key(request.headers, self._api_key)
        path = _PATH.fullmatch(request.path)
        if path is None:
            raise Problem(f"not found: {request.path}", 404)
        model = find_model(path["model"], self._models)
        match request.method, path["method"]:
            case "GET", None:
                limits = {
                    "inputTokenLimit": model.input_token_limit,
                    "outputTokenLimit": model.output_token_limit,
                }
                return document_steps(200, {"name": f"models/{path['model']}", **limits})
            case "POST", "countTokens":
                return document_steps(200, {"totalTokens": len(json.dumps(request.body)) // 4})
            case "POST", "streamGenerateContent" | "generateContent":
                check_request(request.body, model, self._sent)
                return None
        raise Problem(f"not found: {request.method} {request.path}", 404)

    def answer(self, reply: Reply, request: Recorded) -> Iterable[Step]:
        """The steps of a reply; of a turn as a stream where one is asked for."""
        match reply:
            case Error():
                return error_steps(reply)
            case Page():
                return page_steps(reply)
            case Turn():
                path = _PATH.fullmatch(request.path)
                assert path is not None
                chunks = list(chunks_of(reply, path["model"], self._sent))
                if path["method"] == "streamGenerateContent":
                    return list(stream_steps(reply, chunks))
                if not chunks:
                    raise ScriptFault("a turn with nothing in it can only be streamed")
                return document_steps(200, whole(chunks))

    def fault(self, message: str) -> Iterable[Step]:
        """500."""
        return error_steps(Error(500, message=message))


class ScriptedGeminiApi(ScriptedServer[Reply]):
    """
    The service with a script. Without `api_key` every key is good; without `models` every name is a
    current model.
    """

    def __init__(
        self,
        script: Sequence[Reply | Callable[[Recorded], Reply] | Repeat[Reply]],
        *,
        api_key: str | None = None,
        models: Mapping[str, Model] | None = None,
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        super().__init__(script, GeminiSpeaker(api_key, models), port=port, log=log)
