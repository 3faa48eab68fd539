"""
What the commands of a task name and its documentation does not.

Words of commands have to stand on a page of the path as words, lines of here documents as lines.
What every reader brings along is in `EVERY_READER_KNOWS`, what a machine is prepared with in
`SETUP_NEEDS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from examples.cases import Case
from examples.fetching import folder_of
from quickstarted.docs import DocsClient, DocsRules, Page, Site
from quickstarted.task import Task
from quickstarted.task.findings.shell import parse, text_of, walk

_MAKING_A_FILE = "how an editor's work is written down as a command"
_AN_ENVIRONMENT = "how Python's own tutorial makes and enters a virtual environment"

EVERY_READER_KNOWS = {
    "cd": "how a shell changes the folder",
    "mkdir": "how a shell makes a folder",
    "cat": _MAKING_A_FILE,
    "printf": "how answers that a person types become a command",
    "%s\\n": "how answers that a person types become a command",
    "python3": "Python's name where Python 2 may be about",
    "venv": _AN_ENVIRONMENT,
    ".venv": _AN_ENVIRONMENT,
    ".venv/bin/activate": _AN_ENVIRONMENT,
    "-m": "how Python runs a module",
}

_THE_ARCHIVE = "how the distribution's archive is asked; what is installed has to be named"

SETUP_NEEDS = {
    "apt-get": _THE_ARCHIVE,
    "update": _THE_ARCHIVE,
    "install": _THE_ARCHIVE,
    "--yes": _THE_ARCHIVE,
    "--no-install-recommends": _THE_ARCHIVE,
}

_WORD = re.compile(r"""[^\s;|&<>(){}"'`$=,]+""")
_IN_ENVIRONMENT = re.compile(r"^(?:\./)?\.venv/bin/(?!activate$)")


def pages_of(task: Task, case: Case) -> str:
    """
    The text of every page on the path, whole, as an agent reads it.

    Raises:
        AssertionError: A page cannot be read.

    """
    folders = [(source.prefix, folder_of(source)) for source in case.docs]
    folders += [(prefix, site.folder) for prefix, site in task.docs.sites.items() if site.folder]
    sites = tuple(Site(prefix=prefix, folder=folder) for prefix, folder in folders)
    with DocsClient(DocsRules(allow_hosts=(), sites=sites)) as client:
        return "\n".join(text for url in task.docs.route for text in _parts(client, url))


def unnamed(task: Task, pages: str) -> list[str]:
    """Words, lines and hosts of *task* that do not stand on *pages*, in their order, each once."""
    missing = [host.host for host in task.network.allow if host.host not in pages]
    lines = _squeezed_lines(pages)
    commands = [(command, SETUP_NEEDS) for command in task.setup]
    commands += [(command, {}) for command in (*task.services, *task.replay)]
    for command, needs in commands:
        words, body = _parsed(command)
        missing += [word for word in words if word not in needs and not _stands_on(word, pages)]
        missing += [line for line in body if _squeezed(line) not in lines]
    return [word for word in dict.fromkeys(missing) if word not in EVERY_READER_KNOWS]


def _parts(client: DocsClient, url: str) -> Iterator[str]:
    number = pages = 1
    while number <= pages:
        outcome = client.read(url, page=number).outcome
        assert isinstance(outcome, Page), f"{url}: {outcome}"
        pages = outcome.pages
        yield outcome.text
        number += 1


def _parsed(command: str) -> tuple[list[str], list[str]]:
    """The words of *command* and the lines of its here documents."""
    rest = command
    body: list[str] = []
    for node in walk(parse(command)):
        if node.type == "heredoc_body":
            text = text_of(node)
            body += [line.strip() for line in text.splitlines() if line.strip()]
            rest = rest.replace(text, "\n")
        elif node.type in {"heredoc_start", "heredoc_end"}:
            rest = re.sub(rf"\b{re.escape(text_of(node).strip(chr(39)))}\b", " ", rest)
    words = (_IN_ENVIRONMENT.sub("", word) for word in _WORD.findall(rest))
    return [word for word in words if re.search("[A-Za-z]", word)], body


def _stands_on(word: str, pages: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", pages) is not None


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _squeezed_lines(pages: str) -> str:
    return "\n".join(_squeezed(line) for line in pages.splitlines())
