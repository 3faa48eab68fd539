"""
Ending a command's whole process tree, and nothing else, when its time is over.

What belongs to the command: every process that began after its outer shell did, unless one of its
ancestors (the first process aside) is older; so daemons that left their family are ended, and
services or background children of earlier commands are not, nor what these start meanwhile.
`scripts/supervise.sh` stops everything, kills what belongs, and lets the rest go on, up to three
times; what is left after that, or a keep-alive process that no longer answers, means a restart.
"""

from __future__ import annotations

from quickstarted.sandbox.commands.markers import Begin
from quickstarted.sandbox.container.supervisor import Supervisor, SupervisorSilent

REAP_TIMEOUT_S = 20.0


def reap(supervisor: Supervisor, begin: Begin) -> str:
    """End all processes of the command; returns why some are left, empty where none are."""
    try:
        left, passes = supervisor.order(
            "reap", str(begin.pid), str(begin.start_ticks), timeout_s=REAP_TIMEOUT_S
        )
    except SupervisorSilent:
        return "the command's processes could not be ended: the keep-alive process is silent"
    return (
        "" if left == "0" else f"{left} of the command's processes were left after {passes} passes"
    )
