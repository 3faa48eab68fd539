"""How commands become the tables and blocks of docs/cli.md."""

import click
import pytest

from quickstarted.cli.reference import cli_reference, paragraphs

EPILOG = """\
\b
Exit codes: 0 it is told, 3 it is not.

\b
Examples:
  quickstarted tell all
  quickstarted tell all | less
"""


@click.group()
def program():
    """The whole."""


@program.group(epilog=EPILOG)
def tell():
    """
    Tell something,
    in two lines.
    """


@tell.command()
@click.argument("what")
@click.option("--times", type=click.IntRange(1), default=2, help="How often.")
@click.option("--loud", "-l", is_flag=True, help="As a|b.")
@click.option("--to", multiple=True, metavar="NAME", help="Who hears it.")
@click.option("--key", envvar="TELL_KEY", required=True, help="What opens it.")
def one(what, times, loud, to, key):
    """Tell WHAT."""


PAGE = cli_reference(program)


def test_a_command_has_its_path_its_usage_and_its_text():
    assert (
        "### tell one\n\n```sh\nquickstarted tell one [OPTIONS] WHAT\n```\n\nTell WHAT.\n" in PAGE
    )


def test_a_group_names_its_subcommands():
    assert "Tell something,\nin two lines.\n\nSubcommands: `one`.\n" in PAGE


@pytest.mark.parametrize(
    "row",
    [
        "| `--times INTEGER` | `2` | How often. |",
        r"| `--loud`, `-l` |  | As a\|b. |",
        "| `--to NAME` |  | Who hears it. May be given several times. |",
        "| `--key TEXT` |  | What opens it. Also from `TELL_KEY`. Required. |",
    ],
)
def test_an_option_has_spelling_default_and_meaning(row):
    assert row in PAGE.splitlines()


def test_what_is_indented_below_a_line_with_a_colon_is_a_block():
    assert "Examples:\n\n```sh\nquickstarted tell all\nquickstarted tell all | less\n```" in PAGE


def test_other_kept_lines_are_text():
    assert "\n\nExit codes: 0 it is told, 3 it is not.\n\n" in PAGE


def test_paragraphs_say_whether_they_keep_their_lines():
    text = "a\nb\n\n\b\nc:\n  d\n    e\n"

    assert [(False, "a\nb"), (True, "c:\nd\n  e")] == paragraphs(text)
