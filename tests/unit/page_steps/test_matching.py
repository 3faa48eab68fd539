"""Whether a command of a task stands on a page."""

import pytest

from quickstarted.page_steps.matching import Documented, files_written

PAGE = """\
Call `tool --quick` if you like.

```console
$ python3 -m venv .venv
(.venv) $ pip install  Tool
$ tool new app && cd app
```

```python
import tool
    tool.run( 1 )
```

```powershell
tool windows
```
"""


def documented():
    found = Documented()
    found.add("https://docs.example/", PAGE)
    return found


@pytest.mark.parametrize(
    "command",
    [
        "pip install Tool",
        "pip3 install -y Tool",
        ".venv/bin/pip install Tool",
        "python -m pip install Tool",
        "sudo pip install Tool",
        "tool --quick",
        "mkdir x && cd x && tool new app",
        "python3 -m venv .venv",
        ". .venv/bin/activate",
        "cat > a.py <<'E'\nimport tool\n\n  tool.run( 1 )\nE",
    ],
)
def test_what_a_reader_would_call_the_same_stands_there(command):
    assert [] == documented().missing(command)


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("pip install tool", ["pip install tool"]),
        ("pip install Tool==2", ["pip install Tool==2"]),
        ("tool new app2", ["tool new app2"]),
        ("tool --quicker && pip install Tool", ["tool --quicker"]),
        ("cat > a.py <<'E'\nimport tools\nE", ["import tools"]),
    ],
)
def test_other_names_versions_and_options_do_not(command, missing):
    assert missing == documented().missing(command)


def test_the_closest_command_is_named_with_its_place():
    place = documented().closest("pip install Tol")

    assert place is not None
    assert ("pip install  Tool", "https://docs.example/", 4) == (place.text, place.url, place.line)


def test_what_is_typed_at_an_interpreter_stands_there_too():
    found = Documented()
    found.add("https://docs.example/", "```\n>>> import tool\n... more\nmydb=> SELECT 1;\n```\n")

    assert [] == found.missing("cat > a <<'E'\nimport tool\nmore\nSELECT 1;\nE")


def test_files_that_commands_write_are_known():
    assert ["a.py", "b.txt"] == list(files_written(["cat > a.py <<'E'\nx\nE", "ls >> b.txt"]))


def test_nothing_is_close_to_something_else():
    assert documented().closest("zzz qqq xxx") is None
