"""Servers and requests in each shell of this machine; the clients one by one are in integration."""

import re

import pytest

from fakes.odd_http import OddServer
from quickstarted.check import WaitHttp
from quickstarted.verdict import CheckEnding

PASSED, FAILED, BROKEN = CheckEnding.PASSED, CheckEnding.FAILED, CheckEnding.BROKEN
PORT = '"$QS_PORT"'
SERVE = 'exec python3 -m http.server --bind 127.0.0.1 "$QS_PORT"'
TIME = re.compile(r"after \d+ s")
SLOW = (
    "import os, time, http.server as h; time.sleep(0.6);"
    " h.test(h.SimpleHTTPRequestHandler, port=int(os.environ['QS_PORT']))"
)


@pytest.fixture(scope="module")
def site():
    with OddServer() as server:
        yield f"http://127.0.0.1:{server.port}"


def test_a_server_is_started_asked_and_ended(checker):
    wait = WaitHttp(target="/", contains=("Directory listing",), timeout_s=40)

    outcome = checker.run("echo port=$QS_PORT", serve=SERVE, wait_http=wait)
    port = int(outcome.output.removeprefix("port="))

    assert outcome.ending == PASSED
    assert checker.run(f"qs_wait_http http://127.0.0.1:{port}/ --timeout 0").ending == FAILED


def test_a_server_that_comes_up_late_is_waited_for(checker):
    outcome = checker.run(f'qs_serve python3 -c "{SLOW}" || exit\nqs_wait_http / --timeout 40\n')

    assert (outcome.ending, outcome.output) == (PASSED, "")


def test_a_server_that_dies_is_told_at_once_with_its_log(checker):
    outcome = checker.run(
        serve="echo loading; sleep 0.3; echo 'no module app' >&2; exit 3",
        wait_http=WaitHttp(target="/", timeout_s=50),
    )

    assert (outcome.ending, outcome.exit_code) == (FAILED, 1)
    assert (
        "connection refused; the server (echo loading; sleep 0.3; echo 'no module app' >&2; exit 3)"
        " ended with exit code 3\n"
        "--- the end of the log of: echo loading; sleep 0.3; echo 'no module app' >&2; exit 3\n"
        "loading\nno module app\n"
    ) in outcome.output


def test_a_server_that_is_killed_is_told_at_once(checker):
    outcome = checker.run(
        "qs_serve 'sleep 2'\n"
        'read -r pid <"$qs__dir/server.0.pid"\nkill -9 "$pid"\nsleep 0.1\n'
        "qs_wait_http / --timeout 50\n"
    )

    assert "the server (sleep 2) was killed\n" in outcome.output


def test_a_command_that_puts_its_server_in_the_background_has_not_died(checker):
    outcome = checker.run(serve=f'python3 -c "{SLOW}" &', wait_http=WaitHttp(target="/"))

    assert outcome.ending == PASSED


def test_every_server_is_ended_with_all_that_it_started(checker):
    outcome = checker.run(
        "qs_serve 'sleep 61.5 & (trap \"\" TERM; sleep 61.5; sleep 61.5) & exec sleep 61.5'\n"
        "qs_serve env -u QS_SERVED sh -c 'sleep 61.5; true'\n"
        "qs_serve 'setsid sleep 61.5 >/dev/null & true'\n"
        "sleep 0.5\n"
        "grep -l 61.5 /proc/[0-9]*/cmdline 2>/dev/null | wc -l\n"
    )
    left = checker.run("for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null")

    assert outcome.ending == PASSED
    assert int(outcome.output) >= 5
    assert "sleep 61.5" not in left.output


def test_a_server_may_be_a_function_and_a_check_may_wait_for_its_own_jobs(checker):
    outcome = checker.run(
        f'prefix="-m http.server"\nrun() {{ python3 $prefix --bind 127.0.0.1 "$1"; }}\n'
        f"qs_serve run {PORT}\n"
        "qs_serve 'run 0'\n"
        "qs_wait_http / --timeout 40\n"
        "sleep 0.1 &\nwait\n"
    )

    assert outcome.ending == PASSED


def test_the_log_is_shown_when_the_authors_own_assertion_fails(checker):
    outcome = checker.run("sleep 0.3; exit 4", serve="echo 'a clue'; sleep 60")

    assert outcome.exit_code == 4
    assert "--- the end of the log of: echo 'a clue'; sleep 60\na clue\n" in outcome.output


def test_a_check_that_passes_shows_no_log(checker):
    assert checker.run("sleep 0.3", serve="echo 'a clue'; sleep 60").output == ""


