"""The content of messages: text, parts of many vendors' kinds, and files that are inside of it."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import Any

from quickstarted.formats.trajectory.importing.run import Run
from quickstarted.formats.trajectory.importing.values import Fields, is_one_of, joined

_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w=.+-]+)*),", re.ASCII | re.IGNORECASE)
_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "audio/wav": ".wav",
    "audio/mpeg": ".mp3",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
}
_TEXT_KINDS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text"})
_FILE_KINDS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
}


@dataclass(slots=True)
class Content:
    """
    What a content has in it.

    Attributes:
        texts: In order.
        others: Parts that are neither texts nor files, as they stand, with their kind.
        native: What parts have beside their text or file.

    """

    texts: list[str] = field(default_factory=list)
    others: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    native: list[Any] = field(default_factory=list)

    @property
    def output(self) -> Any:
        """The texts: one as it is, several as a list."""
        return joined(self.texts)

    @property
    def text(self) -> str | None:
        """All texts in one."""
        return "\n".join(self.texts) or None

    @property
    def rest(self) -> dict[str, Any]:
        """For an event's `native`."""
        others = [part for _, part in self.others]
        return {"parts": [*others, *self.native]} if others or self.native else {}


def read_content(content: Any, run: Run) -> Content:
    """What *content*, a string or a list of parts, has in it; files in it become attachments."""
    made = Content()
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        if isinstance(part, str):
            made.texts.append(part)
        elif isinstance(part, dict):
            _read_part(part, made, run)
        elif part is not None:
            made.native.append(part)
    return made


def _read_part(part: dict[str, Any], made: Content, run: Run) -> None:
    kind = part.get("type")
    fields = Fields(part)
    text = fields.text("text") if kind is None or is_one_of(kind, _TEXT_KINDS) else None
    if text is not None:
        made.texts.append(text)
        fields.drop("type")
        left = {key: value for key, value in fields.left.items() if value not in ([], {})}
        if left:
            made.native.append(left)
        return
    artifact = _artifact(part, _FILE_KINDS[kind], run) if is_one_of(kind, _FILE_KINDS) else None
    if artifact is not None:
        made.artifacts.append(artifact)
    else:
        made.others.append((kind if isinstance(kind, str) else "", part))


def _artifact(part: dict[str, Any], modality: str, run: Run) -> dict[str, Any] | None:
    """The artifact that *part* is; None where it does not say what it holds."""
    fields = Fields(part)
    fields.drop("type")
    holder = next((k for k in ("image_url", "source", "input_audio", "file") if k in fields), "")
    inner = fields.part(holder) if isinstance(part.get(holder), dict) else fields
    media_type = inner.text("media_type", "mime_type")
    uri = inner.text("url", "image_url", "path", "file_id", "uri")
    data = inner.text("data", "file_data")
    if uri is None and data is None:
        return None
    form = inner.text("format")
    if media_type is None and form is not None and modality == "audio":
        media_type = f"audio/{form}"
    if inner is not fields:
        inner.drop("type")
    found = _located(uri, data, media_type, run)
    if found is None:
        return None
    return artifact(found[0], modality, found[1], fields.left)


def artifact(
    uri: str, modality: str, media_type: str | None, metadata: dict[str, Any]
) -> dict[str, Any]:
    """An artifact with all fields of the format."""
    return {
        "uri": uri,
        "modality": modality,
        "media_type": media_type,
        "description": None,
        "metadata": metadata,
    }


def _located(
    uri: str | None, data: str | None, media_type: str | None, run: Run
) -> tuple[str, str | None] | None:
    """Where the file is, and its type; what is inside of the source becomes an attachment."""
    if uri is None and data is not None and data.lower().startswith("data:"):
        uri, data = data, None
    if data is None and uri is not None:
        shape = _DATA_URI.match(uri)
        if shape is None:
            return None if uri.lower().startswith("data:") else (uri, media_type)
        media_type = shape[1] or media_type
        if "base64" not in shape[2].lower():
            return None
        data = uri[shape.end() :]
    try:
        content = base64.b64decode(data or "", validate=True)
    except (binascii.Error, ValueError):
        return None
    return run.attach(content, _SUFFIXES.get((media_type or "").lower(), ".bin")), media_type
