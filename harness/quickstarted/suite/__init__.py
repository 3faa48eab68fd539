"""Many attempts of one call: which runs when, and that each is on disk before it counts."""

from quickstarted.suite.hooks import Hold, SuiteWatcher
from quickstarted.suite.limits import unused as unused_limits
from quickstarted.suite.made import Attempts
from quickstarted.suite.maker import LocalMaker, Maker
from quickstarted.suite.options import StopRule, SuiteOptions
from quickstarted.suite.room import Floors, Room
from quickstarted.suite.scheduler import Call, Scheduler

__all__ = [
    "Attempts",
    "Call",
    "Floors",
    "Hold",
    "LocalMaker",
    "Maker",
    "Room",
    "Scheduler",
    "StopRule",
    "SuiteOptions",
    "SuiteWatcher",
    "unused_limits",
]
