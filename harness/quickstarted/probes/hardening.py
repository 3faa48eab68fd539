"""Probes: what the sandbox's processes may not do, and what of the host is not there."""

from __future__ import annotations

from quickstarted.probes.model import Outcome, Probe, Seen, broken, holds

CAPABILITY_BITS = {
    "CHOWN": 0,
    "DAC_OVERRIDE": 1,
    "FOWNER": 3,
    "FSETID": 4,
    "KILL": 5,
    "SETGID": 6,
    "SETUID": 7,
    "NET_BIND_SERVICE": 10,
    "AUDIT_WRITE": 29,
    "SETFCAP": 31,
}
"""What `apt-get install` needs, with the kernel's numbers (linux/capability.h)."""
ALLOWED_CAPABILITIES = sum(1 << bit for bit in CAPABILITY_BITS.values())

PRIVILEGES_SCRIPT = "grep -E '^NoNewPrivs:' /proc/self/status"
CAPABILITIES_SCRIPT = "grep -E '^CapBnd:' /proc/self/status"
SOCKETS_SCRIPT = """
for place in /var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock \
	/run/podman/podman.sock /var/run/crio/crio.sock; do
	[ ! -e "$place" ] || echo "$place"
done
[ -z "${DOCKER_HOST-}" ] || echo DOCKER_HOST
echo end
"""
MOUNTS_SCRIPT = """
while read -r _ _ _ root point _; do
	case $point in
	/etc/resolv.conf | /etc/hostname | /etc/hosts) ;;
	/proc/* | /sys/* | /dev/* | */sbin/docker-init | /run/podman-init) ;;
	*) [ "$root" = / ] || echo "$point" ;;
	esac
done </proc/self/mountinfo
echo end
"""
SECRETS_SCRIPT = """
for name in $QP_SECRET_NAMES; do
	eval "value=\\${$name-}"
	[ -z "$value" ] || echo "$name"
	(tr '\\0' '\\n' </proc/1/environ) 2>/dev/null | grep -q "^$name=." && echo "$name"
done
echo end
"""


def judge_privileges(seen: Seen) -> Outcome:
    """The kernel's flag for the whole process tree."""
    said = " ".join(seen.output.split())
    return holds() if said == "NoNewPrivs: 1" else broken(said or "the kernel does not say")


def judge_capabilities(seen: Seen) -> Outcome:
    """None beyond the list; fewer is fine, as in a user's own session."""
    text = seen.output.split()[-1:]
    try:
        bits = int("".join(text), 16)
    except ValueError:
        return broken("the kernel does not say")
    more = bits & ~ALLOWED_CAPABILITIES
    return broken(f"more than needed: {more:#x}") if more else holds()


def judge_nothing_found(seen: Seen) -> Outcome:
    """Whatever is printed before the end is there and should not be."""
    *found, end = seen.lines or [""]
    if end != "end":
        return broken(f"the script did not come to its end: {seen.output[:200]}")
    return broken(f"there: {', '.join(dict.fromkeys(found))}") if found else holds()


HARDENING = (
    Probe(
        name="no-new-privileges",
        promise="No process can gain privileges, by setuid programs or otherwise.",
        kind="enforcement",
        script=PRIVILEGES_SCRIPT,
        judge=judge_privileges,
    ),
    Probe(
        name="capabilities",
        promise="Root in the sandbox has the capabilities that apt-get needs and no others.",
        kind="enforcement",
        script=CAPABILITIES_SCRIPT,
        judge=judge_capabilities,
    ),
    Probe(
        name="no-engine-socket",
        promise="No container engine can be reached from inside.",
        kind="enforcement",
        script=SOCKETS_SCRIPT,
        judge=judge_nothing_found,
    ),
    Probe(
        name="nothing-mounted",
        promise="Nothing of the host's file system is mounted.",
        kind="enforcement",
        script=MOUNTS_SCRIPT,
        judge=judge_nothing_found,
    ),
    Probe(
        name="no-keys",
        promise="No key of a model's service is in any variable.",
        kind="enforcement",
        script=SECRETS_SCRIPT,
        judge=judge_nothing_found,
    ),
)
