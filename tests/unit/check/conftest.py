from dataclasses import dataclass

import pytest

from fakes.shell_sandbox import SHELLS, ShellSandbox
from quickstarted.check import CheckPlan, run_check


@pytest.fixture(params=SHELLS)
def shell(request):
    return request.param


@dataclass
class Checker:
    sandbox: ShellSandbox

    def run(self, script="", *, outputs=b"", **parts):
        """Run a check of these parts; its time is short, so that a hanging test says so."""
        plan = CheckPlan(script=script, **{"timeout_s": 60.0, **parts})
        return run_check(self.sandbox, plan, outputs)


@pytest.fixture
def checker(shell, tmp_path):
    """Checks in each shell of this machine."""
    return Checker(ShellSandbox(tmp_path, SHELLS[shell]))


@pytest.fixture
def bash_checker(tmp_path):
    """Checks in bash, for what no shell does differently."""
    return Checker(ShellSandbox(tmp_path))
