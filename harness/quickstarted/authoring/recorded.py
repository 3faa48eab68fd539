"""From a recording to the draft of a task: replay, hosts and check, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quickstarted.authoring.draft import Draft
from quickstarted.authoring.plain import is_plain, one_line
from quickstarted.authoring.recording.keys import has_key
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.remains import Remains
from quickstarted.authoring.recording.selection import LeftOut, Selection, select
from quickstarted.authoring.recording.suggestion import suggest

SHOWN_CHARS = 90
WITH_KEY = "There is what looks like a key or a password below: see that it may be published."
_HIDDEN = "has characters that do not show themselves"


def with_recording(
    draft: Draft, commands: Sequence[Done], remains: Remains, refused: Sequence[str]
) -> Draft:
    """
    Add what was recorded.

    Args:
        draft: Its `network_allow` is what the person has agreed to.
        commands: All of them.
        remains: What they left.
        refused: Hosts that were refused, whether agreed to or not.

    """
    selection = select([done for done in commands if is_plain(done.command)])
    return replace(
        draft,
        replay=tuple(done.command for done in selection.kept),
        replay_comments=tuple(_replay_comments(selection, commands)),
        network_comments=tuple(_network_comments(draft, refused)),
        check=suggest(selection, remains),
    )


def _replay_comments(selection: Selection, commands: Sequence[Done]) -> list[str]:
    lines = ["Recorded: the commands that succeeded, for --agent replay."]
    if any(has_key(done.command) for done in selection.kept):
        lines.append(WITH_KEY)
    left = [LeftOut(done, "a server in the foreground") for done in selection.servers]
    left += selection.left_out
    left += [LeftOut(done, _HIDDEN) for done in commands if not is_plain(done.command)]
    order = {id(done): at for at, done in enumerate(commands)}
    left.sort(key=lambda one: order[id(one.done)])
    if left:
        lines.append("Left out:")
        lines += [f"  {_shown(one.done.command)}  ({one.why})" for one in left]
    if not selection.kept:
        lines.append("No command is left: write the documented ones here.")
    return lines


def _shown(command: str) -> str:
    """A command that is left out; what may be a key in it is of no use to anybody."""
    words = one_line(command, SHOWN_CHARS)
    return f"{words.split()[0]} ... (there may be a key in it)" if has_key(command) else words


def _network_comments(draft: Draft, refused: Sequence[str]) -> list[str]:
    lines = []
    if draft.network_allow:
        lines.append("Hosts that the commands need beside the package registries.")
    if left := [host for host in refused if host not in draft.network_allow]:
        lines.append("Refused while this was recorded; add what the documentation asks for:")
        lines += [f"  {host}" for host in left]
    return lines
