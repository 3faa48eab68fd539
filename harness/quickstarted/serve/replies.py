"""What the server answers, as models; the OpenAPI document is made from them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Problem(_Reply):
    """Why a request was refused."""

    code: str = Field(description="Stable, for programs.")
    message: str = Field(description="What is wrong, and where.")
    hint: str = Field(description="What to do about it; may be empty.")
    byte_offset: int | None = Field(
        default=None, description="Of the first byte that is not UTF-8, from 0."
    )


class ProblemReply(_Reply):
    """A request that was refused; nothing was stored."""

    error: Problem


class Summary(_Reply):
    """One stored trajectory. Texts of more than 500 characters are cut; it has them whole."""

    id: str = Field(description="Made by the server from the trace_id; never changes.")
    url: str
    trace_id: str
    task_id: str | None
    goal: str | None
    framework: str | None
    converter: str = Field(description="`native`, or the format it was converted from.")
    why: str = Field(description="Why it was taken for that.")
    where: str = Field(description="Its place in the upload: `item 2`, `line 3`, `file`.")
    events: int
    bytes: int = Field(description="Of the stored document.")
    artifacts: int = Field(description="Files beside it that its events refer to.")
    content_sha256: str = Field(
        description="Of the content; two uploads of one trajectory have the same."
    )
    stored_at: str


class Stored(_Reply):
    """One trajectory that this upload has added."""

    id: str
    url: str
    trace_id: str
    converter: str = Field(description="`native`, or the format it was converted from.")
    why: str
    where: str
    events: int


class Duplicate(_Reply):
    """One trajectory whose trace_id is taken; what is stored stays as it is."""

    id: str = Field(description="Of the one that is stored.")
    url: str
    trace_id: str
    converter: str
    where: str
    same: Literal["content", "trace_id"] = Field(
        description="`content`: it is the one that is stored. `trace_id`: it is another."
    )
    message: str


class ItemError(_Reply):
    """One item of an upload that was of no use."""

    where: str
    message: str
    hint: str


class ItemNote(_Reply):
    """Something that was mended or could not be kept, and how often."""

    where: str
    note: str
    count: int


class UploadReply(_Reply):
    """What became of an upload; one bad item does not lose the others."""

    format: str | None = Field(
        description="Of the stream that the body is; `each` where every item is a run by itself."
    )
    stored: list[Stored]
    duplicates: list[Duplicate]
    errors: list[ItemError] = Field(description="The first 100.")
    error_count: int
    notes: list[ItemNote] = Field(description="The first 100 kinds.")


class ListReply(_Reply):
    """A page of what is stored, by id."""

    trajectories: list[Summary]
    next: str | None = Field(description="The address of the next page; null on the last one.")
