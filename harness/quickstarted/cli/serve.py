"""`quickstarted serve`: trajectories over HTTP."""

from __future__ import annotations

import os
from pathlib import Path

import click

from quickstarted.cli.llm_asking import model_to_ask
from quickstarted.errors import UsageError
from quickstarted.serve.limits import TOKEN_VARIABLE, Patience
from quickstarted.serve.logs import stderr_log

EPILOG = """\
\b
Exit codes: 0 ended by Ctrl-C or SIGTERM, 2 the folder cannot be written, 3 the call is not valid,
the port is taken, or another server stores in the same folder.

\b
Examples:
  quickstarted serve
  QUICKSTARTED_SERVE_TOKEN=... quickstarted serve --host 0.0.0.0 --port 8080
"""


@click.command(name="serve", epilog=EPILOG)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help=f"Listen at this address; one that other machines reach needs {TOKEN_VARIABLE}.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8750,
    show_default=True,
    help="Listen on this port; 0 takes one that is free.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results/uploads"),
    show_default=True,
    help="Store trajectories below this folder.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0.1, 3600),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Give up a client that sends or reads nothing for so long.",
)
@click.option(
    "--llm",
    metavar="KIND[:MODEL]",
    help="Give what no format knows to a model of claude, openai or gemini. Off by default: uploads"
    " go to the vendor, and are paid for.",
)
def command(*, host: str, port: int, out: Path, timeout_s: float, llm: str | None) -> None:
    """
    Take trajectories over HTTP and store them: POST /api/v1/trajectories.

    One object, an array or JSON Lines, up to 25 MiB: AgentTrajectory, or what
    `quickstarted trajectory import` knows. docs/serve.md has the paths and replies.
    """
    try:
        from quickstarted.serve.server import ServeOptions, serve  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as exc:
        if exc.name is None or exc.name.partition(".")[0] not in {"starlette", "uvicorn", "anyio"}:
            raise
        raise UsageError(
            f"`quickstarted serve` needs {exc.name}, which is not installed",
            hint="pip install 'quickstarted-harness[serve]'",
        ) from exc
    options = ServeOptions(
        host=host,
        port=port,
        out=out,
        token=os.environ.get(TOKEN_VARIABLE, ""),
        patience=Patience(timeout_s),
        ask=None if llm is None else model_to_ask(llm),
    )
    serve(options, stderr_log(), lambda url: click.echo(f"{url}/api/v1/trajectories"))
