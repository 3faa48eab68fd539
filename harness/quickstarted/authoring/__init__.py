"""
Writing tasks: from the URL of a quickstart, or from a person doing it once, to a task file.

`draft` is what a task file will say and `scaffold` writes it; `page` and `recording` find out what
it could say. What comes out is read back by the task loader before anything is on disk.
"""
