"""docs/cli.md is made from the commands, and has every variable that the program reads."""

import ast
import os
import re

import pytest

from fakes.pages import CHECKOUT, inline_code, section
from quickstarted.check import plan_for  # noqa: F401 - loads every subclass of the errors
from quickstarted.cli import cli
from quickstarted.cli.check import EXIT_CODES
from quickstarted.cli.gc import REMOVAL_FAILED
from quickstarted.cli.reference import cli_reference, entries
from quickstarted.errors import QuickstartedError

PAGE = CHECKOUT / "docs" / "cli.md"
MARKER = "<!-- below: made from the commands by tests/unit/test_docs_cli.py -->"
NOT_OURS = ("/sandbox/lanes/trust", "/doctor/", "/ci/action.py")
"""Variables that are given to the sandbox, those of other programs, and inputs of action.yml."""


def head():
    return PAGE.read_text().partition(MARKER)[0]


def test_the_page_has_every_command_as_the_program_has_it():
    if os.environ.get("QS_UPDATE_GOLDEN"):
        PAGE.write_text(f"{head()}{MARKER}\n\n{cli_reference(cli)}\n")

    assert cli_reference(cli) == PAGE.read_text().partition(MARKER)[2].strip(), (
        "QS_UPDATE_GOLDEN=1 writes it again"
    )


@pytest.mark.parametrize("entry", entries(cli)[1:], ids=lambda entry: " ".join(entry.words))
def test_every_option_of_a_command_is_in_its_section(entry):
    text = section(PAGE.read_text(), f"{'#' * len(entry.words)} {' '.join(entry.words[1:])}")
    named = {code.split()[0] for code in inline_code(text) if code.startswith("-")}

    assert {name for option in entry.options for name in option.opts} <= named


def errors(base=QuickstartedError):
    yield base
    for one in base.__subclasses__():
        yield from errors(one)


def test_every_exit_code_is_on_the_page():
    codes = {error.exit_code for error in errors()} | set(EXIT_CODES.values()) | {REMOVAL_FAILED}
    listed = re.findall(r"^\| `(\d+)` \|", section(head(), "## Exit codes"), re.MULTILINE)

    assert sorted(codes | {0, 1}) == sorted(map(int, listed))


def variables_that_the_program_reads():
    """
    What is asked of an environment by name, and what stands in a constant called so.

    `environ.get("X")`, `environ["X"]`, `X_VARIABLE = "X"`, `X_VARIABLES = ("X", "Y")`,
    `f(variable="X")`.
    """
    modules = set((CHECKOUT / "harness" / "quickstarted").rglob("*.py"))
    for path in modules - {one for rest in NOT_OURS for one in modules if rest in str(one)}:
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Attribute(attr="get", value=owner), args=[name, *_]):
                    yield from texts(name) if "environ" in ast.unparse(owner) else ()
                case ast.Subscript(value=owner, slice=name) if "environ" in ast.unparse(owner):
                    yield from texts(name)
                case ast.keyword(arg="variable", value=value):
                    yield from texts(value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield from texts(value) if re.search(r"VARIABLES?$", name) else ()
                case _:
                    pass


def texts(node):
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and re.fullmatch(r"[A-Z][A-Z0-9_]+", str(part.value)):
            yield part.value


def test_every_variable_that_the_program_reads_is_on_the_page():
    read = set(variables_that_the_program_reads())

    assert {
        "DOCKER_HOST",
        "QUICKSTARTED_NETWORK_RANGE",
        "SSL_CERT_FILE",
        "ANTHROPIC_API_KEY",
        "OPENAI_BASE_URL",
    } <= read
    assert set() == read - set(inline_code(section(head(), "## Environment")))
