"""
What a sandbox promises, asked from inside it.

`model` is what a probe is; `PROBES` has all of them; `running` asks them in any sandbox of any
backend; `situation` is what they are told of the world outside. `quickstarted doctor` runs them on
a user's machine, the contract suite on every backend.
"""

from quickstarted.probes.hardening import HARDENING
from quickstarted.probes.isolation import ISOLATION
from quickstarted.probes.limits import LIMITS
from quickstarted.probes.model import Outcome, Probe, Seen, Situation, State
from quickstarted.probes.passage import PASSAGE
from quickstarted.probes.running import ProbeResult, run_probes
from quickstarted.probes.trust import TRUST
from quickstarted.probes.workspace import WORKSPACE_PROBES

PROBES: tuple[Probe, ...] = (
    *ISOLATION,
    *PASSAGE,
    *TRUST,
    *LIMITS,
    *HARDENING,
    *WORKSPACE_PROBES,
)
"""In the order in which they are asked."""

__all__ = [
    "PROBES",
    "Outcome",
    "Probe",
    "ProbeResult",
    "Seen",
    "Situation",
    "State",
    "run_probes",
]
