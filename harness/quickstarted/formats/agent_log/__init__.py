"""
Agent logs of community games: JSON Lines that show that every action came from a model.

`AgentLogWriter` writes one while a run goes on, `check_log` says whether it keeps the rules,
`withhold` takes prompts and texts out of it, `read_events` reads it for whoever converts it.
"""

from quickstarted.formats.agent_log.checker import LogChecker, LogReport, Verdict
from quickstarted.formats.agent_log.files import check_log, find_logs
from quickstarted.formats.agent_log.model import AgentLogEvent, RequestedAction, Scaffold
from quickstarted.formats.agent_log.reader import read_events
from quickstarted.formats.agent_log.rules import RULES
from quickstarted.formats.agent_log.video import Video, probe_seconds
from quickstarted.formats.agent_log.withhold import CannotWithhold, withhold
from quickstarted.formats.agent_log.writer import AgentLogRefused, AgentLogWriter

__all__ = [
    "RULES",
    "AgentLogEvent",
    "AgentLogRefused",
    "AgentLogWriter",
    "CannotWithhold",
    "LogChecker",
    "LogReport",
    "RequestedAction",
    "Scaffold",
    "Verdict",
    "Video",
    "check_log",
    "find_logs",
    "probe_seconds",
    "read_events",
    "withhold",
]
