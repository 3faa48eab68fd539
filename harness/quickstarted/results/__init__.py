"""What attempts amount to (`RunResult`, `SuiteResult`) and where it is written (`ResultsDir`)."""

from quickstarted.results.cells import cell_result
from quickstarted.results.keys import AttemptKey, CellKey
from quickstarted.results.layout import AttemptDir, ResultsDir, SetAside, safe_name
from quickstarted.results.models import (
    CellResult,
    CheckResult,
    Effort,
    FaultResult,
    LocalDocResult,
    MissingAttempt,
    PriceSource,
    RunResult,
    Spread,
    Stopped,
    SuiteResult,
    TryResult,
)
from quickstarted.results.rated import AutoRule, GateResult, GateRule, ModelRate, PassesOfK
from quickstarted.results.record import RunRecord
from quickstarted.results.suite import CallFacts, exit_code, suite_result
from quickstarted.results.summary import Summary, summarise

__all__ = [
    "AttemptDir",
    "AttemptKey",
    "AutoRule",
    "CallFacts",
    "CellKey",
    "CellResult",
    "CheckResult",
    "Effort",
    "FaultResult",
    "GateResult",
    "GateRule",
    "LocalDocResult",
    "MissingAttempt",
    "ModelRate",
    "PassesOfK",
    "PriceSource",
    "ResultsDir",
    "RunRecord",
    "RunResult",
    "SetAside",
    "Spread",
    "Stopped",
    "SuiteResult",
    "Summary",
    "TryResult",
    "cell_result",
    "exit_code",
    "safe_name",
    "suite_result",
    "summarise",
]