FIRST_LINES = "the body begins: first line\nit's -e $5\n"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("/boom", "status 500, wanted 200 TIME\nthe body begins: <h1>boom</h1>" + "x" * 287 + "\n"),
        ("/ok --contains absent", f"body does not contain absent TIME\n{FIRST_LINES}"),
        ("/ok --matches ^line", f"no line of the body matches ^line TIME\n{FIRST_LINES}"),
        ("/blank --contains x", "body does not contain x TIME (the body is empty)\n"),
        ("/json --json on=1", 'on is true, wanted 1 TIME\nthe body begins: {"status": "ok"'),
        ("/silent", "no answer within 1 s TIME\n"),
        ("/redirect", "status 302, wanted 200 TIME\nthe body begins: moved\n"),
    ],
)
def test_a_wrong_answer_is_said_exactly(checker, site, call, why):
    outcome = checker.run(f"qs_wait_http {site}{call} --timeout 0")

    path = call.partition(" ")[0]
    said = TIME.sub("TIME", outcome.output)
    assert said.startswith(f"check failed: GET {site}{path}: {why}")
    assert (outcome.ending, outcome.exit_code) == (FAILED, 1)


def test_of_nobody_there_the_port_is_said(bash_checker):
    outcome = bash_checker.run(
        wait_http=WaitHttp(target="/x?y=1#z", timeout_s=0.75), script="echo no"
    )

    port = outcome.output.partition("127.0.0.1:")[2].partition("/")[0]
    assert (
        f"check failed: GET http://127.0.0.1:{port}/x?y=1: connection refused TIME\n"
        == TIME.sub("TIME", outcome.output)
    )


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("", "needs a path or a URL"),
        ("/ --status", "--status needs a value"),
        ("/ --status ok", "--status takes a number like 200, got ok"),
        ("/ --timeout soon", "--timeout takes seconds, got soon"),
        ("/ --timeout 1.2.3", "--timeout takes seconds, got 1.2.3"),
        ("/ --body x", "unknown option --body"),
        ("/ --json status", "--json takes KEY=VALUE, got status"),
        ("/ --json =1", "--json takes KEY=VALUE, got =1"),
        ("/ --matches '(x'", "not an extended regular expression: (x"),
        ("/ --contains ''", "needs a text that is not empty"),
        ("'/a b'", "write spaces and letters beyond ASCII as %XX"),
        ("/é", "write spaces and letters beyond ASCII as %XX"),
        ("ftp://localhost/", "not an http URL"),
        ("http://me@localhost/", "not a URL of a host"),
        ("http://localhost:x/", "not a port: x"),
    ],
)
def test_a_call_that_makes_no_sense_is_broken_and_not_failed(bash_checker, call, why):
    outcome = bash_checker.run(f"qs_wait_http {call}")

    assert outcome.ending == BROKEN
    assert why in outcome.output


@pytest.mark.parametrize("seconds", ["0", "0.1", ".1", "0.", "08", "00.09", "1.255"])
def test_seconds_may_be_written_in_every_usual_way(checker, site, seconds):
    assert checker.run(f"qs_wait_http {site}/ok --timeout {seconds}").ending == PASSED


def test_without_any_client_the_image_is_at_fault(bash_checker):
    outcome = bash_checker.run("qs__path=/nowhere\nqs_wait_http /")

    assert outcome.ending == BROKEN
    assert "nothing in this image can ask a web server" in outcome.output


def test_without_a_reader_of_json_the_image_is_at_fault(bash_checker):
    outcome = bash_checker.run(
        "qs__path=/nowhere:$(dirname $(command -v grep))/none\nqs_wait_http / --json a=1"
    )

    assert outcome.ending == BROKEN
    assert "--json needs python3, node, jq or perl with JSON::PP" in outcome.output


def test_the_port_is_free(checker):
    outcome = checker.run(
        'python3 -c "import socket, os\n'
        's = socket.socket(); s.bind((\\"127.0.0.1\\", int(os.environ[\\"QS_PORT\\"])))"'
    )

    assert outcome.ending == PASSED


def test_ports_that_are_taken_are_passed_over(checker):
    outcome = checker.run(
        "first=$((20000 + $$ % 10000))\n"
        "cat() { printf '  0: 0100007F:%04X 00000000:0000 0A\\n' $first $((first + 1)); }\n"
        "qs__choose_port\n"
        "echo $((QS_PORT - first))\n"
    )

    assert outcome.output == "2\n"


def test_a_port_that_is_set_already_is_kept(checker):
    checker.sandbox.env["QS_PORT"] = "4711"

    assert checker.run("echo $QS_PORT").output == "4711\n"


def test_where_no_file_can_be_made_only_what_needs_one_is_broken(checker):
    checker.sandbox.env["TMPDIR"] = "/nowhere"

    assert checker.run("true").ending == PASSED
    assert ((bad := checker.run("qs_fail x")).ending, bad.exit_code) == (FAILED, 1)
    served = checker.run("qs_serve sleep 1")
    assert served.ending == BROKEN
    assert "qs_serve cannot make a temporary directory in /nowhere" in served.output
