import os
from pathlib import Path

import pytest

from quickstarted.errors import TaskInvalid
from quickstarted.task import Position, load_task, parse_task, with_sites

VALID = """\
name: x
goal: do it
docs:
  entrypoint: https://docs.example/
success:
  script: python app.py
"""


def test_a_small_file_is_a_task_with_defaults(write):
    task = load_task(write(VALID))

    assert task.name == "x"
    assert task.route == ("https://docs.example/",)
    assert (
        task.budgets.max_turns,
        task.budgets.max_seconds,
        task.budgets.max_command_seconds,
        task.budgets.max_output_chars,
        task.budgets.max_tokens,
    ) == (20, 480.0, 300.0, 20_000, 0)
    assert (
        task.resources.memory_bytes,
        task.resources.cpus,
        task.resources.pids,
        task.resources.disk_bytes,
    ) == (4 * 1024**3, None, 1000, None)


def test_a_task_knows_its_file(write):
    path = write(VALID)

    source = load_task(path).source

    assert path == source.path
    assert source.text == VALID
    assert len(source.sha256) == 64
    assert Position(6, 3) == source.position(("success", "script"))
    assert Position(5, 1) == source.position(("success", "file"))
    assert f"{path}:6:3 success.script" == source.where(("success", "script"))


def test_a_byte_order_mark_is_no_part_of_the_text(write):
    assert load_task(write(b"\xef\xbb\xbf" + VALID.encode())).name == "x"


def test_windows_line_ends_are_read(write):
    task = load_task(write(VALID.replace("\n", "\r\n")))

    assert task.success.script == "python app.py"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            b"name: x\ngoal: caf\xe9\n",
            ["2:10: not UTF-8: byte 0xe9 at offset 17; save it as UTF-8"],
        ),
        (
            "name: x".encode("utf-16"),
            ["1:1: not UTF-8: byte 0xff at offset 0 (it looks like UTF-16); save it as UTF-8"],
        ),
        (
            b"\xef\xbb\xbfname: \xff",
            ["1:7: not UTF-8: byte 0xff at offset 9; save it as UTF-8"],
        ),
        (b"name: x\x00y\n", ["1:8: contains the control character U+0000: remove it"]),
        (b"a: 1\nb: \x1b[31m\n", ["2:4: contains the control character U+001B: remove it"]),
        (b"", ["1:1: the file is empty: a task is a map that starts with `name:`"]),
        (b"- a\n", ["1:1: the file is a list: a task is a map that starts with `name:`"]),
        (b"hello\n", ['1:1: the file is "hello": a task is a map that starts with `name:`']),
    ],
)
def test_files_that_hold_no_task(problems, text, expected):
    assert expected == problems(text)


def test_a_large_file_is_refused_before_it_is_read(write):
    path = write(VALID.encode() + b"#" * 10 * 1024**2)

    with pytest.raises(TaskInvalid, match="is larger than 1 MB"):
        load_task(path)


def test_a_large_file_without_an_end_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(TaskInvalid, match="is larger than 1 MB"):
        load_task(path)


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo"])
def test_what_is_no_file_is_refused(tmp_path, kind):
    path = tmp_path / "x.yaml"
    if kind == "folder":
        path.mkdir()
    if kind == "fifo":
        os.mkfifo(path)

    with pytest.raises(TaskInvalid, match=r"there is no file|is not a file"):
        load_task(path)


def test_a_name_that_no_file_can_have_is_said():
    with pytest.raises(TaskInvalid, match="cannot be read: File name too long"):
        load_task(Path("a" * 5000))


def test_all_problems_of_a_file_are_reported_in_its_order(problems):
    text = """\
name: x y
goal: 3
docs:
  path: [https://docs.example/, ftp://docs.example/]
  alow: [a]
setup:
  - ok
  -
  - echo: hi
services: redis-server
replay: from_doc
success:
  leftovers: maybe
  wait_http:
    path: index
    status: 1000
budgets:
  max_turns: twenty
  max_turns: 3
  max_tokens: -1
resources: {memory: 4, cpus: true}
"""

    assert problems(text) == [
        '1:1 name: expected letters, digits, ".", "_" and "-" (at most 100), got "x y"',
        "2:1 goal: expected text, got 3: quote it",
        '4:33 docs.path[1]: "ftp://docs.example/" is not an http:// or https:// URL',
        "5:3 docs.alow: unknown key: did you mean `allow`?",
        "8:4 setup[1]: expected text, got nothing",
        (
            '9:5 setup[2]: expected text, got a map: ": " makes a map, so quote the text or write '
            'it as a block after "|"'
        ),
        '10:1 services: expected a list, got "redis-server": write it as an item, "- " before it',
        '11:1 replay: expected a list of commands, or `from_docs`, got "from_doc"',
        '13:3 success.leftovers: expected `kill` or `keep`, got "maybe"',
        '15:5 success.wait_http.path: expected a path that starts with "/", got "index"',
        "16:5 success.wait_http.status: must be at most 599, got 1000",
        '18:3 budgets.max_turns: expected an integer, got "twenty"',
        "19:3 budgets.max_turns: this key is given twice; the first is on line 18",
        "20:3 budgets.max_tokens: must be at least 0, got -1",
        "21:13 resources.memory: expected a size with its unit, such as 512m or 4g, got 4",
        "21:24 resources.cpus: expected a number, got true",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tag: [a]", "7:1 tag: unknown key: did you mean `tags`?"),
        ("max_turns: 3", "7:1 max_turns: unknown key here: did you mean `budgets.max_turns`?"),
        ("memory: 4g", "7:1 memory: unknown key here: did you mean `resources.memory`?"),
        ("resources: {memory_bytes: 4g}", "7:13 resources.memory_bytes: unknown key: did you mean"),
        ("network: {zzz: 1}", "7:11 network.zzz: unknown key: known here are allow, only, private"),
        (
            "secrets: {KEY: {host: [a.b]}}",
            "7:17 secrets.KEY.host: unknown key: did you",
        ),
        ('"\\e[31m": 1', '7:1 "\\x1b[31m": unknown key'),
    ],
)
def test_unknown_keys_say_what_may_be_meant(problems, line, expected):
    assert any(problem.startswith(expected) for problem in problems(VALID + line))


