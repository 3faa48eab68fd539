"""
Formats of logs that other programs write and read: one folder each, with model, reader, writer and
checker.

Everything here reads files of strangers: bytes are decoded strictly, sizes and depths are bounded,
and nothing that a file names is opened or fetched. Messages may quote a file; who prints them makes
the quotes visible.
"""
