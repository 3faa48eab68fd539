"""Attempts on disk: found again, compared, locked, joined."""

from quickstarted.records.call import CallRecord, read_call
from quickstarted.records.documents import Unreadable
from quickstarted.records.folder import Folder, Opening, open_folder
from quickstarted.records.index import Index, index_of

__all__ = [
    "CallRecord",
    "Folder",
    "Index",
    "Opening",
    "Unreadable",
    "index_of",
    "open_folder",
    "read_call",
]
