"""Probes: the place where an agent works, and the user it works as."""

from __future__ import annotations

from quickstarted.probes.model import Outcome, Probe, Seen, broken, holds, not_applicable

WORKSPACE_SCRIPT = """
echo "at $(pwd)"
echo "holds $(ls -A | wc -l | tr -d ' ')"
if (: >.qp-probe && ln .qp-probe .qp-link && mv .qp-link .qp-moved) 2>/dev/null
then echo "writable yes"; else echo "writable no"; fi
rm -f .qp-probe .qp-link .qp-moved
"""
USER_SCRIPT = """
echo "uid $(id -u)"
for folder in . "$HOME" "${TMPDIR:-/tmp}"; do
	(: >"$folder/.qp-user") 2>/dev/null || echo "closed $folder"
	rm -f "$folder/.qp-user"
done
"""


def judge_workspace(seen: Seen) -> Outcome:
    """Empty, and a place to write in, with renames and hard links as on any disk."""
    expected = {"at": "/workspace", "holds": "0", "writable": "yes"}
    wrong = [
        f"{key}: {seen.pairs.get(key)}" for key in expected if seen.pairs.get(key) != expected[key]
    ]
    return broken(", ".join(wrong)) if wrong else holds()


def judge_user(seen: Seen) -> Outcome:
    """The one that was asked for, with workspace, home and a place for temporary files."""
    wanted = seen.situation.user
    if wanted is None:
        return not_applicable("the sandbox runs as the image's own user")
    if seen.pairs.get("uid") != wanted.partition(":")[0]:
        return broken(f"commands run as uid {seen.pairs.get('uid')}, not {wanted}")
    closed = [line.partition(" ")[2] for line in seen.lines if line.startswith("closed ")]
    return broken(f"cannot write in {', '.join(closed)}") if closed else holds(f"uid {wanted}")


WORKSPACE_PROBES = (
    Probe(
        name="workspace",
        promise="Commands start in /workspace, which is empty and can be written.",
        kind="workspace",
        script=WORKSPACE_SCRIPT,
        judge=judge_workspace,
    ),
    Probe(
        name="plain-user",
        promise="A user without privileges can work: workspace, home, temporary files.",
        kind="workspace",
        script=USER_SCRIPT,
        judge=judge_user,
        needs_user=True,
    ),
)
