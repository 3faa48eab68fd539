"""
What the Messages API refuses, with the beginning of what it says then, and what it takes.
"""

from __future__ import annotations

from typing import Any

from contract.vendor_clients import (
    BASH,
    HELLO,
    MODEL,
    READ_DOCS,
    assistant,
    text,
    tool_result,
    tool_use,
    user,
)
from fakes.messages_api import Model

ADAPTIVE = {"type": "adaptive"}
CACHED = {"cache_control": {"type": "ephemeral"}}
LASTING = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
SYSTEM = {"role": "system", "content": "Be brief."}
CALLED = assistant(tool_use("toolu_1"))
MODELS = {
    MODEL: Model(),
    "claude-old": Model(
        thinking=frozenset({"enabled", "disabled"}), prefill=True, max_output_tokens=8192
    ),
}


def schema(**more: Any) -> dict[str, Any]:
    """The read_docs tool with another schema."""
    return {**READ_DOCS, "input_schema": {"type": "object", **more}}


def after(*messages: Any) -> dict[str, Any]:
    """These messages after a greeting."""
    return {"messages": [HELLO, *messages]}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no model": ({"model": None}, "model: "),
    "no max_tokens": ({"max_tokens": None}, "max_tokens: Field required"),
    "max_tokens zero": ({"max_tokens": 0}, "max_tokens: "),
    "max_tokens true": ({"max_tokens": True}, "max_tokens: "),
    "max_tokens text": ({"max_tokens": "9"}, "max_tokens: "),
    "max_tokens above the model's": ({"max_tokens": 128_001}, "max_tokens: 128001 > 128000"),
    "a key unknown": ({"max_token": 9}, "max_token: Extra inputs"),
    "temperature": ({"temperature": 1.0}, "temperature: Extra inputs"),
    "top_k": ({"top_k": 5}, "top_k: Extra inputs"),
    "stream text": ({"stream": "yes"}, "stream: "),
    "stop sequence blank": ({"stop_sequences": ["a", " "]}, "stop_sequences.1: "),
    "system empty": ({"system": [text("")]}, "system.0: "),
    "system no text": ({"system": [{"type": "image"}]}, "system.0.type: "),
    # Messages and roles.
    "no messages": ({"messages": None}, "messages: Field required"),
    "messages empty": ({"messages": []}, "messages: "),
    "messages text": ({"messages": "hi"}, "messages: "),
    "first message not the user's": ({"messages": [assistant(text("Hi"))]}, "messages.0.role: "),
    "role unknown": (after({"role": "tool", "content": "x"}), "messages.1.role: "),
    "message with a key unknown": (after({**HELLO, "name": "me"}), "messages.1.name: Extra"),
    "no content": (after({"role": "user"}), "messages.1.content: Field required"),
    "content a number": (after({"role": "user", "content": 5}), "messages.1.content: "),
    "content empty": (after({"role": "user", "content": ""}), "messages.1: "),
    "content empty list": (after(assistant(), HELLO), "messages.1: "),
    "content blank": (after({"role": "user", "content": " \n"}), "messages.1: "),
    "text empty": (after(user(text("x"), text(""))), "messages.1.content.1: "),
    "text blank": (after(user(text(" "))), "messages.1.content.0: "),
    "text no text": (after(user({"type": "text"})), "messages.1.content.0.text.text: "),
    "text with a key unknown": (
        after(user(text("x", parsed_output=None))),
        "messages.1.content.0.text.parsed_output: Extra inputs",
    ),
    "text of the user's with citations": (
        after(user(text("x", citations=[{"type": "char_location"}]))),
        "messages.1.content.0.text.citations: ",
    ),
    "block unknown": (after(user({"type": "tool"})), "messages.1.content.0: Input tag 'tool'"),
    "block no object": (after(user("x")), "messages.1.content.0: "),
    "document of the assistant's": (
        after(assistant({"type": "document", "source": {}}), HELLO),
        "messages.1.content.0: `document` blocks can only be in `user` messages",
    ),
    "system first": ({"messages": [SYSTEM, HELLO]}, "messages.0.role: "),
    "system after the assistant": (after(assistant(text("Hi")), SYSTEM), "messages.2: "),
    "system before the user": (after(SYSTEM, HELLO), "messages.1: "),
    "system twice": (after(SYSTEM, SYSTEM), "messages.2: "),
    "system between call and result": (
        {"messages": [HELLO, CALLED, SYSTEM, user(tool_result("toolu_1"))]},
        "messages.2: ",
    ),
    "prefill": (after(assistant(text("It is"))), "messages.1: This model does not support"),
    "prefill with trailing blanks": (after(assistant(text("It is "))), "messages.1: final"),
    # Tool calls and results.
    "call of the user's": (
        after(user(tool_use("toolu_1"))),
        "messages.1.content.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    "result of the assistant's": (
        after(assistant(tool_result("toolu_1"))),
        "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
    ),
    "call last": (after(CALLED), "messages.1: `tool_use` ids were found without"),
    "call unanswered": (after(CALLED, user(text("Well?"))), "messages.1: `tool_use` ids"),
    "call answered too late": (
        after(CALLED, HELLO, assistant(text("Hm")), user(tool_result("toolu_1"))),
        "messages.1: `tool_use` ids",
    ),
    "one of two calls unanswered": (
        after(assistant(tool_use("a"), tool_use("b")), user(tool_result("a"))),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.",
    ),
    "text before a result": (
        after(CALLED, user(text("Here:"), tool_result("toolu_1"))),
        "messages.1: `tool_use` ids",
    ),
    "result without a call": (
        after(user(tool_result("toolu_9"))),
        "messages.1.content.0: unexpected `tool_use_id`",
    ),
    "result of an older call": (
        after(
            *(CALLED, user(tool_result("toolu_1"))),
            *(assistant(tool_use("toolu_2")), user(tool_result("toolu_2"), tool_result("toolu_1"))),
        ),
        "messages.4.content.1: unexpected `tool_use_id`",
    ),
    "two results of a call": (
        after(CALLED, user(tool_result("toolu_1"), tool_result("toolu_1"))),
        "messages.2.content.1: each tool_use must have a single result",
    ),
    "two calls of one id": (
        after(assistant(tool_use("a"), tool_use("a")), user(tool_result("a"))),
        "messages: `tool_use` ids must be unique",
    ),
    "call with an odd id": (
        after(assistant(tool_use("a b")), user(tool_result("a b"))),
        "messages.1.content.0.tool_use.id: ",
    ),
    "input text": (
        after(assistant(tool_use("a", input="{")), user(tool_result("a"))),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    "call without a name": (
        after(assistant(tool_use("a", name="")), user(tool_result("a"))),
        "messages.1.content.0.tool_use.name: ",
    ),
    "call with a key unknown": (
        after(assistant(tool_use("a", index=0)), user(tool_result("a"))),
        "messages.1.content.0.tool_use.index: Extra inputs",
    ),
    "error without content": (
        after(CALLED, user(tool_result("toolu_1", is_error=True, content=""))),
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ),
    "error that is text": (
        after(CALLED, user(tool_result("toolu_1", is_error="no"))),
        "messages.2.content.0.tool_result.is_error: ",
    ),
    "result a number": (
        after(CALLED, user(tool_result("toolu_1", content=7))),
        "messages.2.content.0.tool_result.content: ",
    ),
    "result with empty text": (
        after(CALLED, user(tool_result("toolu_1", content=[text("")]))),
        "messages.2.content.0.tool_result.content.0: ",
    ),
    "result with a call in it": (
        after(CALLED, user(tool_result("toolu_1", content=[tool_use("b")]))),
        "messages.2.content.0.tool_result.content.0: ",
    ),
    "calls without tools": (
        {**after(CALLED, user(tool_result("toolu_1"))), "tools": None},
        "tools: Requests which include `tool_use`",
    ),
    # Tools.
    "tools no list": ({"tools": {}}, "tools: "),
    "tool no object": ({"tools": ["bash"]}, "tools.0: "),
    "tool of an unknown type": (
        {"tools": [{"type": "shell_1", "name": "x"}]},
        "tools.0: Input tag",
    ),
    "bash by another name": ({"tools": [{**BASH, "name": "sh"}]}, "tools.0.bash_20250124.name: "),
    "bash with a schema": (
        {"tools": [{**BASH, "input_schema": {"type": "object"}}]},
        "tools.0.bash_20250124.input_schema: Extra inputs",
    ),
    "tool without a name": ({"tools": [{"input_schema": {}}]}, "tools.0.custom.name: "),
    "tool with an odd name": ({"tools": [{**READ_DOCS, "name": "a.b"}]}, "tools.0.custom.name: "),
    "tool without a schema": ({"tools": [{"name": "x"}]}, "tools.0.custom.input_schema: Field"),
    "schema of no object": (
        {"tools": [BASH, {"name": "x", "input_schema": {"type": "string"}}]},
        "tools.1.custom.input_schema.type: ",
    ),
    "schema that is none": (
        {"tools": [schema(properties={"a": {"type": "text"}})]},
        "tools.0.custom.input_schema: JSON schema is invalid",
    ),
    "tool with a key unknown": (
        {"tools": [{**READ_DOCS, "func": 1}]},
        "tools.0.custom.func: Extra",
    ),
    "two tools of one name": (
        {"tools": [BASH, {**READ_DOCS, "name": "bash"}]},
        "tools: Tool names",
    ),
    "choice unknown": ({"tool_choice": {"type": "some"}}, "tool_choice.type: "),
    "choice of no tool": ({"tool_choice": {"type": "tool", "name": "x"}}, "tool_choice.name: "),
    "choice without tools": ({"tool_choice": {"type": "any"}, "tools": None}, "tool_choice: "),
    # Thinking.
    "thinking unknown": ({"thinking": {"type": "hard"}}, "thinking.type: "),
    "thinking that the model lacks": (
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        "thinking.type: 'enabled' is not supported by this model",
    ),
    "adaptive on an old model": (
        {"model": "claude-old", "thinking": ADAPTIVE},
        "thinking.type: 'adaptive' is not supported",
    ),
    "budget too small": (
        {"model": "claude-old", "thinking": {"type": "enabled", "budget_tokens": 1000}},
        "thinking.enabled.budget_tokens: ",
    ),
    "budget not below max_tokens": (
        {"model": "claude-old", "thinking": {"type": "enabled", "budget_tokens": 1024}},
        "max_tokens: `max_tokens` must be greater",
    ),
    "thinking with a forced tool": (
        {"thinking": ADAPTIVE, "tool_choice": {"type": "any"}},
        "tool_choice: Thinking may not be enabled",
    ),
    # Caching.
    "cache of another kind": ({"tools": [{**BASH, "cache_control": {"type": "x"}}]}, "tools.0."),
    "cache with another ttl": (
        {"system": [text("x", cache_control={"type": "ephemeral", "ttl": "2h"})]},
        "system.0.cache_control.ttl: ",
    ),
    "five caches": (
        {
            "tools": [BASH, {**READ_DOCS, **CACHED}],
            "system": [text("x", **CACHED)],
            **after(
                assistant(tool_use("a", **CACHED)),
                user(tool_result("a", content=[text("x", **CACHED)], **CACHED)),
            ),
        },
        "messages.2.content.0.cache_control: A maximum of 4 blocks with cache_control may be",
    ),
    "long cache after a short one": (
        {"tools": [{**BASH, **CACHED}], "system": [text("x", **LASTING)]},
        "system.0.cache_control: a ttl='1h' cache_control block must not come after",
    ),
}
"""What is changed in a good request, and how the refusal begins."""

