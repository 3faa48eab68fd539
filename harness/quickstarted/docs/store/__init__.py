"""Pages as they came, kept on disk between runs and shared by processes."""

from quickstarted.docs.store.place import configured_cache
from quickstarted.docs.store.records import NoStore, StoredPage
from quickstarted.docs.store.store import Key, Store, Usage

__all__ = ["Key", "NoStore", "Store", "StoredPage", "Usage", "configured_cache"]
