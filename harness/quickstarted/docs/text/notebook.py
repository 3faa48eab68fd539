"""
Jupyter notebooks as Markdown: text cells as they are, code cells and their output as fences.

The format is nbformat 4 (https://nbformat.readthedocs.io/en/latest/format_description.html).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quickstarted.docs.text.writer import Writer


def notebook_text(source: str) -> str | None:
    """
    Read a notebook.

    Returns:
        Markdown; None where *source* is no notebook, whatever it is called.

    """
    try:
        notebook = json.loads(source)
    except (ValueError, RecursionError):
        return None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not isinstance(notebook.get("nbformat"), int):
        return None
    language = _language(notebook.get("metadata"))
    writer = Writer()
    for cell in cells:
        if isinstance(cell, dict):
            _write(writer, cell, language)
    return writer.text()


def _write(writer: Writer, cell: dict[str, Any], language: str) -> None:
    text = _joined(cell.get("source"))
    if cell.get("cell_type") != "code":
        if text.strip():
            writer.gap(2)
            writer.verbatim(text.strip("\n"))
        return
    if text.strip():
        writer.code(language, text)
    for output in _outputs(cell.get("outputs")):
        writer.code("", output)


def _outputs(outputs: object) -> Iterator[str]:
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        plain = data.get("text/plain") if isinstance(data, dict) else None
        text = _joined(output.get("text") or plain)
        if text.strip():
            yield text


def _joined(lines: object) -> str:
    """A multi-line string, which is one or a list of its lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


def _language(metadata: object) -> str:
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name.lower() if isinstance(name, str) and name.isalnum() else "python"
