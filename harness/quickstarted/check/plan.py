"""
What a check asserts, without where it was written.

Apart from the task's model, so that the script can be built and tested without a task file.
"""

from __future__ import annotations

import json
import string
import urllib.parse
from dataclasses import dataclass

from quickstarted import task as tasks
from quickstarted.errors import CheckFault

_AS_WRITTEN = "".join(set(string.printable) - set(string.whitespace))


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitHttp:
    """A server is asked until it answers as said."""

    target: str
    """A path on `http://127.0.0.1:$QS_PORT`, or a whole URL; ASCII, no spaces."""
    status: int = 200
    contains: tuple[str, ...] = ()
    """Texts of one line each; all must be in the body."""
    matches: tuple[str, ...] = ()
    """POSIX extended regular expressions; each must match a line of the body."""
    json: tuple[tuple[str, str], ...] = ()
    """Dotted key and the value there, as JSON text."""
    timeout_s: float = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectOutput:
    """What the agent's commands must have printed; see `collect_output`."""

    contains: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    """A whole check; its parts are asked in the order of the fields."""

    serve: str = ""
    """Shell command of a server that runs during the check; empty for none."""
    wait_http: WaitHttp | None = None
    expect_output: ExpectOutput | None = None
    script: str = ""
    """The author's shell script; empty for none."""
    timeout_s: float = 300.0
    """For all of it."""

    @property
    def reads_output(self) -> bool:
        """Whether it asks what the agent's commands printed."""
        return self.expect_output is not None or "qs_expect_output" in self.script


def plan_for(task: tasks.Task) -> CheckPlan:
    """
    The plan of a task's `success` block.

    Lines of a script that all end in CR LF (a checkout on Windows) end in LF here: no shell takes
    them otherwise.

    Raises:
        CheckFault: A text cannot be given to a shell.

    """
    success = task.success
    script = success.script_text
    if script.count("\n") == script.count("\r\n"):
        script = script.replace("\r\n", "\n")
    plan = CheckPlan(
        serve=success.serve or "",
        wait_http=_wait_http(success.wait_http) if success.wait_http else None,
        expect_output=_expect_output(success.expect_output) if success.expect_output else None,
        script=script,
        timeout_s=task.check_timeout_s,
    )
    if "\0" in plan.script or "\0" in plan.serve:
        raise CheckFault(
            "the success check contains a NUL character, which no shell can be given",
            hint="Take it out of `success`; `printf '\\000'` makes one inside a script.",
        )
    return plan


def _wait_http(wait: tasks.WaitHttp) -> WaitHttp:
    for key in wait.json_values:
        if "=" in key:
            raise CheckFault(
                f'success.wait_http.json: "{key}" has a "=", which a key cannot have here',
                hint="Assert on this value in `success.script`.",
            )
    return WaitHttp(
        target=urllib.parse.quote(wait.path or wait.url or "/", safe=_AS_WRITTEN),
        status=wait.status,
        contains=(wait.contains,) if wait.contains else (),
        matches=(wait.matches,) if wait.matches else (),
        json=tuple(
            (key, json.dumps(value, ensure_ascii=False)) for key, value in wait.json_values.items()
        ),
        timeout_s=wait.timeout,
    )


def _expect_output(expect: tasks.ExpectOutput) -> ExpectOutput:
    return ExpectOutput(
        contains=expect.contains, matches=(expect.matches,) if expect.matches else ()
    )
