"""Every call of the program that the documentation or a help text shows can be made."""

import re

import click
import pytest

from fakes.pages import GUIDE, PROGRAM, blocks, calls, inline_code, name_of
from quickstarted.cli import COMMANDS, cli
from quickstarted.cli.reference import entries, paragraphs

SHELL = ("sh", "bash", "console", "yaml", "text", "")
IS_USAGE = {"[OPTIONS]", "COMMAND"}
"""Stand where a call would have words of its own."""
ENTRIES = entries(cli)
OPTIONS = {
    name
    for entry in ENTRIES
    for param in entry.command.params
    for name in (*param.opts, *param.secondary_opts)
}
OTHER_OPTIONS = {
    "--help",
    "--version",
    # of the check's functions
    "--contains",
    "--json",
    "--matches",
    "--status",
    "--timeout",
    # of `ray start`
    "--disable-usage-stats",
}


def parse(args):
    """Have click take *args* apart, down to the last command; run nothing."""
    command, context = cli, click.Context(cli, info_name=PROGRAM)
    # A variable stands for what fits.
    rest = [re.sub(r"^\$\w+$", "1", one) for one in args]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        name, command, rest = command.resolve_command(context, rest)
        context = click.Context(command, info_name=name, parent=context)
    if "--help" in rest or (command is cli and rest == ["--version"]):
        return
    try:
        command.parse_args(context, rest)
    except click.BadParameter as wrong:
        # The files that examples name are not here.
        if isinstance(wrong, click.MissingParameter) or not isinstance(
            wrong.param.type, click.Path
        ):
            raise


def parse_in_prose(args):
    """A call in a sentence may leave out what the sentence is not about."""
    try:
        parse(args)
    except click.MissingParameter:
        return
    except click.BadOptionUsage as left_out:
        if args[-1] != left_out.option_name:
            raise


def shown(page):
    """Calls to paste."""
    text = page.read_text()
    return [call for block in blocks(text) if block.language in SHELL for call in calls(block.text)]


def mentioned(page):
    """Calls in sentences."""
    codes = [code for code in inline_code(page.read_text()) if code.startswith(f"{PROGRAM} ")]
    return [call for code in codes for call in calls(code)]


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_every_call_on_a_page_can_be_made(page):
    for args in shown(page):
        if not IS_USAGE & set(args):
            parse(args)
    for args in mentioned(page):
        if not IS_USAGE & set(args):
            parse_in_prose(args)


def test_the_pages_show_calls():
    assert len([args for page in GUIDE for args in shown(page)]) > 20


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_every_option_that_a_page_names_is_there(page):
    codes = inline_code(page.read_text())
    named = {word for code in codes for word in re.findall(r"^(--[a-z][a-z-]+)", code)}

    assert set() == named - OPTIONS - OTHER_OPTIONS


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: " ".join(entry.words))
def test_every_command_shows_examples_of_itself_that_can_be_made(entry):
    examples = [text for kept, text in paragraphs(entry.command.epilog or "") if kept]
    made = [args for text in examples for args in calls(text)]
    for args in made:
        parse(args)

    assert any(list(entry.words[1:]) == args[: len(entry.words) - 1] for args in made)
    assert any(text.startswith("Examples:\n") for text in examples)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: " ".join(entry.words))
def test_every_option_says_what_it_does(entry):
    assert [] == [option.name for option in entry.options if not option.help]


def test_every_command_has_the_line_that_the_list_of_commands_shows():
    assert [entry.words[1] for entry in ENTRIES if len(entry.words) == 2] == list(COMMANDS)
    assert all(COMMANDS.values())


@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("$ quickstarted run x.yaml | less", [["run", "x.yaml"]]),
        ("quickstarted run \\\n  --repeat 3 > log", [["run", "--repeat", "3"]]),
        (". a && .venv/bin/quickstarted gc; quickstarted images", [["gc"], ["images"]]),
        ("- run: quickstarted run tasks/", [["run", "tasks/"]]),
        ("quickstarted examples  # all of them", [["examples"]]),
        ("NO_COLOR=1 quickstarted run || code=$?", [["run"]]),
        ("pip install ./quickstarted    # a checkout", []),
        ("pip install quickstarted-harness", []),
    ],
)
def test_calls_are_found_in_shell_code(shell, expected):
    assert expected == calls(shell)


@pytest.mark.parametrize(
    "args", [["run", "--walk"], ["walk"], ["examples", "copy"], ["check", "--show"]]
)
def test_a_call_that_cannot_be_made_is_told(args):
    with pytest.raises(click.UsageError):
        parse(args)
