"""
AgentTrajectory: runs of agents as trees of events, in the format of AgentDebugX.

`check_trajectories` is strict; the models are the published schema.
"""

from quickstarted.formats.trajectory.checker import (
    TrajectoryReport,
    check_trajectories,
    check_value,
)
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
    "TrajectoryRefused",
    "TrajectoryReport",
    "check_trajectories",
    "check_value",
    "encode",
]
