"""Many attempts of one call: which runs when, and that each is on disk before it counts."""

from quickstarted.suite.hooks import Hold, Phase, SuiteWatcher
from quickstarted.suite.scheduler import SuiteHooks, run_suite

__all__ = ["Hold", "Phase", "SuiteHooks", "SuiteWatcher", "run_suite"]
