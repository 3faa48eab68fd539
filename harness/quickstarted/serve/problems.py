"""Every way in which a request is refused: status, code, and what the client is told."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field

from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES
from quickstarted.serve.replies import Problem, ProblemReply

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_ENCODINGS = {
    "gzip": ("compressed (gzip)", "Unpack it first: gzip -d FILE"),
    "utf16": ("UTF-16 or UTF-32", "Convert it first: iconv -f UTF-16 -t UTF-8 FILE"),
}
_LATER = {"retry-after": "5"}


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """A request that is answered with a problem."""

    status: int
    code: str
    message: str
    hint: str = ""
    byte_offset: int | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def reply(self) -> ProblemReply:
        """The body of the answer."""
        return ProblemReply(
            error=Problem(
                code=self.code,
                message=self.message,
                hint=self.hint,
                byte_offset=self.byte_offset,
            )
        )


def too_large() -> Refusal:
    """The body has more bytes than an upload takes."""
    return Refusal(
        413,
        "too-large",
        f"the body has more than {MAX_UPLOAD_BYTES:,} bytes",
        "Upload fewer trajectories at a time.",
    )


def too_slow(received_bytes: int) -> Refusal:
    """The body stopped coming, or comes too slowly."""
    return Refusal(
        408,
        "too-slow",
        f"the body came too slowly; {received_bytes:,} bytes of it were received",
        "Upload again; nothing was stored.",
    )


def not_utf8(byte_offset: int, byte: int | None) -> Refusal:
    """The body is no UTF-8; *byte* is None where it ends in the middle of a character."""
    what = "the body ends in the middle of a character"
    if byte is not None:
        what = f"the byte at offset {byte_offset:,} is 0x{byte:02x}"
    return Refusal(
        400,
        "not-utf8",
        f"the body is not UTF-8: {what}",
        "Convert it to UTF-8 first.",
        byte_offset,
    )


def wrong_encoding(code: str, byte_offset: int | None) -> Refusal:
    """The first bytes show that the body is no UTF-8 text; *code* is `gzip` or `utf16`."""
    message, hint = _ENCODINGS[code]
    return Refusal(400, code, f"the body is {message}, and must be UTF-8", hint, byte_offset)


def content_encoding(given: str) -> Refusal:
    """The body is compressed, or said to be."""
    return Refusal(
        415,
        "content-encoding",
        f"Content-Encoding is {quote(given)}; bodies are taken as they are",
        "Send it uncompressed, without Content-Encoding.",
        headers={"accept-encoding": "identity"},
    )


def content_type(given: str) -> Refusal:
    """The body is said to be something else."""
    return Refusal(
        415,
        "content-type",
        f"Content-Type is {quote(given)}; uploads are JSON or JSON Lines in UTF-8",
        "Send Content-Type: application/json, or application/x-ndjson.",
        headers={"accept": "application/json, application/x-ndjson"},
    )


def bad_parameter(name: str, given: str, must: str) -> Refusal:
    """A parameter of the query is not what it must be."""
    return Refusal(400, "bad-parameter", f"{name} is {quote(given)}, and must be {must}")


def wrong_host(given: str | None) -> Refusal:
    """The request is for another server, as after DNS rebinding."""
    said = "there is no Host header" if given is None else f"Host is {quote(given)}"
    return Refusal(
        421,
        "wrong-host",
        f"{said}, and not the address of this server",
        "Use the address that `quickstarted serve` printed.",
    )


def cross_site() -> Refusal:
    """A page of another site has a browser send this."""
    return Refusal(
        403,
        "cross-site",
        "the request comes from a page of another site",
        "Pages may not use this server; programs send no Origin and no Sec-Fetch-Site.",
    )


def no_token(*, is_given: bool) -> Refusal:
    """The token is missing, or another one."""
    return Refusal(
        401,
        "token-wrong" if is_given else "token-missing",
        "the token is not this server's" if is_given else "the request has no token",
        "Send Authorization: Bearer TOKEN, with the server's QUICKSTARTED_SERVE_TOKEN.",
        headers={"www-authenticate": "Bearer"},
    )


def no_such_path() -> Refusal:
    """Nothing is at the path."""
    return Refusal(
        404, "not-found", "there is nothing at this path", "GET /api/v1/openapi.json has all paths."
    )


def no_such_trajectory() -> Refusal:
    """No trajectory has the id, or no artifact the name."""
    return Refusal(
        404,
        "no-such-trajectory",
        "nothing is stored under this id",
        "GET /api/v1/trajectories lists what is; ?trace_id= finds one by its trace_id.",
    )


def wrong_method(allowed: str) -> Refusal:
    """The path has other methods."""
    return Refusal(405, "method", f"this path takes {allowed} only", headers={"allow": allowed})


def busy(uploads: int) -> Refusal:
    """Too many uploads are under way."""
    return Refusal(
        503,
        "busy",
        f"{uploads} uploads are under way already",
        "Try again in a few seconds.",
        headers=_LATER,
    )


def crowded(connections: int) -> Refusal:
    """Too many connections are open."""
    return Refusal(
        503,
        "crowded",
        f"{connections} connections are open already",
        "Try again in a few seconds.",
        headers=_LATER,
    )


def ending() -> Refusal:
    """The server is told to end, and its patience is over."""
    return Refusal(
        503,
        "ending",
        "the server is ending",
        "Upload again when it is back; what is stored already is then reported as a duplicate.",
        headers=_LATER,
    )


def storage(cause: BaseException | None) -> Refusal:
    """The disk takes nothing; which file it was is in the server's log only."""
    if isinstance(cause, OSError) and cause.errno in _FULL:
        return Refusal(
            507,
            "disk-full",
            "the server's disk is full",
            "Free some disk space on the server, or start it with --out on another disk, and upload"
            " again; what is stored already is then reported as a duplicate.",
        )
    return Refusal(
        503,
        "storage",
        "the server cannot write to its folder",
        "The server's log says why. Upload again when it is mended; what is stored already is then"
        " reported as a duplicate.",
        headers=_LATER,
    )


def fault() -> Refusal:
    """This program is at fault."""
    return Refusal(
        500, "fault", "this is a fault of quickstarted itself", "The server's log says where."
    )


def not_http() -> Refusal:
    """The bytes of the connection are no request."""
    return Refusal(400, "not-http", "this is no request of HTTP/1.1")
