"""Probes: the limits of the sandbox, read back from its control group."""

from __future__ import annotations

from quickstarted.probes.model import Outcome, Probe, Seen, broken, holds, not_applicable, unclear

FEWEST_OPEN_FILES = 1024
MOST_OPEN_FILES = 65_536

MEMORY_SCRIPT = """
cd /sys/fs/cgroup || exit
cat memory.max memory/memory.limit_in_bytes 2>/dev/null
"""
PIDS_SCRIPT = """
cd /sys/fs/cgroup || exit
cat pids.max pids/pids.max 2>/dev/null
"""
CPU_SCRIPT = """
cd /sys/fs/cgroup || exit
cat cpu.max 2>/dev/null ||
	echo "$(cat cpu/cpu.cfs_quota_us) $(cat cpu/cpu.cfs_period_us)"
"""
FILES_SCRIPT = "ulimit -n"
DISK_SCRIPT = "df -Pk . | tail -n 1"


def judge_memory(seen: Seen) -> Outcome:
    """Bytes; what is not limited reads `max`, or a number of no machine's."""
    return _equal(seen, seen.situation.resources.memory_bytes, "bytes of memory")


def judge_pids(seen: Seen) -> Outcome:
    """Processes and threads."""
    return _equal(seen, seen.situation.resources.pids, "processes")


def _equal(seen: Seen, asked: int | None, unit: str) -> Outcome:
    if asked is None:
        return not_applicable("no limit was asked for")
    found = seen.lines[0] if seen.lines else "nothing to be read"
    return holds(f"{asked:,} {unit}") if found == str(asked) else broken(f"{found}, not {asked}")


def judge_cpus(seen: Seen) -> Outcome:
    """Quota and period in microseconds."""
    asked = seen.situation.resources.cpus
    if asked is None:
        return not_applicable("no limit was asked for")
    quota, _, period = (seen.lines[0] if seen.lines else "").partition(" ")
    if quota.isdigit() and period.isdigit() and abs(int(quota) / int(period) - asked) < 0.01:
        return holds(f"{asked:g} processors")
    return broken(f"{seen.output.strip() or 'nothing to be read'}, not {asked:g} processors")


def judge_files(seen: Seen) -> Outcome:
    """What tools need, and not without end."""
    found = seen.output.strip()
    if found.isdigit() and FEWEST_OPEN_FILES <= int(found) <= MOST_OPEN_FILES:
        return holds(f"{int(found):,} open files")
    return broken(f"{found or 'nothing to be read'}, not {FEWEST_OPEN_FILES} to {MOST_OPEN_FILES}")


def judge_disk(seen: Seen) -> Outcome:
    """The fourth column of POSIX df: free kilobytes."""
    columns = seen.output.split()
    if len(columns) < 6 or not columns[-3].isdigit():
        return unclear("df does not say")
    free = int(columns[-3]) * 1024
    said = f"{free / 1e9:.1f} GB free"
    return holds(said) if free >= seen.situation.min_disk_bytes else broken(said)


LIMITS = (
    Probe(
        name="memory-limit",
        promise="The limit on memory is in force.",
        kind="limit",
        script=MEMORY_SCRIPT,
        judge=judge_memory,
    ),
    Probe(
        name="pids-limit",
        promise="The limit on processes is in force.",
        kind="limit",
        script=PIDS_SCRIPT,
        judge=judge_pids,
    ),
    Probe(
        name="cpu-limit",
        promise="The limit on processors is in force.",
        kind="limit",
        script=CPU_SCRIPT,
        judge=judge_cpus,
    ),
    Probe(
        name="open-files",
        promise="The limit on open files is neither too low for tools nor absent.",
        kind="limit",
        script=FILES_SCRIPT,
        judge=judge_files,
    ),
    Probe(
        name="disk-room",
        promise="There is room on the engine's disk.",
        kind="limit",
        script=DISK_SCRIPT,
        judge=judge_disk,
    ),
)