TAKEN: dict[str, dict[str, Any]] = {
    "plain": {},
    "system": {"system": "Be brief."},
    "system blocks, cached": {"system": [text("Be brief.", **LASTING)]},
    "no tools": {"tools": None},
    "four caches": {
        "tools": [BASH, {**READ_DOCS, **LASTING}],
        "system": [text("x", **LASTING)],
        **after(CALLED, user(tool_result("toolu_1", **CACHED), text("Go on.", **CACHED))),
    },
    "cache at the top": {"cache_control": {"type": "ephemeral"}},
    "result empty": after(CALLED, user(tool_result("toolu_1", content=""))),
    "result without content": after(
        CALLED, user({"type": "tool_result", "tool_use_id": "toolu_1"})
    ),
    "error": after(CALLED, user(tool_result("toolu_1", is_error=True))),
    "result of blocks": after(CALLED, user(tool_result("toolu_1", content=[text("x")]))),
    "results in another order": after(
        assistant(text("Both."), tool_use("a"), tool_use("b")),
        user(tool_result("b"), tool_result("a"), text("And now?")),
    ),
    "results in two messages": after(
        assistant(tool_use("a"), tool_use("b")), user(tool_result("a")), user(tool_result("b"))
    ),
    "user twice": after(HELLO),
    "call with a caller": after(
        assistant(tool_use("a", caller={"type": "direct"})), user(tool_result("a"))
    ),
    "call of a tool that is not there": after(
        assistant(tool_use("a", name="none")), user(tool_result("a", is_error=True))
    ),
    "system last": after(SYSTEM),
    "adaptive": {"thinking": ADAPTIVE, "tool_choice": {"type": "auto"}},
    "display": {"thinking": {"type": "adaptive", "display": "summarized"}},
    "budget": {
        "model": "claude-old",
        "max_tokens": 2048,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    },
    "prefill": {"model": "claude-old", **after(assistant(text("It is")))},
    "forced tool": {"tool_choice": {"type": "tool", "name": "bash"}},
    "metadata": {"metadata": {"user_id": "x"}, "stop_sequences": ["END"]},
}
"""What is changed in a good request, which stays good."""
