"""`validate --check-urls` against a real server that has every kind of problem."""

from __future__ import annotations

import json

import pytest
import yaml

from fakes.docs_server import DocsServer, page, redirect
from quickstarted.cli import run_cli

START = page(
    "<h1>Start</h1><h2 id='install'>Install</h2>"
    "<pre class='language-console'>$ pip install Tool</pre><p>Then <code>tool --fast</code>.</p>"
)
ANSWERS = {
    "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private\n"),
    "/": page("<h1>Home</h1>"),
    "/start": START,
    "/script": page("<div id='root'></div><script>x()</script>"),
    "/empty": page(""),
    "/broken": page("", 500),
    "/pdf": (200, {"content-type": "application/pdf"}, b"%PDF"),
    "/old": redirect("/start"),
    "/gone": redirect("/"),
    "/loop": redirect("/loop"),
    "/elsewhere": redirect("https://other.example/start"),
}


@pytest.fixture(scope="module", name="server")
def _server():
    with DocsServer(ANSWERS) as server:
        yield server


@pytest.fixture(name="findings")
def _findings(tmp_path, server, capsys):
    """`findings(paths, replay)`: exit code, and what is said about a task with these pages."""

    def check(*paths, **keys):
        task = {
            "name": "probe",
            "goal": "Do it.",
            "docs": {"path": [server.url(path, host="localhost") for path in paths]},
            "network": {"private": ["localhost"]},
            "success": {"script": "test -f x || qs_fail no"},
            "replay": ["pip install Tool"],
            **keys,
        }
        file = tmp_path / "probe.yaml"
        file.write_text(yaml.safe_dump(task, sort_keys=False))
        code = run_cli(["validate", "--check-urls", "--json", str(file)])
        (report,) = json.loads(capsys.readouterr().out)["tasks"]
        assert [] == report["problems"]
        return code, report["findings"]

    return check


@pytest.fixture(name="written")
def _written(tmp_path, server):
    """A task whose page is `/start`, and one whose page robots.txt forbids."""

    def write(path):
        task = {
            "name": "probe",
            "goal": "Do it.",
            "docs": {"path": [server.url(path, host="localhost")]},
            "network": {"private": ["localhost"]},
            "success": {"script": "test -f x || qs_fail no"},
            "replay": ["pip install Tool"],
        }
        file = tmp_path / "probe.yaml"
        file.write_text(yaml.safe_dump(task, sort_keys=False))
        return str(file)

    return write


def test_pages_that_are_kept_are_checked_without_asking_anybody(tmp_path, server, written, capsys):
    kept = ("validate", written("/start"), "--check-urls", "--cache-dir", str(tmp_path / "kept"))
    assert 1 == run_cli([*kept, "--offline"])
    said = capsys.readouterr().out
    assert "is not stored in" in said
    assert "    Run once without --offline, so that the page is kept.\n" in said
    assert 0 == run_cli([*kept])

    before = len(server.requests)
    assert 0 == run_cli([*kept, "--offline"])
    assert before == len(server.requests)


def test_what_robots_txt_forbids_is_checked_where_the_call_says_so(written, capsys):
    file = written("/private")
    assert 1 == run_cli(["validate", file, "--check-urls", "--rate-limit", "0"])
    said = capsys.readouterr().out
    assert "robots.txt forbids /private" in said
    assert "    Let robots.txt allow the page, or read it with --ignore-robots.\n" in said

    run_cli(["validate", file, "--check-urls", "--ignore-robots"])
    said = capsys.readouterr()
    assert "HTTP 404" in said.out
    assert "robots.txt of documentation hosts is not asked" in said.err


@pytest.mark.parametrize(
    "flags", [["--offline"], ["--refresh"], ["--rate-limit", "0"], ["--cache-dir", "x"]]
)
def test_how_pages_are_fetched_goes_with_reading_them(written, flags, capsys):
    assert 3 == run_cli(["validate", written("/start"), *flags])
    assert f"{flags[0]} goes with --prove or --check-urls" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/start", "/start#install"])
def test_a_page_that_is_there_needs_no_word(findings, path):
    assert (0, []) == findings(path)


@pytest.mark.parametrize(
    ("path", "code", "severity", "said"),
    [
        ("/missing", "url-unreadable", "error", "HTTP 404"),
        ("/broken", "url-unreadable", "error", "HTTP 500"),
        ("/script", "url-unreadable", "error", "only with JavaScript"),
        ("/empty", "url-unreadable", "error", "empty"),
        ("/pdf", "url-unreadable", "error", "PDF"),
        ("/loop", "url-unreadable", "error", "redirects"),
        ("/private/x", "url-refused", "error", "robots.txt"),
        ("/elsewhere", "url-refused", "error", "leads to https://other.example/start"),
        ("/gone", "url-gone", "error", "leads to http://localhost"),
        ("/old", "url-moved", "warning", "/start"),
        ("/start#gone", "url-no-section", "error", 'has no section "#gone"'),
    ],
)
def test_a_page_that_a_reader_does_not_get_is_named_with_its_key(
    findings, path, code, severity, said
):
    exit_code, found = findings("/", path)

    assert (1 if severity == "error" else 0) == exit_code
    (finding,) = [one for one in found if one["code"] != "replay-not-on-page"]
    assert (code, severity) == (finding["code"], finding["severity"])
    assert said in finding["message"]
    assert "docs.path[1]" == finding["key"]
    assert finding["line"] > 1


def test_a_command_that_stands_on_no_page_is_named_with_the_closest(findings, server):
    code, found = findings(
        "/start", replay=["pip install Tool", "pip install Toool", "tool --fast"]
    )

    assert 0 == code
    (finding,) = found
    assert ("replay-not-on-page", "replay[1]") == (finding["code"], finding["key"])
    assert (
        '"pip install Toool" stands in no code block of the path\'s pages; the closest is'
        f' "pip install Tool" ({server.url("/start", host="localhost")}, line 6)'
    ) == finding["message"]


def test_commands_are_not_compared_where_a_page_is_unknown(findings):
    _, found = findings("/start", "/missing", replay=["something else"])

    assert ["url-unreadable"] == [one["code"] for one in found]


def test_pages_without_code_are_said_where_they_are_to_be_replayed(findings):
    code, found = findings("/", replay="from_docs")

    assert 0 == code
    assert ["page-without-code"] == [one["code"] for one in found]


def test_errors_stand_in_the_text_and_in_the_summary(tmp_path, server, capsys):
    file = tmp_path / "probe.yaml"
    url = server.url("/missing", host="localhost")
    file.write_text(
        f"name: probe\ngoal: Do it.\ndocs: {{path: [{url}]}}\nnetwork: {{private: [localhost]}}\n"
        "replay: [x]\nsuccess: {script: 'test -f x || qs_fail no'}\n"
    )

    assert 1 == run_cli(["validate", "--check-urls", str(file)])

    printed = capsys.readouterr()
    assert f"  error: {file}:3:15 docs.path[0]: {url}: HTTP 404" in printed.out
    assert "1 task file: 0 invalid, 1 error, 0 warnings, 0 notes" in printed.out
    assert f"reading {url}" in printed.err
