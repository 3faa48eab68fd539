"""What `data` must be for each type of event, and how responses and actions belong together."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

from quickstarted.formats.agent_log import model as kinds
from quickstarted.formats.agent_log.calls import Match, Responses, requested
from quickstarted.formats.agent_log.echoes import Echoes
from quickstarted.formats.agent_log.model import RequestedAction
from quickstarted.formats.problems import Problems
from quickstarted.formats.strict_json import quote

_PENDING_CALLS = 1_000
_PENDING_CHARS = 1_000


class DataRules:
    """Looks at the data of one event after the other."""

    def __init__(self, problems: Problems, *, allow_changed_args: bool) -> None:
        self.actions = 0
        self._problems = problems
        self._args_code = "action-changed-args" if allow_changed_args else "action-args-differ"
        self._line = 0
        self._raw = b""
        self._model = ""
        self._responses = Responses()
        self._has_request = False
        self._unknown_calls: dict[str, list[int]] = {}
        self._echoes = Echoes()
        self._withheld_line = 0
        self._shown_line = 0
        self._checks = {
            kinds.RUN_START: self._run_start,
            kinds.MODEL_REQUEST: self._request,
            kinds.MODEL_RESPONSE: self._response,
            kinds.ACTION: self._action,
            kinds.OBSERVATION: self._public,
            kinds.ERROR: self._error,
            kinds.RUN_END: self._run_end,
        }

    @property
    def responses(self) -> int:
        """How many there were, by their ids."""
        return len(self._responses)

    def check(self, line: int, kind: str, data: dict[str, Any], raw: bytes) -> None:
        """Look at *data* of an event of type *kind*; *raw* is its line."""
        self._line, self._raw = line, raw
        self._checks[kind](data)

    def finish(self) -> None:
        """Say what only the end shows."""
        for call, lines in self._unknown_calls.items():
            for line in lines:
                self._unknown_call(line, call)
        self._unknown_calls.clear()
        if self._withheld_line and self._shown_line:
            self._problems.add(
                "withheld-partly",
                self._shown_line,
                f"shows a prompt or a text, and line {self._withheld_line} withholds its own",
            )

    def _add(self, code: str, message: str) -> None:
        self._problems.add(code, self._line, message)

    def _run_start(self, data: dict[str, Any]) -> None:
        for key in ("game", "category", "model"):
            if not _is_text(data.get(key)):
                self._add("run-start-field", f"{key} of run_start {_instead(data, key)}")
        scaffold = data.get("scaffold")
        if not isinstance(scaffold, dict) or not _is_text(scaffold.get("name")):
            self._add("scaffold-no-name", "run_start has no scaffold with a name")
        else:
            self._scaffold(scaffold)
        model = data.get("model")
        if isinstance(model, str) and model and not self._model:
            self._model = model
            if not all(model.partition("/")):
                self._add("model-not-named", f"model is {quote(model)}, not provider/model-id")

    def _scaffold(self, scaffold: dict[str, Any]) -> None:
        for name in ("version", "url"):
            if scaffold.get(name) is not None and not isinstance(scaffold[name], str):
                self._add("scaffold-field", f"{name} of the scaffold {_instead(scaffold, name)}")
        url = scaffold.get("url")
        if isinstance(url, str) and not url.lower().startswith(("https://", "http://")):
            self._add("scaffold-url", f"url of the scaffold is {quote(url)}, no web address")

    def _request(self, data: dict[str, Any]) -> None:
        self._has_request = True
        if "withheld" not in data:
            self._shown_line = self._shown_line or self._line
            self._echoes.private(self._line, data)
        elif data["withheld"] is True and len(data) == 1:
            self._withheld_line = self._withheld_line or self._line
        else:
            self._add("withheld-not-exact", 'data has "withheld", and is not {"withheld": true}')

    def _response(self, data: dict[str, Any]) -> None:
        if not self._has_request:
            self._add("response-without-request", "has no model_request before it")
        self._has_request = False
        self._response_fields(data)
        try:
            asked = requested(data.get("actions"))
        except ValueError as exc:
            asked = None
            self._add("response-field", f"actions of the response is wrong: {exc}")
        response_id = data.get("id")
        if not _is_text(response_id):
            self._add("response-no-id", f"id of the response {_instead(data, 'id')}")
        elif not self._responses.add(response_id, asked, len(self._raw)):
            self._add("response-duplicate-id", f"id {quote(response_id)} was used before")
        else:
            for line in self._unknown_calls.pop(response_id, ()):
                self._problems.add(
                    "action-call-comes-later",
                    line,
                    f"call is {quote(response_id)}, the response of line {self._line}, which comes"
                    " later",
                )
        # Before its own texts are known: that it does what it says it does is no echo.
        if self._echoes.repeated(self._raw):
            self._echoed_by_response(data)
        if not kinds.PUBLIC_RESPONSE.issuperset(data):
            private = [data[key] for key in data if key not in kinds.PUBLIC_RESPONSE]
            self._shown_line = self._shown_line or self._line
            self._echoes.private(self._line, private)

    def _echoed_by_response(self, data: dict[str, Any]) -> None:
        public = json.dumps({key: data[key] for key in data if key in kinds.PUBLIC_RESPONSE})
        source = self._echoes.repeated(public.encode("ascii"))
        if source:
            self._add(
                "prompt-echoed",
                f"repeats text of line {source} in its usage or actions, which always stay public",
            )

    def _response_fields(self, data: dict[str, Any]) -> None:
        name = data.get("model")
        if not _is_text(name):
            self._add("response-no-model", f"model of the response {_instead(data, 'model')}")
        elif self._model and name != self._model:
            self._add(
                "model-differs", f"model is {quote(name)}, and run_start names {quote(self._model)}"
            )
        usage = data.get("usage")
        if usage is not None and not isinstance(usage, dict):
            self._add("response-field", f"usage is {quote(usage)}, and must be an object")

    def _action(self, data: dict[str, Any]) -> None:
        self.actions += 1
        self._public(data)
        call, name = data.get("call"), data.get("name")
        if _is_text(call) and _is_text(name) and "args" in data:
            self._compare(call, RequestedAction(name, data["args"]))
            return
        for key in ("call", "name"):
            if not _is_text(data.get(key)):
                self._add(f"action-no-{key}", f"{key} of the action {_instead(data, key)}")
        if "args" not in data:
            self._add("action-no-args", "the action has no args")

    def _compare(self, call: str, action: RequestedAction) -> None:
        match, taken_for = self._responses.match(call, action)
        if match is Match.ASKED:
            return
        name = quote(action.name)
        if match is Match.UNKNOWN_CALL:
            self._postpone(call)
        elif match is Match.ARGS_DIFFER:
            assert taken_for is not None
            self._add(
                self._args_code,
                f"response {quote(call)} asked for {name} with {quote(taken_for.args)}, and"
                f" {quote(action.args)} was sent",
            )
        else:
            code, words = _OTHER_MATCHES[match]
            self._add(code, words.format(name=name, call=quote(call)))

    def _postpone(self, call: str) -> None:
        has_room = len(call) <= _PENDING_CHARS and len(self._unknown_calls) < _PENDING_CALLS
        if has_room or call in self._unknown_calls:
            lines = self._unknown_calls.setdefault(call, [])
            if len(lines) < _PENDING_CALLS:
                lines.append(self._line)
                return
        self._unknown_call(self._line, call)

    def _unknown_call(self, line: int, call: str) -> None:
        message = f"call is {quote(call)}, and no response has this id"
        self._problems.add("action-unknown-call", line, message)

    def _public(self, data: dict[str, Any]) -> None:
        del data
        source = self._echoes.public(self._raw)
        if source:
            self._add("prompt-echoed", f"repeats text of line {source}, and always stays public")

    def _error(self, data: dict[str, Any]) -> None:
        self._public(data)
        if not isinstance(data.get("message"), str):
            self._add("error-no-message", f"message of the error {_instead(data, 'message')}")

    def _run_end(self, data: dict[str, Any]) -> None:
        self._public(data)
        if not _is_text(data.get("reason")):
            self._add("run-end-no-reason", f"reason of run_end {_instead(data, 'reason')}")


_OTHER_MATCHES = {
    Match.TOO_FAR: (
        "action-too-far",
        "response {call} lies too far back: the action was not compared with what it asked for",
    ),
    Match.NOT_LISTED: (
        "action-not-listed",
        "response {call} lists no actions, so nobody can tell whether it asked for {name}",
    ),
    Match.NOT_REQUESTED: (
        "action-not-requested",
        "response {call} did not ask for {name}: the action is not the model's",
    ),
    Match.REPEATED: (
        "action-repeated",
        "response {call} asked for {name} fewer times than it was sent",
    ),
}


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value)


def _instead(data: dict[str, Any], key: str) -> str:
    """What stands in place of a text that must be there."""
    if data.get(key) is None:
        return "is missing"
    return "is empty" if data[key] == "" else f"is {quote(data[key])}, and must be a string"
