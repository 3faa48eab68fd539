"""What counts as named: words as words, lines of here documents as lines."""

from __future__ import annotations

import pytest
import yaml

from examples.naming import unnamed
from quickstarted.task import parse_task

PAGES = """\
Install it: `pip install Tool`, then run `tool --fast` from docs.example.

```python
import tool
    tool.run( "now" )
```
"""
BODY = """\
cat > tool.py <<'PYTHON'
import tool

{line}
PYTHON
"""


def missing(tmp_path, **keys):
    task = {
        "name": "probe",
        "goal": "Do it.",
        "docs": {"path": ["https://docs.example/"]},
        "success": {"expect_output": {"contains": "done"}},
        **keys,
    }
    return unnamed(parse_task(yaml.safe_dump(task).encode(), tmp_path / "probe.yaml"), PAGES)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python3 -m venv .venv && .venv/bin/pip install Tool", []),
        ("pip install tool", []),
        ("pip install Tools", ["Tools"]),
        ("pip install Tool==1.2", []),
        ("tool --faster", ["--faster"]),
        ("tool --fast | tee log.txt", ["tee", "log.txt"]),
        ("apt-get update", ["apt-get", "update"]),
        (BODY.format(line='tool.run( "now" )'), ["tool.py"]),
        (BODY.format(line='tool.run("later")'), ["tool.py", 'tool.run("later")']),
    ],
)
def test_words_and_lines_of_replay_stand_on_a_page(tmp_path, command, expected):
    assert expected == missing(tmp_path, replay=[command])


def test_setup_may_ask_the_archive_for_what_the_pages_name(tmp_path):
    setup = ["apt-get update", "apt-get install --yes tool extra"]

    assert ["extra"] == missing(tmp_path, setup=setup)


def test_allowed_hosts_stand_on_a_page(tmp_path):
    network = {"allow": ["docs.example", "files.example"]}

    assert ["files.example"] == missing(tmp_path, network=network)
