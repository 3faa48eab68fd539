"""A sidecar's reports of calls of models."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from quickstarted.errors import EventStreamFault
from quickstarted.events import Usage
from quickstarted.sandbox.protocol import ModelCall
from quickstarted_proxy.model_apis import Vendor


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _Reported:
    ts: float
    host: str
    vendor: Vendor
    path: str
    status: int | None
    duration: float
    scope: int
    model: str
    stop_reason: str
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    error: str
    counted: bool
    refused: str


_REPORTED = TypeAdapter(_Reported)


def read_model_call(report: dict[str, Any], clock_offset_s: float) -> ModelCall:
    """
    Read a `model_call`.

    Args:
        report: As it came.
        clock_offset_s: The sidecar's clock minus ours.

    Raises:
        EventStreamFault: It is not what the control protocol says.

    """
    try:
        said = _REPORTED.validate_python(report.get("call"))
    except ValidationError as exc:
        raise EventStreamFault(f"the sidecar reported no call of a model: {exc}") from exc
    return ModelCall(
        ts=said.ts - clock_offset_s,
        host=said.host,
        vendor=said.vendor,
        path=said.path,
        status=said.status,
        duration=said.duration,
        model=said.model,
        stop_reason=said.stop_reason,
        usage=Usage(
            input_tokens=said.input_tokens,
            output_tokens=said.output_tokens,
            cache_write_tokens=said.cache_write_tokens,
            cache_read_tokens=said.cache_read_tokens,
        ),
        counted=said.counted,
        error=said.error,
        refused=said.refused,
    )
