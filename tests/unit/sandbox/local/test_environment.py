"""What commands have of the caller's variables."""

from __future__ import annotations

import os
import re

import pytest

from quickstarted.sandbox.local.environment import PASSED, clean_environment, find_program

SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!OR)")


def test_no_name_on_the_list_looks_like_a_secret():
    assert [] == [name for name in PASSED if SECRET.search(name.upper())]


def test_what_is_not_on_the_list_is_not_passed():
    caller = {"PATH": "/bin", "LANG": "C", "API_KEY": "x", "HOME": "/root", "EMPTY": ""}

    assert {"PATH": "/bin", "LANG": "C"} == clean_environment(caller, {})


def test_the_task_wins():
    assert {"PATH": "/x", "A": "b"} == clean_environment({"PATH": "/bin"}, {"PATH": "/x", "A": "b"})


def test_there_is_always_a_path():
    assert {"PATH": os.defpath} == clean_environment({}, {})


@pytest.mark.parametrize("path", ["", "relative", "/nowhere:/usr/bin:/bin"])
def test_a_shell_is_found_without_help(path):
    assert find_program("sh", path).startswith("/")


def test_a_program_is_the_first_on_the_path_that_can_be_executed(tmp_path):
    for number, mode in enumerate([0o644, 0o755, 0o755]):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "sh").touch(mode=mode)
    path = os.pathsep.join(str(tmp_path / str(number)) for number in range(3))

    assert str(tmp_path / "1" / "sh") == find_program("sh", path)
    assert "" == find_program("no-such-program", path)
