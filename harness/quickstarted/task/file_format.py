"""
From a YAML file to a model, or to everything that is wrong with the file at once.

The way of all files that people write for this program: every mistake has its line, column and
key, and all of a file are reported together.
"""

from __future__ import annotations

import hashlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from quickstarted.errors import FileInvalid
from quickstarted.task.loading import Loading, read_bounded
from quickstarted.task.problems import MAX_PROBLEMS, model_flaws, shown
from quickstarted.task.source import START, Position, TaskSource, dotted, printable
from quickstarted.task.yaml_nodes import Flaw, YamlBroken
from quickstarted.task.yaml_reader import Document, read_yaml

_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML 1.2.2 (section 5.1) does not allow in a file."""

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat(Generic[_Model]):
    """One kind of file."""

    model: type[_Model]
    invalid: type[FileInvalid]
    """Raised with all that is wrong with a file."""
    shape: str
    """What a file of the kind is, for one that is nothing of the sort: `a task is a map ...`."""
    size: str
    """The same, for one that is too large."""

    def read(self, path: Path) -> bytes:
        """
        Read the file.

        Raises:
            FileInvalid: It is not there, cannot be read, or is too large; of the kind `invalid`.

        """
        try:
            if not path.is_file():
                what = "is not a file" if path.exists() else "there is no file"
                raise self.invalid([f"{path}: {what}"])
            return read_bounded(path)
        except OSError as exc:
            raise self.invalid([f"{path}: cannot be read: {exc.strerror}"]) from exc
        except ValueError as exc:
            raise self.invalid([f"{path}: is larger than 1 MB: {self.size}"]) from exc

    def parse(self, data: bytes, path: Path) -> tuple[_Model, TaskSource]:
        """
        Read a model from the bytes of its file.

        Args:
            data: YAML in UTF-8, with or without a byte order mark.
            path: Where it stands; messages name it, and relative paths start in its folder.

        Raises:
            FileInvalid: With all that is wrong with it; of the kind `invalid`.

        """
        text = decoded(data, path, self.invalid)
        try:
            document = read_yaml(text)
        except YamlBroken as exc:
            raise self.invalid(flaw_lines(path, [exc.flaw])) from exc
        if not isinstance(document.value, dict):
            what = "is empty" if document.value is None else f"is {shown(document.value)}"
            flaw = Flaw(START, (), f"the file {what}: {self.shape}")
            raise self.invalid(flaw_lines(path, [*document.flaws, flaw]))
        source = TaskSource(path, hashlib.sha256(data).hexdigest(), text, document.positions)
        return self._validated(document, source), source

    def _validated(self, document: Document, source: TaskSource) -> _Model:
        flaws = list(document.flaws)
        model: _Model | None = None
        try:
            model = self.model.model_validate(document.value, context=Loading(source.folder))
        except ValidationError as exc:
            flaws.extend(model_flaws(exc, document, self.model))
        if flaws or model is None:
            raise self.invalid(flaw_lines(source.path, flaws))
        return model


def decoded(data: bytes, path: Path, invalid: type[FileInvalid] = FileInvalid) -> str:
    """
    The text of a file: UTF-8, without a byte order mark, and nothing that YAML does not allow.

    Raises:
        FileInvalid: With the place of what is not; of the kind *invalid*.

    """
    try:
        text = data.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as exc:
        offset = exc.start + len(data) - len(exc.object)
        raise invalid(flaw_lines(path, [_encoding_flaw(data, offset)])) from exc
    if bad := _NOT_PRINTABLE.search(text):
        message = f"contains the control character U+{ord(bad.group()):04X}: remove it"
        flaw = Flaw(_text_position(text[: bad.start()]), (), message)
        raise invalid(flaw_lines(path, [flaw]))
    return text


def flaw_lines(path: Path, flaws: Iterable[Flaw]) -> list[str]:
    """*flaws* in the order of the file *path*, each as `FILE:LINE:COLUMN KEY: WHY`."""
    ordered = sorted(flaws, key=lambda flaw: flaw.position)
    lines = []
    for flaw in ordered[:MAX_PROBLEMS]:
        key = f" {dotted(flaw.key)}" if flaw.key else ""
        place = f"{path}:{flaw.position.line}:{flaw.position.column}"
        lines.append(f"{place}{key}: {printable(flaw.message)}")
    if len(ordered) > MAX_PROBLEMS:
        lines.append(f"{path}: and {len(ordered) - MAX_PROBLEMS} more")
    return lines


def _encoding_flaw(data: bytes, offset: int) -> Flaw:
    guess = " (it looks like UTF-16)" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else ""
    message = f"not UTF-8: byte 0x{data[offset]:02x} at offset {offset}{guess}; save it as UTF-8"
    return Flaw(_text_position(data[:offset].decode("utf-8-sig")), (), message)


def _text_position(before: str) -> Position:
    return Position(before.count("\n") + 1, len(before) - before.rfind("\n"))
