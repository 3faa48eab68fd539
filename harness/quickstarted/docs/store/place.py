"""Where pages are kept between runs, and how much: the flag, the environment, the default."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from quickstarted.docs.options import DEFAULT_MAX_BYTES
from quickstarted.errors import UsageError
from quickstarted.task.scalars import DataSize

SIZE_VARIABLE = "QUICKSTARTED_DOCS_CACHE_SIZE"


def configured_cache(
    environ: Mapping[str, str], cache_dir: Path | None = None
) -> tuple[Path | None, int]:
    """
    Say which folder is to be used, and how many bytes of pages may be in it.

    Args:
        environ: `XDG_CACHE_HOME`, `HOME` and the size; a size of 0 means that nothing is kept.
        cache_dir: As the call names it; it counts also where the size is 0.

    Returns:
        None for the folder where nothing is kept between runs.

    Raises:
        UsageError: The size is none, or the folder is a file.

    """
    max_bytes = _max_bytes(environ)
    folder = cache_dir or default_folder(environ)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"the documentation cache {folder} is not a folder")
    if max_bytes == 0:
        return (cache_dir, DEFAULT_MAX_BYTES)
    return folder, max_bytes


def default_folder(environ: Mapping[str, str]) -> Path:
    """`$XDG_CACHE_HOME/quickstarted/docs`; a relative path there does not count (XDG base dirs)."""
    named = Path(environ.get("XDG_CACHE_HOME", ""))
    base = named if named.is_absolute() else Path(environ.get("HOME") or Path.home()) / ".cache"
    return base / "quickstarted" / "docs"


def _max_bytes(environ: Mapping[str, str]) -> int:
    text = environ.get(SIZE_VARIABLE, "").strip()
    if not text:
        return DEFAULT_MAX_BYTES
    if text == "0":
        return 0
    try:
        return TypeAdapter(DataSize).validate_python(text)
    except ValidationError as exc:
        raise UsageError(
            f"{SIZE_VARIABLE}={text} is not a size", hint="Write it as 500m or 2g; 0 keeps nothing."
        ) from exc
