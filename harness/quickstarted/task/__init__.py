"""
Task files: the format as models, the reader with positions, and what is derived from them.

`model` and its parts (`access`, `limits`, `success`, `scalars`, `hosts`) are the format;
`yaml_reader`, `problems`, `file_format` and `load` turn a file into a `Task` or into all that is
wrong with it.
"""

from quickstarted.task.access import DocsSpec, NetworkSpec, SecretSpec, Site
from quickstarted.task.find import find_tasks
from quickstarted.task.hosts import HostPort
from quickstarted.task.limits import Budgets, Resources
from quickstarted.task.load import load_task, parse_task, with_sites
from quickstarted.task.model import FROM_DOCS, Task
from quickstarted.task.source import KeyPath, Position, TaskSource, dotted
from quickstarted.task.success import CheckFile, ExpectOutput, Success, WaitHttp
from quickstarted.task.support import not_yet_supported

__all__ = [
    "FROM_DOCS",
    "Budgets",
    "CheckFile",
    "DocsSpec",
    "ExpectOutput",
    "HostPort",
    "KeyPath",
    "NetworkSpec",
    "Position",
    "Resources",
    "SecretSpec",
    "Site",
    "Success",
    "Task",
    "TaskSource",
    "WaitHttp",
    "dotted",
    "find_tasks",
    "load_task",
    "not_yet_supported",
    "parse_task",
    "with_sites",
]