def test_missing_keys_are_named_where_they_belong(problems):
    assert problems("name: x\nsuccess: {serve: x}\n") == [
        "1:1 goal: is required",
        "1:1 docs: is required",
        "2:1 success: asserts nothing: add `script`, `file`, `wait_http` or `expect_output`",
    ]


def test_very_many_problems_are_cut_short(problems):
    found = problems(VALID + "setup:\n" + "  - [a]\n" * 500)

    assert len(found) == 51
    assert found[-1] == "and 450 more"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3.10", "3.10"),
        ("on", "on"),
        ("true", "true"),
        ("010", "010"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("1e3", "1e3"),
        ("null_", "null_"),
    ],
)
def test_text_is_taken_as_it_is_written(load, value, expected):
    task = load(
        f"env: {{V: {value}}}\nsetup: [{value}]\n",
        success=f"success: {{expect_output: {{contains: {value}}}}}\n",
    )

    assert task.success.expect_output is not None
    assert expected == task.env["V"]
    assert (expected,) == task.setup
    assert (expected,) == task.success.expect_output.contains


def test_keys_with_nothing_after_them_mean_their_default(load):
    task = load("setup:\nenv:\nbudgets:\n  max_turns:\nimage:\nresources:\n")

    assert task.setup == ()
    assert task.env == {}
    assert task.budgets.max_turns == 20
    assert task.image is None
    assert task.resources.pids == 1000


def test_metadata_travels_untouched(load):
    task = load("metadata: {date: 2024-01-01, n: [1, 2.5, null, true], deep: {a: {b: c}}}\n")

    assert task.metadata == {
        "date": "2024-01-01",
        "n": [1, 2.5, None, True],
        "deep": {"a": {"b": "c"}},
    }


def test_anchors_of_older_files_still_work(load):
    task = load("setup: &install\n  - pip install x\nreplay: *install\n")

    assert ("pip install x",) == task.setup == task.replay


def test_positions_of_a_task_from_bytes_name_the_given_path():
    with pytest.raises(TaskInvalid) as caught:
        parse_task(b"name: x\n", Path("some/where.yaml"))

    assert all(problem.startswith("some/where.yaml:1:1 ") for problem in caught.value.problems)


def test_sites_of_one_call_come_beside_those_of_the_task(load, tmp_path):
    (tmp_path / "html").mkdir()

    task = with_sites(load(), {"HTTPS://Docs.example": "html"}, tmp_path)

    assert {"https://docs.example/": tmp_path / "html"} == {
        prefix: site.folder for prefix, site in task.docs.sites.items()
    }


def test_a_preview_of_one_call_is_a_host_of_previews(load, tmp_path):
    task = with_sites(load(), {"https://docs.example/a": "https://P.example/x"}, tmp_path)

    assert ("p.example",) == task.docs.preview_hosts
    assert "https://p.example/x" == task.docs.sites["https://docs.example/a"].url


@pytest.mark.parametrize(
    "sites",
    [
        {"docs.example": "."},
        {"https://docs.example/": "nowhere"},
        {"https://docs.example/": "https://p.example/?token=x"},
        {"https://docs.example/": "https://me:secret@p.example/"},
    ],
)
def test_sites_that_cannot_be_are_refused(load, tmp_path, sites):
    with pytest.raises(
        ValueError, match=r"is not an http|there is no folder|a query|a user name or a password"
    ):
        with_sites(load(), sites, tmp_path)


@pytest.mark.parametrize("name", [".hidden", "results.json", "suite.md", "call.json.2"])
def test_a_name_that_no_folder_of_results_can_have_is_refused(problems, name):
    (problem,) = problems(VALID.replace("name: x", f"name: {name}"))
    assert (
        f'1:1 name: names the results folder, in which "{name}" is hidden or another file\'s name'
        == problem
    )
