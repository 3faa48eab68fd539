"""
A scripted Responses API on loopback, as strict as the service, for the vendor's real SDK.

    with ScriptedResponsesApi([bash("ls"), say("Done.")], api_key="sk-test") as api:
        client = openai.OpenAI(base_url=api.base_url, api_key="sk-test")
        ...
    api.assert_done()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from fakes.messages_api_wire import page_steps
from fakes.responses_api_checks import Model, Problem, check_key, check_request
from fakes.responses_api_replies import Error, Page, Reply, Turn
from fakes.responses_api_stream import (
    Sent,
    document_steps,
    error_steps,
    response_document,
    stream_steps,
)
from fakes.scripted_http import ScriptedServer
from fakes.scripted_http_steps import Recorded, Refused, Repeat, Step


class ResponsesSpeaker:
    """Speaks the Responses API; see `scripted_http.Speaker`."""

    max_body_bytes = 64_000_000

    def __init__(self, api_key: str | None, models: Mapping[str, Model] | None) -> None:
        self._api_key = api_key
        self._models = models
        self._sent = Sent()

    def check(self, request: Recorded) -> Iterable[Step] | None:
        """Refuses what the service would refuse."""
        try:
            self._look(request)
        except Problem as problem:
            error = Error(
                problem.status, code=problem.code, param=problem.param, message=str(problem)
            )
            kind = problem.code or "invalid_request_error"
            raise Refused(kind, str(problem), error_steps(error, request.n)) from None
        return None

    def _look(self, request: Recorded) -> None:
        if self._api_key is not None:
            check_key(request.headers, self._api_key)
        path = request.path.partition("?")[0]
        if (request.method, path) != ("POST", "/v1/responses"):
            raise Problem(f"Invalid URL ({request.method} {path})", code="invalid_url", status=404)
        check_request(request.body, self._models, self._sent)

    def answer(self, reply: Reply, request: Recorded) -> Iterable[Step]:
        """The steps of a reply; of a turn as a stream where one is asked for."""
        match reply:
            case Error():
                return error_steps(reply, request.n)
            case Page():
                return page_steps(reply)
            case Turn():
                document = response_document(reply, request.body["model"], self._sent)
                if request.body.get("stream"):
                    return list(stream_steps(reply, document, request.n))
                return document_steps(200, document, request.n)

    def fault(self, message: str) -> Iterable[Step]:
        """500."""
        return error_steps(Error(500, message=message), 0)


class ScriptedResponsesApi(ScriptedServer[Reply]):
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
        super().__init__(script, ResponsesSpeaker(api_key, models), port=port, log=log)
        self.base_url = f"{self.base_url}/v1"
