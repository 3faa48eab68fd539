"""
A task's `docs.headers`: their values from the caller's environment, and what gives one away.

The values go to `read_docs` and to whatever scrubs records, and are in no record, variable of the
sandbox, label or command line.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from quickstarted.errors import SecretFault
from quickstarted.task import Task
from quickstarted_proxy.secrets_table import MIN_VALUE_CHARS, Secret, value_problem

HeaderTable = dict[str, tuple[tuple[str, str], ...]]
"""Host to names and values."""


def variable_of(reference: str) -> str:
    """The variable that `$NAME` or `${NAME}` stands for."""
    return reference.removeprefix("$").removeprefix("{").removesuffix("}")


def unset_headers(task: Task, environ: Mapping[str, str]) -> list[str]:
    """Variables that *task* needs for its headers, and that are not set or set to nothing."""
    return [name for name in header_variables(task) if not environ.get(name)]


def header_values(task: Task, environ: Mapping[str, str]) -> HeaderTable:
    """
    Take the values of a task's headers from *environ*.

    Raises:
        SecretFault: One is not set, or cannot be used; the text names it and quotes nothing.

    """
    if missing := unset_headers(task, environ):
        listed = ", ".join(missing)
        several = len(missing) > 1
        raise SecretFault(
            f"docs.headers needs {listed}, and no such variable{'s are' if several else ' is'} set",
            hint=f"Set {listed} where quickstarted is called; only read_docs uses the value.",
        )
    for name in header_variables(task):
        if problem := value_problem(environ[name]):
            raise SecretFault(
                f"the header value {name} cannot be used: it {problem}",
                hint=f"Set {name} to the whole value of the header, on one line.",
            )
    return {
        host: tuple((name, environ[variable_of(value)]) for name, value in headers.items())
        for host, headers in task.docs.headers.items()
    }


def header_secrets(task: Task, environ: Mapping[str, str]) -> tuple[Secret, ...]:
    """
    What is to be scrubbed from records: in place of a value stands the variable's `$NAME`.

    Raises:
        SecretFault: See `header_values`.

    """
    header_values(task, environ)
    return tuple(
        Secret(name=name, placeholder=f"${name}", value=text, hosts=())
        for name in header_variables(task)
        for text in telling_texts(environ[name])
    )


def telling_texts(value: str) -> tuple[str, ...]:
    """
    A header's value and what gives it away by itself: the token after `Bearer`, and of Basic
    credentials (RFC 7617) the decoded pair and the password.
    """
    texts = [value]
    scheme, _, token = value.rpartition(" ")
    if scheme:
        texts.append(token)
    if scheme.lower() == "basic":
        texts.extend(_basic(token))
    return tuple(dict.fromkeys(text for text in texts if len(text) >= MIN_VALUE_CHARS))


def header_variables(task: Task) -> tuple[str, ...]:
    """The variables that a task's headers name, each once."""
    values = [value for headers in task.docs.headers.values() for value in headers.values()]
    return tuple(dict.fromkeys(map(variable_of, values)))


def _basic(token: str) -> list[str]:
    try:
        pair = base64.b64decode(token, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return []
    return [pair, pair.partition(":")[2]]
