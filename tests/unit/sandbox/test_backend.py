import re
from pathlib import Path

import quickstarted.sandbox
from quickstarted.sandbox.backend import Phases, with_task_env
from quickstarted.sandbox.lanes.trust import trust_environment

TASK = {"FOO": "1", "PIP_CERT": "/own.pem", "NO_PROXY": "db", "JAVA_TOOL_OPTIONS": "-Xmx1g"}


def test_the_task_may_set_our_variables_and_adds_to_those_that_are_lists():
    trust = trust_environment("10.213.0.2", [], TASK)

    env = with_task_env(trust, TASK)

    assert (env["FOO"], env["PIP_CERT"]) == ("1", "/own.pem")
    assert env["NO_PROXY"] == "localhost,127.0.0.1,::1,0.0.0.0,db"
    assert env["JAVA_TOOL_OPTIONS"].startswith("-Xmx1g -Djavax.net.ssl.trustStore=")


def test_phases_name_what_took_how_long_and_the_whole():
    phases = Phases()
    with phases.timed("network"):
        pass

    finished = phases.finished(sidecar=0.123456)

    assert list(finished) == ["network", "sidecar", "total"]
    assert finished["sidecar"] == 0.1235
    assert finished["total"] >= finished["network"] >= 0


def test_the_folders_readme_has_a_line_for_every_file():
    folder = Path(next(iter(quickstarted.sandbox.__path__)))
    named = re.findall(r"^- `([\w/]+\.py)`", (folder / "README.md").read_text(), re.MULTILINE)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}

    assert set(named) == {name for name in files if not name.endswith("__init__.py")}
