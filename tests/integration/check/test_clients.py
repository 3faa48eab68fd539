"""Whatever makes the requests, a check says the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fakes import odd_http
from quickstarted.sandbox.protocol import Limits
from quickstarted.verdict import CheckEnding

pytestmark = pytest.mark.docker

PORT = 18080
SITE = f"http://127.0.0.1:{PORT}"
CLIENTS = {
    "python": ("python3",),
    "curl": ("curl", "jq"),
    "node": ("node",),
    "perl": ("perl",),
    "bash": ("bash", "jq"),
    "nc": ("nc", "jq"),
    "busybox": ("busybox=nc", "jq"),
    "wget": ("wget", "jq"),
}
"""The programs that are left for a request and for `--json`; `busybox=nc` is busybox as nc."""

FIRST = "\nthe body begins: first line\nit's -e $5"
JSON = f"\nthe body begins: {odd_http.JSON.decode()}"
TABLE = [
    ("/ok", ""),
    ("/ok?a=b'&'c=%20", ""),
    ("/ok --contains 'first line' --contains \"it's -e \\$5\" --matches '^it.s -e .5$'", ""),
    ("/ok --contains -e", ""),
    ("/ok --contains absent", f"body does not contain absent TIME{FIRST}"),
    ("/ok --matches '^line'", f"no line of the body matches ^line TIME{FIRST}"),
    ("/latin --contains binary --contains last", ""),
    ("/nothing --status 204", ""),
    ("/blank --contains x", "body does not contain x TIME (the body is empty)"),
    ("/missing", "status 404, wanted 200 TIME\nthe body begins: gone"),
    ("/missing --status 404 --contains gone", ""),
    ("/boom", "status 500, wanted 200 TIME\nthe body begins: <h1>boom</h1>" + "x" * 287),
    ("/redirect", "status 302, wanted 200 TIME\nthe body begins: moved"),
    ("/redirect --status 302 --contains moved", ""),
    ("/short", "connection closed in the middle of the answer TIME"),
    ("/garbage", "not an HTTP answer TIME"),
    ("/empty", "connection closed without an answer TIME"),
    ("/silent", "no answer within 1 s TIME"),
    ("/json --json status=ok --json 'status=\"ok\"' --json n=1.0 --json on=true", ""),
    ("/json --json no=null --json 'list.0.a b=é' --json 'o={\"y\": 2, \"x\": 1}'", ""),
    ("/json --json n=true", f"n is 1, wanted true TIME{JSON}"),
    ("/json --json on=1", f"on is true, wanted 1 TIME{JSON}"),
    ("/json --json 'n=\"1\"'", f'n is 1, wanted "1" TIME{JSON}'),
    ("/json --json no=0", f"no is null, wanted 0 TIME{JSON}"),
    ("/json --json status=on", f'status is "ok", wanted on TIME{JSON}'),
    ("/json --json o.z=1", f"body has no o.z TIME{JSON}"),
    ("/json --json list.1=1", f"body has no list.1 TIME{JSON}"),
    ("/json --json 'list.0.a b=x'", f'list.0.a b is "é", wanted x TIME{JSON}'),
    ("/json --json 'o={\"x\":1}'", f'o is {{"x":1,"y":2}}, wanted {{"x":1}} TIME{JSON}'),
    ("/ok --json a=1", f"body is not JSON TIME{FIRST}"),
    ("/blank --json a=1", "body is not JSON TIME (the body is empty)"),
]
"""What is asked, and what is said after `GET URL: `; nothing when it holds."""

WGET_DIFFERS = {
    "/redirect": "status 302, wanted 200 TIME (the body is empty)",
    "/redirect --status 302 --contains moved": "body does not contain moved TIME"
    " (the body is empty)",
}
"""GNU wget does not keep the body of a redirect; it is asked only where nothing else is there."""


@pytest.fixture(scope="module", name="odd")
def _odd(all_clients):
    sandbox = all_clients.sandbox
    sandbox.put_file("/odd_http.py", Path(odd_http.__file__).read_bytes())
    sandbox.start_service("odd", f"exec python3 /odd_http.py {PORT}")
    links = [
        f"mkdir -p /only/{name}; ln -s $(command -v {program}) /only/{name}/{link or program}"
        for name, programs in CLIENTS.items()
        for program, _, link in (each.partition("=") for each in (*programs, "grep", "timeout"))
    ]
    assert all_clients.run(f"qs_wait_http {SITE}/ok").passed
    done = sandbox.run_clean("\n".join(["set -e", *links]), Limits(timeout_s=60), root=True)
    assert (done.exit_code, done.output) == (0, "")
    return all_clients


def said_by(checker, client):
    """What each request of the table brings with this client, in order."""
    script = [
        f"qs__path=/only/{client}",
        'ask() { echo "<<"; (qs_wait_http "$@" --timeout 0) 2>&1; }',
        *(f"ask {SITE}{call}" for call, _ in TABLE),
    ]
    printed = checker.run("\n".join(script), timeout_s=120.0, outputs=b"").output
    return [re.sub(r"after \d+ s", "TIME", each).strip("\n") for each in printed.split("<<\n")[1:]]


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_says_the_same(odd, client):
    expected = []
    for call, why in TABLE:
        path = call.partition(" ")[0]
        if client == "wget":
            why = WGET_DIFFERS.get(call, why)  # noqa: PLW2901 (the one exception)
        expected.append(f"check failed: GET {SITE}{path}: {why}" if why else "")

    said = said_by(odd, client)

    assert len(expected) == len(said)
    assert expected == [each.partition("\ncheck failed: an assertion failed")[0] for each in said]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:1/", "connection refused"),
        ("http://localhost:1/", "connection refused"),
        ("http://nobody.invalid/", "cannot resolve nobody.invalid"),
    ],
)
def test_each_client_says_the_same_of_who_is_not_there(odd, client, url, why):
    outcome = odd.run(
        f"unset HTTP_PROXY http_proxy\nqs__path=/only/{client}\nqs_wait_http {url} --timeout 0"
    )

    said = re.sub(r"after \d+ s", "TIME", outcome.output)
    assert f"check failed: GET {url}: {why} TIME\n" == said


@pytest.mark.parametrize(
    ("client", "broken"),
    [("perl", True), ("bash", True), ("nc", True), ("curl", False), ("wget", False)],
)
def test_https_is_left_to_clients_that_can(odd, client, broken):
    outcome = odd.run(f"qs__path=/only/{client}\nqs_wait_http https://localhost:1/ --timeout 0")

    assert (CheckEnding.BROKEN if broken else CheckEnding.FAILED) == outcome.ending
    assert broken == ("https needs python3, curl, node or wget" in outcome.output)


def test_a_node_server_is_served_and_asked(odd):
    outcome = odd.run(
        serve='exec node -e \'require("http").createServer((q, a) => a.end(JSON.stringify('
        "{path: q.url, ok: [true]}))).listen(process.env.QS_PORT)'",
        script="qs_wait_http '/a?b=1' --json 'path=/a?b=1' --json ok.0=true",
    )

    assert (CheckEnding.PASSED, "") == (outcome.ending, outcome.output)
