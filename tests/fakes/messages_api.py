"""
A scripted Messages API on loopback, as strict as the service, for the vendor's real SDK.

    with ScriptedMessagesApi([bash("ls"), say("Done.")], api_key="sk-test") as api:
        client = anthropic.Anthropic(base_url=api.base_url, api_key="sk-test")
        ...
    api.assert_done()

Beside `POST /v1/messages` it answers `GET /v1/models`, `GET /v1/models/ID` and
`POST /v1/messages/count_tokens`, which use nothing of the script up. As a process of its own:
`python -m fakes.messages_api --script FILE --log FILE` prints its base URL; SIGTERM ends it, with
status 1 and the reason on stderr where the script was not used as it should have been.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fakes.messages_api_checks import (
    Dialect,
    Model,
    Problem,
    check_key,
    check_options,
    find_model,
    read_headers,
)
from fakes.messages_api_history import check_messages
from fakes.messages_api_replies import (
    ERROR_TYPES,
    Error,
    Page,
    Reply,
    Turn,
    load_script,
)
from fakes.messages_api_stream import json_steps, stream_steps
from fakes.messages_api_wire import (
    Sent,
    document_steps,
    error_steps,
    page_steps,
    write_message,
)
from fakes.scripted_http import ScriptedServer
from fakes.scripted_http_steps import Recorded, Refused, Repeat, Step

MAX_BODY_BYTES = 32_000_000


class MessagesSpeaker:
    """Speaks the Messages API; see `scripted_http.Speaker`."""

    max_body_bytes = MAX_BODY_BYTES

    def __init__(self, api_key: str | None, models: Mapping[str, Model] | None) -> None:
        self._api_key = api_key
        self._models = models
        self._sent = Sent()

    def check(self, request: Recorded) -> Iterable[Step] | None:
        """Refuses what the service would refuse, and answers what is about models."""
        try:
            return self._look(request)
        except Problem as problem:
            kind = ERROR_TYPES[problem.status]
            error = Error(problem.status, message=str(problem))
            raise Refused(kind, str(problem), error_steps(error, request.n)) from None

    def _look(self, request: Recorded) -> Iterable[Step] | None:
        if self._api_key is not None:
            check_key(request.headers, self._api_key)
        if request.body_bytes > self.max_body_bytes:
            raise Problem("Request exceeds the maximum allowed number of bytes.", status=413)
        dialect = read_headers(request.headers)
        path = request.path.partition("?")[0].rstrip("/")
        if request.method == "GET" and path.startswith("/v1/models"):
            return self._list_models(path.removeprefix("/v1/models").strip("/"), request.n)
        counting = path == "/v1/messages/count_tokens"
        if request.method != "POST" or not (counting or path == "/v1/messages"):
            raise Problem(f"Not found: {request.method} {path}", status=404)
        self._check_body(request, dialect, counting=counting)
        if counting:
            tokens = len(json.dumps(request.body)) // 4
            return document_steps(200, {"input_tokens": tokens}, request.n)
        return None

    def _check_body(self, request: Recorded, dialect: Dialect, *, counting: bool) -> None:
        if request.body is None:
            raise Problem("The request body is not valid JSON")
        model = find_model(request.body, self._models)
        body = {"max_tokens": 1, **request.body} if counting else request.body
        check_options(body, model, dialect)
        check_messages(body, model, self._sent)

    def _list_models(self, name: str, n: int) -> Iterable[Step]:
        known = self._models or {}
        if name and name not in known and self._models is not None:
            raise Problem(f"model: {name}", status=404)
        if name:
            return document_steps(200, _model_document(name, known.get(name, Model())), n)
        data = [_model_document(*one) for one in known.items()]
        ends = {"first_id": next(iter(known), None), "last_id": next(reversed([*known]), None)}
        return document_steps(200, {"data": data, "has_more": False, **ends}, n)

    def answer(self, reply: Reply, request: Recorded) -> Iterable[Step]:
        """The steps of a reply; of a turn as a stream where one is asked for."""
        match reply:
            case Error():
                return error_steps(reply, request.n)
            case Page():
                return page_steps(reply)
            case Turn():
                message = write_message(reply, request.body["model"], self._sent)
                steps = stream_steps if request.body.get("stream") else json_steps
                return list(steps(reply, message, request.n))

    def fault(self, message: str) -> Iterable[Step]:
        """500."""
        return error_steps(Error(500, message=message), 0)


def _model_document(name: str, model: Model) -> dict[str, Any]:
    kinds = ("adaptive", "between_tools", "disabled", "enabled")
    types = {kind: {"supported": kind in model.thinking} for kind in kinds}
    thinking = {"supported": bool(model.thinking - {"disabled"}), "types": types}
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": model.context_tokens,
        "max_tokens": model.max_output_tokens,
        "capabilities": {"thinking": thinking},
    }


class ScriptedMessagesApi(ScriptedServer[Reply]):
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
        super().__init__(script, MessagesSpeaker(api_key, models), port=port, log=log)


def main() -> None:
    """Serves until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="fakes.messages_api")
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--api-key")
    parser.add_argument("--model", action="append", help="a name that exists; all do without it")
    options = parser.parse_args()
    models = {name: Model() for name in options.model} if options.model else None
    signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    script = load_script(options.script.read_bytes())
    api = ScriptedMessagesApi(
        script, api_key=options.api_key, models=models, port=options.port, log=options.log
    )
    with api:
        print(api.base_url, flush=True)
        signal.sigwait(signals)
    try:
        api.assert_done()
    except AssertionError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
