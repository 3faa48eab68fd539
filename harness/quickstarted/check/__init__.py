"""
The success check: the script that decides whether an attempt passed.

`plan` says what is asserted, `script` turns that into one shell script around the author's own
(with the functions of `lib/` and the programs of `programs/`), `outputs` gathers what the agent's
commands printed, and `running` runs the script in a sandbox and says how it ended.
"""

from quickstarted.check.outputs import collect_output
from quickstarted.check.plan import CheckPlan, ExpectOutput, WaitHttp, plan_for
from quickstarted.check.running import CheckOutcome, run_check
from quickstarted.check.script import build_script, show_script

__all__ = [
    "CheckOutcome",
    "CheckPlan",
    "ExpectOutput",
    "WaitHttp",
    "build_script",
    "collect_output",
    "plan_for",
    "run_check",
    "show_script",
]
