"""
A reply, put together from the chunks of its stream.

Arguments of a tool come whole, so that there is nothing to join but text; what the model thought
comes as signatures, which must go back on the very parts that they came with.
https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from dataclasses import dataclass, field

from google.genai.types import (
    Candidate,
    FinishReason,
    FunctionCall,
    GenerateContentResponse,
    GenerateContentResponsePromptFeedback,
    Part,
)
from google.genai.types import GenerateContentResponseUsageMetadata as Counts

from quickstarted.agents.model.vendor import Reply, ServiceTrouble, Stop, ToolUse
from quickstarted.events import Usage, plain

STOPS = {
    FinishReason.STOP: Stop.DONE,
    FinishReason.MAX_TOKENS: Stop.LENGTH,
    FinishReason.CONTINUATION: Stop.PAUSED,
    **dict.fromkeys(
        (
            FinishReason.MALFORMED_FUNCTION_CALL,
            FinishReason.MALFORMED_RESPONSE,
            FinishReason.UNEXPECTED_TOOL_CALL,
        ),
        Stop.UNREADABLE,
    ),
    **dict.fromkeys(
        (
            FinishReason.SAFETY,
            FinishReason.RECITATION,
            FinishReason.LANGUAGE,
            FinishReason.BLOCKLIST,
            FinishReason.PROHIBITED_CONTENT,
            FinishReason.SPII,
            FinishReason.ESCALATION,
            FinishReason.MODEL_ARMOR,
        ),
        Stop.DECLINED,
    ),
}
"""Reasons that are newer end a reply as `STOP` does."""

BROKEN = frozenset({FinishReason.OTHER, FinishReason.FINISH_REASON_UNSPECIFIED})
"""The service does not say why it stopped; asked again, it may go on."""


@dataclass
class Call:
    """A tool that the model asked for; the service need not have given it an id."""

    use: ToolUse
    given_id: str | None


@dataclass
class Assembly:
    """Takes the chunks of one stream; `reply`, `parts` and `calls` are there once it is `over`."""

    model: str
    turn: int
    """Of the conversation, for the names of calls that come without one."""
    parts: list[Part] = field(default_factory=list)
    """What is said back to the service; with what a reply that it paused began with."""
    usage: Usage = field(default_factory=Usage)
    """As far as the service has reported it."""
    token: bytes | None = None
    """With which a reply that was paused is continued."""
    _finish: FinishReason | None = None
    _explanation: str = ""
    _blocked: str = ""

    @property
    def over(self) -> bool:
        """Whether the service has said how the reply ends; usage may come after."""
        return self._finish is not None or bool(self._blocked)

    @property
    def calls(self) -> list[Call]:
        """The tools asked for, in order."""
        calls = [part.function_call for part in self.parts if part.function_call]
        return [_call(call, f"{self.turn}.{n}") for n, call in enumerate(calls, 1)]

    def take(self, event: object) -> None:
        """
        Take the next chunk as the client read it.

        Raises:
            ValueError: It is not what the service documents.

        """
        if not isinstance(event, GenerateContentResponse):
            raise ValueError(f"a chunk that is a {type(event).__name__}")  # noqa: TRY004
        self.model = event.model_version or self.model
        if event.usage_metadata is not None:
            self.usage = usage_of(event.usage_metadata)
        if event.candidates:
            self._take_candidate(event.candidates[0])
        elif event.prompt_feedback is not None:
            self._block(event.prompt_feedback)

    def reply(self) -> Reply:
        """
        The whole reply.

        Raises:
            ServiceTrouble: The stream ended before the reply did, or for no reason.

        """
        if self._blocked:
            return self._reply(Stop.DECLINED, self._blocked, self._explanation)
        if self._finish is None:
            raise ServiceTrouble("the service's stream ended before the reply did")
        if self._finish in BROKEN and not self.calls:
            raise ServiceTrouble(f"the service stopped for no reason ({self._finish.value})")
        stop = STOPS.get(self._finish, Stop.DONE)
        if stop is Stop.PAUSED:
            return self._reply(stop, self._finish.value)
        texts = [part.text for part in self.parts if part.text and not part.thought]
        calls = self.calls
        if calls and stop is Stop.DONE:
            stop = Stop.TOOLS
        said = "".join(texts) or self._explanation
        return self._reply(stop, self._finish.value, said, calls)

    def _reply(
        self, stop: Stop, reason: str, text: str = "", calls: list[Call] | None = None
    ) -> Reply:
        return Reply(
            stop=stop,
            stop_reason=reason,
            model=self.model,
            text=plain(text),
            tool_uses=tuple(call.use for call in calls or ()),
            usage=self.usage,
        )

    def _take_candidate(self, candidate: Candidate) -> None:
        for part in (candidate.content.parts if candidate.content else None) or ():
            self._add(part)
        self._finish = candidate.finish_reason or self._finish
        self._explanation = candidate.finish_message or self._explanation
        self.token = candidate.continuation_token or self.token

    def _block(self, feedback: GenerateContentResponsePromptFeedback) -> None:
        if feedback.block_reason is not None:
            self._blocked = f"PROMPT_{feedback.block_reason.value}"
            self._explanation = feedback.block_reason_message or ""

    def _add(self, part: Part) -> None:
        """Join text with text of its kind; a part with a signature stays alone."""
        last = self.parts[-1] if self.parts else None
        if part.function_call is not None:
            # JSON can spell half a character, a lone surrogate, and a request cannot hold one.
            part.function_call.args = plain(part.function_call.args or {})
        if last is not None and _goes_on(last, part):
            last.text = f"{last.text}{part.text}"
        else:
            self.parts.append(part)


def _goes_on(last: Part, part: Part) -> bool:
    bare = all(one.text is not None and one.thought_signature is None for one in (last, part))
    return bare and bool(last.thought) == bool(part.thought)


def _call(call: FunctionCall, made_up: str) -> Call:
    use = ToolUse(
        call_id=plain(call.id or f"call-{made_up}"),
        name=plain(call.name or ""),
        arguments=call.args or {},
    )
    return Call(use=use, given_id=call.id)


def usage_of(counts: Counts) -> Usage:
    """
    The four counters of ours.

    The service's prompt has in it what its cache held, and not what its own tools added; thoughts
    are beside the candidates. It bills nothing for writing to the cache by itself.

    Raises:
        ValueError: One is negative.

    """
    read = _count(counts.cached_content_token_count)
    prompt = _count(counts.prompt_token_count)
    return Usage(
        input_tokens=max(0, prompt - read) + _count(counts.tool_use_prompt_token_count),
        output_tokens=_count(counts.candidates_token_count) + _count(counts.thoughts_token_count),
        cache_read_tokens=read,
    )


def _count(number: int | None) -> int:
    if number is not None and number < 0:
        raise ValueError(f"a count of {number} tokens")
    return number or 0
