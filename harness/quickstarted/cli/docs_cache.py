"""What `quickstarted cache` says and does of pages of documentation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from quickstarted.docs import configured_cache
from quickstarted.docs.store import Store
from quickstarted.docs.store.place import default_folder
from quickstarted.errors import StorageFault


def docs_store(cache_dir: Path | None) -> Store:
    """
    The store that runs from here would use; its folder is also looked after when it is off.

    Raises:
        UsageError: Size or folder are none.

    """
    folder, max_bytes = configured_cache(os.environ, cache_dir)
    return Store(folder or default_folder(os.environ), max_bytes)


def docs_facts(store: Store) -> dict[str, Any]:
    """As the JSON document has them."""
    usage = store.usage()
    return {
        "folder": str(store.folder),
        "max_bytes": store.max_bytes,
        "pages": usage.pages,
        "bytes": usage.body_bytes,
        "hosts": usage.hosts,
    }


def docs_lines(store: Store, size: Callable[[int], str]) -> Iterator[str]:
    """As a person reads them."""
    usage = store.usage()
    yield f"docs    {store.folder}"
    yield f"kept    {usage.pages} pages, {size(usage.body_bytes)} of {size(store.max_bytes)}"
    for host, count in sorted(usage.hosts.items(), key=lambda one: -one[1]):
        yield f"  {count:6} pages  {host}"


def clear_docs(store: Store) -> str:
    """
    Remove all pages, and say so.

    Raises:
        StorageFault: They cannot be removed.

    """
    try:
        pages = store.clear()
    except OSError as exc:
        raise StorageFault(f"{store.folder} cannot be cleared: {exc.strerror}") from exc
    return f"removed {pages} pages from {store.folder}" if pages else "no pages were kept"
