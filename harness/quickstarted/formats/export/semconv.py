"""
Names of OpenTelemetry's semantic conventions, in one place: those of GenAI still change.

From open-telemetry/semantic-conventions-genai v0.1.0, all of it in development, and for HTTP,
processes and services from open-telemetry/semantic-conventions.
"""

from __future__ import annotations

GEN_AI_VERSION = "0.1.0"

SERVICE_NAME = "service.name"
SERVICE_VERSION = "service.version"
ERROR_TYPE = "error.type"
EXIT_CODE = "process.exit.code"
WORKING_DIRECTORY = "process.working_directory"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"
HTTP_METHOD = "http.request.method"
HTTP_METHOD_ORIGINAL = "http.request.method_original"
HTTP_STATUS = "http.response.status_code"
HTTP_REQUEST_BYTES = "http.request.body.size"
HTTP_RESPONSE_BYTES = "http.response.body.size"
URL_PATH = "url.path"
URL_QUERY = "url.query"
URL_FULL = "url.full"

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION_ID = "gen_ai.conversation.id"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
OUTPUT_MESSAGES = "gen_ai.output.messages"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
"""Cached ones and those written to the cache counted in."""
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"

INVOKE_AGENT = "invoke_agent"
CHAT = "chat"
EXECUTE_TOOL = "execute_tool"

HTTP_METHODS = frozenset(
    "CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE".split()  # noqa: SIM905 (readable)
)
OTHER_METHOD = "_OTHER"
NONZERO_EXIT = "nonzero_exit"
"""`error.type` of commands; the code itself is `process.exit.code`."""

FINISHES = {
    "tool_use": "tool_call",
    "tool_calls": "tool_call",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
}
"""What vendors call the end of a turn, and what `gen_ai.output.messages` calls it."""

PROVIDERS = {
    "claude": "anthropic",
    "claude-code": "anthropic",
    "openai": "openai",
    "codex": "openai",
    "gemini": "gcp.gemini",
}
"""By the kind of the agent; of others the trace does not say who served the model."""


def provider_of(agent: str) -> str | None:
    """Who serves the models of *agent* (`KIND` or `KIND:MODEL`); None where that is not known."""
    return PROVIDERS.get(agent.partition(":")[0])
