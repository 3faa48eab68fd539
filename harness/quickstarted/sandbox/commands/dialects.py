"""What the two kinds of shell are told: the agent's, with state, and the clean one, without."""

from __future__ import annotations

import shlex

from quickstarted.sandbox.commands.execs import Call
from quickstarted.sandbox.commands.host import Inside
from quickstarted.sandbox.commands.scripts import script, script_in

_ENTER = 'eval "$_QS_ENTER"; :; '
"""The colon leaves nothing of the first `eval` in the shell's `$_`."""
_EVAL = {
    "bash": 'eval "$BASH_EXECUTION_STRING"',
    "sh": 'eval "$_qs"',
}
WITHOUT_PROFILE = {"BASH_ENV": ""}
"""A file that bash reads unasked, and that the agent may have written."""


def agent_call(command: str, inside: Inside, *, user: str, env: dict[str, str]) -> Call:
    """Return *command* as the agent's shell runs it, after and before other commands."""
    kind = inside.dialect
    leave = f"; {{ . {shlex.quote(inside.state_dir)}/leave; }} >/dev/null 2>&1"
    return Call(
        script=command,
        user=user,
        shell=inside.shell,
        outer_shell=inside.sh,
        text=_ENTER + _EVAL[kind] + leave,
        enter=script(f"assemble.{kind}") + script_in(f"restore.{kind}", inside),
        cwd_file=f"{inside.state_dir}/shell/cwd",
        env=env,
    )


def clean_call(text: str, inside: Inside, *, user: str, env: dict[str, str]) -> Call:
    """Return *text* as a script in the configured environment, with nobody's state or profile."""
    kind = inside.dialect
    return Call(
        script=text,
        user=user,
        shell=inside.shell,
        outer_shell=inside.sh,
        text=_ENTER + _EVAL[kind],
        enter=script(f"assemble.{kind}"),
        env=env | WITHOUT_PROFILE,
    )
