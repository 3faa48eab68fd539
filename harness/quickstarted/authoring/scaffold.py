"""
The text of a new task file: valid as it is written, and with a check that cannot pass by itself.

Whatever a page or a person said goes through the YAML library, or stands in a comment on lines of
its own; the task loader reads the result before anybody gets it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quickstarted.authoring.draft import Check, Draft
from quickstarted.authoring.yaml_text import commented, commented_out, dumped
from quickstarted.task import parse_task

SCHEMA_NAME = "task.schema.json"
"""Beside the task file; editors read the path as relative to it."""
SCHEMA_LINE = f"# yaml-language-server: $schema={SCHEMA_NAME}\n"

Section = tuple[Iterable[str], Mapping[str, Any]]


def task_text(draft: Draft, path: Path) -> str:
    """
    Write *draft* as the file that will stand at *path*.

    Raises:
        TaskInvalid: It would not be a valid task, e.g. because a folder that it names is not there.

    """
    parts = [SCHEMA_LINE + commented(_head(draft, path))]
    parts += [
        commented(comments) + (dumped(values) if values else "")
        for comments, values in _sections(draft, path)
    ]
    if draft.suggested and not draft.replay:
        parts.insert(-1, commented(_SUGGESTED) + commented_out({"replay": list(draft.suggested)}))
    text = "\n".join(part for part in parts if part)
    parse_task(text.encode(), path)
    return text


def _head(draft: Draft, path: Path) -> list[str]:
    shown = shlex.quote(str(path))
    lines = [f"A task for {draft.url}"]
    if draft.problem:
        lines.append(f"The page could not be read when this file was made: {draft.problem}")
    return [
        *lines,
        "",
        "Go through it from top to bottom; then",
        f"  quickstarted validate {shown} --prove",
        "shows that the check fails before anything is done and passes after `replay`.",
    ]


def _sections(draft: Draft, path: Path) -> list[Section]:
    docs: dict[str, Any] = {"path": [draft.url]}
    if draft.docs_allow:
        docs["allow"] = list(draft.docs_allow)
    if draft.sites:
        docs["sites"] = dict(draft.sites)
    sections: list[Section] = [
        ((), {"name": draft.name}),
        (_GOAL, {"goal": draft.goal or _goal_from(draft.title)}),
        (_docs_comments(draft), {"docs": docs}),
    ]
    if draft.image:
        sections.append(((), {"image": draft.image}))
    if draft.network_allow or draft.network_comments:
        allow = {"network": {"allow": list(draft.network_allow)}} if draft.network_allow else {}
        sections.append((draft.network_comments, allow))
    if draft.replay:
        sections.append((draft.replay_comments, {"replay": list(draft.replay)}))
    elif draft.replay_comments:
        sections.append((draft.replay_comments, {}))
    check = draft.check or _unwritten(path)
    sections.append((check.comments, {"success": dict(check.values)}))
    return sections


_GOAL = (
    "All that the agent is told apart from the pages. Say what a reader should have at the end,",
    "and where: names of files and folders that the check looks for.",
)
_SUGGESTED = (
    "The shell commands of the page. Remove the leading `# `, and what a reader would not run;",
    "write files with a heredoc. `replay` tests the task itself, without a model.",
)


def _goal_from(title: str) -> str:
    page = f'the page "{title}"' if title else "the documentation"
    return f"Do what {page} describes, so that the outcome that it promises is reached."


def _docs_comments(draft: Draft) -> list[str]:
    lines = ["The pages that a reader takes, in order. Each host on the path may be read."]
    if draft.docs_allow:
        lines.append("`allow`: the page redirects there.")
    return lines


def _unwritten(path: Path) -> Check:
    script = (
        "# Replace this by what shows that the outcome was reached. Say why where it was not:\n"
        '#   test -f app.py || qs_fail "there is no app.py in the workspace"\n'
        '#   .venv/bin/python app.py > printed || qs_fail "app.py does not run"\n'
        f'qs_fail "the check of this task has not been written yet ({_in_quotes(path.name)})"\n'
    )
    return Check(
        values={"script": script},
        comments=("Runs after the agent has stopped; its exit code is the verdict.",),
    )


def _in_quotes(text: str) -> str:
    """*text* as it can stand between double quotes of a shell script."""
    return "".join(f"\\{char}" if char in '\\"$`' else char for char in text)
