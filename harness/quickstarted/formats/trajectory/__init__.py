"""
AgentTrajectory: runs of agents as trees of events, in the format of AgentDebugX.

`check_trajectories` is strict; `importing` takes logs of many programs, mends what it can and says
so. The models are the published schema, and what `encode` writes passes the checker.
"""

from quickstarted.formats.trajectory.checker import (
    TrajectoryReport,
    check_trajectories,
    check_value,
)
from quickstarted.formats.trajectory.lenient import NotMendable
from quickstarted.formats.trajectory.model import (
    MAX_UPLOAD_BYTES,
    AgentEvent,
    AgentTrajectory,
    Artifact,
    EventType,
    Modality,
)
from quickstarted.formats.trajectory.rules import RULES
from quickstarted.formats.trajectory.writer import TrajectoryRefused, encode

__all__ = [
    "MAX_UPLOAD_BYTES",
    "RULES",
    "AgentEvent",
    "AgentTrajectory",
    "Artifact",
    "EventType",
    "Modality",
    "NotMendable",
    "TrajectoryRefused",
    "TrajectoryReport",
    "check_trajectories",
    "check_value",
    "encode",
]
