import os

import pytest

HEAD = "name: x\ngoal: g\ndocs: {entrypoint: https://docs.example/}\n"


@pytest.mark.parametrize(
    ("success", "expected"),
    [
        ("serve: python app.py", "success: asserts nothing: add `script`, `file`, `wait_http` or"),
        ("{}", "success: asserts nothing"),
        ("script: ''", "success.script: asserts nothing: it has no command"),
        ('script: "# todo"', "success.script: asserts nothing: it has no command"),
        ("script: 3", "success.script: expected text, got 3: quote it"),
        ("wait_http: {}", "success.wait_http: needs exactly one of `path` and `url`"),
        ("wait_http: {status: 200}", "success.wait_http: needs exactly one of `path` and `url`"),
        (
            "wait_http: {path: /, url: 'http://127.0.0.1/'}",
            "success.wait_http: needs exactly one of `path` and `url`",
        ),
        ("wait_http: {url: 127.0.0.1/}", "is not an http:// or https:// URL"),
        ("wait_http: {path: /, contains: ''}", "contains: an empty pattern fits everything"),
        ('wait_http: {path: /, contains: "a\\nb"}', "contains: a pattern has one line"),
        ("wait_http: {path: /, json: {a: [1]}}", "json.a: expected text, a number, true, false or"),
        ("wait_http: {path: /, timeout: soon}", "timeout: expected seconds, such as 90"),
        ("expect_output: {}", "success.expect_output: needs `contains` or `matches`"),
        ("expect_output: {contains: []}", "contains: needs at least 1 item"),
        ("expect_output: {contains: ''}", "contains: an empty pattern fits everything"),
        ("expect_output: {contains: [a, '']}", "contains[1]: an empty pattern fits everything"),
        ('expect_output: {matches: "a\\nb"}', "matches: a pattern has one line"),
        ("expect_output: {contains: [{a: b}]}", "contains[0]: expected text, got a map"),
        ("{script: python a.py, leftovers: keep_them}", "leftovers: expected `kill` or `keep`"),
        ("{script: python a.py, timeout: 0}", "timeout: must be more than 0, got 0"),
    ],
)
def test_checks_that_assert_nothing_or_anything_are_rejected(problems, success, expected):
    flow = success if success.startswith("{") else f"{{{success}}}"

    (problem,) = problems(f"{HEAD}success: {flow}\n")

    assert expected in problem


@pytest.mark.parametrize(
    "first",
    ["#!/usr/bin/env python3", "#!/usr/bin/python", "#! /usr/bin/env -S node --x", "#!/bin/zsh"],
)
def test_a_script_for_another_interpreter_is_rejected(problems, first):
    (problem,) = problems(f"{HEAD}success:\n  script: |\n    {first}\n    x = 1\n")

    assert "the check runs in bash or sh" in problem


@pytest.mark.parametrize(
    "first",
    [
        "#!/bin/sh",
        "#!/bin/bash -e",
        "#!/usr/bin/env bash",
        "#! /usr/bin/env -S bash -e",
        "#!/bin/busybox sh",
    ],
)
def test_a_script_for_a_shell_is_accepted(load, first):
    script = load(
        success=f"success:\n  script: |\n    {first}\n    test -f x\n"
    ).success.script_text

    assert f"{first}\ntest -f x\n" == script


def test_a_check_file_is_read_when_the_task_loads(load, tmp_path):
    (tmp_path / "checks").mkdir()
    file = tmp_path / "checks" / "x.sh"
    file.write_bytes(b"\xef\xbb\xbftest -f x\n")

    task = load(success="success: {file: checks/x.sh}\n")
    file.unlink()

    assert task.success.script_text == "test -f x\n"
    assert task.success.file is not None
    assert file == task.success.file.path


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("missing.sh", "there is no file {folder}/missing.sh"),
        ("../outside.sh", "{parent}/outside.sh lies outside the task's folder"),
        ("/etc/hostname", "/etc/hostname lies outside the task's folder"),
        ("link.sh", "{parent}/outside.sh lies outside the task's folder"),
        ("folder", "there is no file {folder}/folder"),
        ("fifo", "there is no file {folder}/fifo"),
        ("python.sh", "asks for python3"),
        ("empty.sh", "asserts nothing"),
        ("latin.sh", "{folder}/latin.sh is not UTF-8: byte 0xe9 at offset 3"),
        ("huge.sh", "{folder}/huge.sh is larger than 1 MB"),
        ("''", "expected text"),
        ("a" * 5000, "cannot be read: File name too long"),
        ('"a/../../a"', "lies outside the task's folder"),
    ],
)
def test_check_files_that_cannot_be_used(problems, tmp_path, file, expected):
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "outside.sh").write_text("true\n")
    (folder / "link.sh").symlink_to(tmp_path / "outside.sh")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "python.sh").write_text("#!/usr/bin/env python3\n")
    (folder / "empty.sh").write_text("\n# nothing\n")
    (folder / "latin.sh").write_bytes(b"caf\xe9\n")
    (folder / "huge.sh").write_bytes(b"#" * 1024 * 1025)
    for path in folder.iterdir():
        path.rename(tmp_path / path.name)
    (tmp_path.parent / "outside.sh").write_text("true\n")
    (tmp_path / "link.sh").unlink()
    (tmp_path / "link.sh").symlink_to(tmp_path.parent / "outside.sh")

    (problem,) = problems(f"{HEAD}success: {{file: {file}}}\n")

    assert expected.format(folder=tmp_path, parent=tmp_path.parent) in problem


def test_script_and_file_together_are_rejected(problems, tmp_path):
    (tmp_path / "x.sh").write_text("test -f x\n")

    (problem,) = problems(f"{HEAD}success: {{script: test -f y, file: x.sh}}\n")

    assert problem == "4:1 success: has both `script` and `file`: keep one"


def test_a_whole_check_is_read(load):
    success = load(
        success="""\
success:
  script: python app.py
  serve: flask run --port $QS_PORT
  wait_http:
    path: /health
    status: 204
    contains: 3.10
    matches: "^ok$"
    json: {ready: true, items.count: 3, ratio: 3.10, name: x, none: null}
    timeout: 1m
  expect_output:
    contains: [one, 404]
    matches: "v[0-9]+"
  timeout: 90
  leftovers: keep
"""
    ).success

    assert success.wait_http is not None
    assert success.expect_output is not None
    assert (
        success.wait_http.path,
        success.wait_http.status,
        success.wait_http.contains,
        success.wait_http.matches,
        success.wait_http.timeout,
    ) == ("/health", 204, "3.10", "^ok$", 60.0)
    assert success.wait_http.json_values == {
        "ready": True,
        "items.count": 3,
        "ratio": 3.1,
        "name": "x",
        "none": None,
    }
    assert success.expect_output.contains == ("one", "404")
    assert (success.timeout, success.leftovers) == (90.0, "keep")


def test_the_check_has_the_time_of_a_command_unless_it_says(load):
    assert load().check_timeout_s == 300.0
    assert load(success="success: {script: python a.py, timeout: 5}\n").check_timeout_s == 5.0
