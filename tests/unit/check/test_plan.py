import pytest

from quickstarted.check import CheckPlan, ExpectOutput, WaitHttp, plan_for
from quickstarted.errors import CheckFault
from quickstarted.task import load_task

HEAD = "name: x\ngoal: do it\ndocs:\n  entrypoint: https://docs.example/\nsuccess:\n"


@pytest.fixture
def plan(tmp_path):
    """The plan of a task with this `success` block; files by name beside the task."""

    def plan(success, **files):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        path = tmp_path / "x.yaml"
        path.write_text(HEAD + "".join(f"  {line}\n" for line in success.splitlines()), "utf-8")
        return plan_for(load_task(path))

    return plan


def test_a_script_alone_has_the_default_time(plan):
    assert plan("script: test -f app.py") == CheckPlan(script="test -f app.py", timeout_s=300.0)


def test_every_part_is_taken_over(plan):
    assert plan(
        "serve: flask run -p $QS_PORT\n"
        "wait_http: {path: /a, status: 201, contains: it's, matches: ^x, timeout: 2.5,\n"
        "            json: {a.b: ok, n: 1, on: true, no: null, v: '1.0'}}\n"
        "expect_output: {contains: [one, two], matches: '^t'}\n"
        "script: 'true'\n"
        "timeout: 90\n"
    ) == CheckPlan(
        serve="flask run -p $QS_PORT",
        wait_http=WaitHttp(
            target="/a",
            status=201,
            contains=("it's",),
            matches=("^x",),
            json=(("a.b", '"ok"'), ("n", "1"), ("on", "true"), ("no", "null"), ("v", '"1.0"')),
            timeout_s=2.5,
        ),
        expect_output=ExpectOutput(contains=("one", "two"), matches=("^t",)),
        script="true",
        timeout_s=90.0,
    )


@pytest.mark.parametrize(
    ("where", "target"),
    [
        ("path: /", "/"),
        ("path: /a?b=c&d=%20#e", "/a?b=c&d=%20#e"),
        ("path: /é'", "/%C3%A9'"),
        ("url: http://localhost:3000/x", "http://localhost:3000/x"),
        ("url: http://[::1]:3000/", "http://[::1]:3000/"),
    ],
)
def test_a_target_is_ascii_and_else_as_written(plan, where, target):
    assert (
        target
        == plan(
            f'wait_http:\n  "{where.partition(": ")[0]}": "{where.partition(": ")[2]}"'
        ).wait_http.target
    )


@pytest.mark.parametrize(
    ("content", "script"),
    [
        (b"#!/bin/sh\r\ntest -f a\r\n", "#!/bin/sh\ntest -f a\n"),
        (b"printf 'a\r\n'\ntest -f a\n", "printf 'a\r\n'\ntest -f a\n"),
        (b"test -f a", "test -f a"),
    ],
    ids=["a Windows checkout", "one that is meant", "no line end"],
)
def test_line_ends_of_a_windows_checkout_are_made_right(plan, content, script):
    assert script == plan("file: check.sh", **{"check.sh": content}).script


def test_a_nul_character_in_a_file_is_refused_with_what_to_do(plan):
    with pytest.raises(CheckFault, match="NUL character"):
        plan("file: check.sh", **{"check.sh": b"test -f a\0b\n"})


def test_a_json_key_that_cannot_be_asked_for_is_refused(plan):
    with pytest.raises(CheckFault, match=r'"a=b" has a "="'):
        plan("wait_http: {path: /, json: {a=b: 1}}")


@pytest.mark.parametrize(
    ("parts", "reads"),
    [
        ({"script": "test -f a"}, False),
        ({"script": "f() { qs_expect_output --contains x; }"}, True),
        ({"expect_output": ExpectOutput(contains=("x",))}, True),
        ({"wait_http": WaitHttp(target="/")}, False),
    ],
)
def test_the_outputs_are_wanted_only_where_they_are_asked_for(parts, reads):
    assert reads == CheckPlan(**parts).reads_output
