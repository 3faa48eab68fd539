"""
The command line: one small file per command, and the one place that maps errors to exit codes.

Commands are imported when they are called, so that `quickstarted --version` pays for none of them.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from gc import set_threshold

import click

from quickstarted import __version__
from quickstarted.cli.interrupts import interrupts_held_back
from quickstarted.cli.streams import give_up, is_loss, open_missing
from quickstarted.errors import QuickstartedError

COMMANDS = {
    "run": "run one task or many and say whether the docs hold",
    "init": "write a new task for a page, or record one",
    "validate": "load task files and warn about numbers that would be wrong",
    "check": "run only the success check against a kept sandbox",
    "merge": "join the results of shards",
    "diff": "say whether a change helped, and what so many attempts could have shown",
    "ci": "tell a CI system of results: JUnit, annotations, summary, comment",
    "show": "show a run as a person reads it",
    "convert": "write runs as ATIF, OTLP, HAR, trajectories and more",
    "schema": "print the JSON Schema of task files or of the trace",
    "agent-log": "check the log of a community game, or take its prompts out",
    "trajectory": "check trajectories against the AgentTrajectory format",
    "serve": "take trajectories over HTTP and store them",
    "examples": "list, show or copy the example tasks",
    "doctor": "find what is wrong with this machine, and the command that mends it",
    "images": "look after the images: list, build, pull",
    "cache": "look after the packages that are kept between runs",
    "gc": "remove what dead runs left behind",
}
"""Name to one line of help; `quickstarted.cli.NAME`, `_` for `-`, has the command as `command`."""


GC_THRESHOLD = 50_000


class LazyGroup(click.Group):
    """A group that imports a command's file when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order in which they are worth reading."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        # An interrupt in the middle of the import of a library is swallowed or garbled there.
        with interrupts_held_back():
            module = importlib.import_module(f"quickstarted.cli.{cmd_name.replace('-', '_')}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=(
        "\b\nExamples:\n"
        "  quickstarted run tasks/x.yaml --agent replay\n"
        "  quickstarted validate tasks/\n"
        "  quickstarted show results/x\n"
    ),
)
@click.version_option(__version__, "--version", prog_name="quickstarted")
def cli() -> None:
    """
    Can an agent that has only your docs reach the outcome they promise?

    Exit codes: 0 every attempt that gave evidence passed, 1 a documentation gap, 2 no evidence at
    all, 3 the call or a task file is not valid, 130 interrupted.
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run the program and exit with its code; every error becomes a message and a code here."""
    open_missing()
    sys.exit(run_cli(argv))


def run_cli(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code."""
    # Loading makes many objects and hardly any garbage; looking for it costs a tenth of the time.
    set_threshold(GC_THRESHOLD)
    try:
        code = cli.main(args=argv, prog_name="quickstarted", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        return 130
    except click.ClickException as exc:
        exc.show()
        return 3
    except QuickstartedError as exc:
        click.echo(f"error: {exc}", err=True)
        return exc.exit_code
    except BrokenPipeError:
        # Somebody has read enough, as `| head` does.
        give_up(sys.stdout)
        return 0
    except Exception as exc:  # noqa: BLE001 - a fault of this program must not look like a documentation gap
        return _fault(exc)
    return code if isinstance(code, int) else 0


def _fault(exc: Exception) -> int:
    if isinstance(exc, OSError) and is_loss(exc):
        give_up(sys.stdout)
        click.echo(f"error: standard output takes nothing more: {exc.strerror}", err=True)
    else:
        traceback.print_exception(exc)
        click.echo("error: this is a fault of quickstarted itself; please report it", err=True)
    return QuickstartedError.exit_code
