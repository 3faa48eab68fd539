from dataclasses import dataclass, field

import pytest

from fakes.shell_sandbox import ShellSandbox
from quickstarted.authoring.recording.lines import LineSession
from quickstarted.errors import Interrupted
from quickstarted.events import CommandResult


@dataclass
class Typed(ShellSandbox):
    """Notes what it is told to run, and really asks a shell whether a text is whole."""

    ran: list = field(default_factory=list)
    facts: dict = field(default_factory=lambda: {"shell": "bash"})

    def begin_scope(self, scope):
        """Nothing is attributed here."""

    def drain_egress(self):
        """There is no egress."""

    def bash(self, command, limits):
        self.ran.append((command, limits.timeout_s))
        return CommandResult(
            exit_code=0, output="", output_bytes=0, truncated=False, timed_out=False, duration=0.0
        )


def session(folder, text, *, cancelled=lambda: False):
    lines = iter(text.split("\n"))
    said = []
    made = LineSession(
        sandbox=Typed(folder=folder),
        next_line=lambda goes_on: next(lines, None),
        say=said.append,
        cancelled=cancelled,
        after=lambda done: None,
        echo=True,
    )
    return made, said


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("one\n\n  \ntwo", ["one", "two"]),
        ("a \\\n  b\nc", ["a \\\n  b", "c"]),
        ("cat <<'E'\n$x\n\nE\nc", ["cat <<'E'\n$x\n\nE", "c"]),
        ("cat <<-E\n\tx\n\tE\nc", ["cat <<-E\n\tx\n\tE", "c"]),
        ("cat <<A <<B\n1\nA\n2\nB\nc", ["cat <<A <<B\n1\nA\n2\nB", "c"]),
        ("cat <<<word\nc", ["cat <<<word", "c"]),
        ("for x in 1 2; do\n echo\ndone\nc", ["for x in 1 2; do\n echo\ndone", "c"]),
        ("echo 'a\nb'\nc", ["echo 'a\nb'", "c"]),
        ("f() {\n ls\n}\nc", ["f() {\n ls\n}", "c"]),
        ("echo )\nc", ["echo )", "c"]),
        ("true &&\n false\nc", ["true &&\n false", "c"]),
        ("echo 'never ends\nc", ["echo 'never ends\nc"]),
        ("a\nexit\nb", ["a"]),
        ("", []),
    ],
)
def test_commands_are_whole(tmp_path, text, commands):
    made, _ = session(tmp_path, text)
    made.run()

    assert commands == [command for command, _ in made.sandbox.ran]
    assert commands == [done.command for done in made.done]


def test_a_server_in_the_foreground_gets_little_time(tmp_path):
    made, _ = session(tmp_path, "flask run\npip install x")
    made.run()

    assert [("flask run", 10.0), ("pip install x", 300.0)] == made.sandbox.ran


def test_commands_are_shown_with_prompts(tmp_path):
    made, said = session(tmp_path, "cat <<E\nx\nE")
    made.run()

    assert ["$ cat <<E", "> x", "> E"] == said


def test_an_interruption_ends_it(tmp_path):
    made, _ = session(tmp_path, "one", cancelled=lambda: True)

    with pytest.raises(Interrupted):
        made.run()
    assert [] == made.sandbox.ran


class Busy(Typed):
    """Does not answer in time."""

    def run_clean(self, script, limits, *, env=None, root=False):
        return CommandResult(
            exit_code=124, output="", output_bytes=0, truncated=False, timed_out=True, duration=0.0
        )


def test_half_a_command_is_not_run_where_the_shell_does_not_answer(tmp_path):
    made, _ = session(tmp_path, "if true; then\n  touch g\nfi\nc")
    made.sandbox = Busy(folder=tmp_path)

    made.run()

    assert ["if true; then\n  touch g\nfi", "c"] == [command for command, _ in made.sandbox.ran]
