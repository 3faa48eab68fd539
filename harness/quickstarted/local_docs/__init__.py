"""
Local documentation that an agent read, as far as its commands show it: help, manuals, packages.

An indication and not a record: a program can read a file without its command saying so. The record
of pages (`docs_fetch`) is complete for remote documentation. Nothing is looked at but commands and
what they printed, so a trace of another machine gives the same answer.
"""

from quickstarted.local_docs.readings import Kind, LocalDoc, LocalDocs

__all__ = ["Kind", "LocalDoc", "LocalDocs"]
