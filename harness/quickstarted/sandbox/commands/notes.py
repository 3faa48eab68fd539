"""What the harness adds to a command's result, in the words that agent and reader see."""

from __future__ import annotations

from quickstarted.sandbox.commands.execs import LONGEST_SCRIPT_BYTES
from quickstarted.sandbox.commands.host import Inside

SHELL_KILLED = "the command killed the shell that reports for it; its exit code is not known"
NO_PROCESS_LEFT = "the process limit is used up: the command's shell could not be started"
SANDBOX_DIED = "the command ended every process of the sandbox"
SANDBOX_DIED_MEMORY = "the sandbox ran out of memory"
DIED_BETWEEN = "the sandbox had ended between two commands"
PROCESSES_USED_UP = (
    "processes left by earlier commands had used up the process limit, so that no command could"
    " start"
)
INTERRUPTED = "interrupted; its processes were ended"


def flagged(flag: str, inside: Inside) -> tuple[str, ...]:
    """For the flag that the outer shell has set; nothing where it has set none."""
    said = {
        "made": f"{inside.workspace} had been removed and was made again, empty",
        "fallback": f"the working directory was gone, so the command ran in {inside.workspace}",
        "bare": (
            f"{inside.state_dir}, where the shell's state is kept, was removed; the state is lost"
        ),
    }
    return (said[flag],) if flag in said else ()


def timed_out(timeout_s: float) -> str:
    """For a command that ran out of its time."""
    return f"timed out after {timeout_s:g} s; its processes were ended"


def out_of_memory(limit_bytes: int | None) -> str:
    """For a command of which the kernel killed a process for lack of memory."""
    limit = f" (limit {size_text(limit_bytes)})" if limit_bytes is not None else ""
    return f"killed: out of memory{limit}"


def over_disk(used_bytes: int, limit_bytes: int | None) -> str:
    """For a command that was ended because the sandbox had written too much."""
    limit = f", limit {size_text(limit_bytes)}" if limit_bytes is not None else ""
    return f"killed: out of disk space ({size_text(used_bytes)} used{limit})"


def why_not_runnable(script: str) -> str:
    """Why no process can be given this script; empty when one can."""
    if "\0" in script:
        return "the command was not run: it holds a NUL character"
    size = len(script.encode("utf-8", "replace"))
    if size > LONGEST_SCRIPT_BYTES:
        return (
            f"the command was not run: it has {size:,} bytes, and {LONGEST_SCRIPT_BYTES:,} are"
            " possible; write long content to a file in several commands"
        )
    return ""


def size_text(size_bytes: int) -> str:
    """Return e.g. `4g`, `64m` or `1.2g`, as the task format writes sizes."""
    for unit, factor in (("g", 1024**3), ("m", 1024**2), ("k", 1024)):
        if size_bytes >= factor:
            return f"{round(size_bytes / factor, 1):g}{unit}"
    return f"{size_bytes}"
