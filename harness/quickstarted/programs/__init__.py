"""
Agent programs that run inside a sandbox: which versions, from where, and what of them is kept.

Taken from the npm registry as the packages that their makers publish, each pinned to a version and
to the hash of its archive, and kept on this machine; nothing of a registry's client is needed, and
no Node in the sandbox.
"""

from quickstarted.programs.catalogue import CLAUDE_CODE, CODEX, RELEASES
from quickstarted.programs.download import fetch
from quickstarted.programs.release import PROGRAMS_DIR, Package, Release
from quickstarted.programs.unpack import packed

__all__ = [
    "CLAUDE_CODE",
    "CODEX",
    "PROGRAMS_DIR",
    "RELEASES",
    "Package",
    "Release",
    "fetch",
    "packed",
]
