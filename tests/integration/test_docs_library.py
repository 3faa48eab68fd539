"""What the attempts of a run share of documentation, and what is kept between runs."""

import resource
import threading
import time
from pathlib import Path

import pytest

from fakes.docs_server import DocsServer, page, redirect
from quickstarted.docs import (
    Blocked,
    Changed,
    DocsClient,
    DocsLibrary,
    DocsOptions,
    DocsRules,
    HostHeaders,
    Page,
)

LOCAL = ("127.0.0.1", "localhost")
RULES = DocsRules(allow_hosts=LOCAL, private_hosts=LOCAL)
ROBOTS = {"/robots.txt": page("", 404)}


class Answering:
    """A page that is as the server has it now, and 304 to whoever has that already."""

    def __init__(self, body, **validators):
        self.body = body
        self.validators = validators
        self.asked = []

    def __call__(self, headers):
        self.asked.append(headers)
        known = (headers.get("if-none-match"), headers.get("if-modified-since"))
        has = (self.validators.get("etag"), self.validators.get("last_modified"))
        if any(value and value == own for value, own in zip(known, has, strict=True)):
            return 304, self.validators, b""
        return page(self.body, **self.validators)


class ConditionalServer(DocsServer):
    """Hands `Answering` the headers of the request."""

    def next_answer(self, path):
        answer = super().next_answer(path)
        return answer(self.requests[-1][1]) if isinstance(answer, Answering) else answer


def run(url, folder, freshness="revalidate", rules=RULES, note=lambda _: None):
    """One read in a run of its own."""
    options = DocsOptions(cache_dir=folder, freshness=freshness)
    with DocsLibrary(options, note=note) as library, DocsClient(rules, library) as client:
        return client.read(url)


@pytest.mark.parametrize(
    "validators",
    [
        {"etag": '"1"'},
        {"etag": 'W/"1"'},
        {"last_modified": "Wed, 21 Oct 2015 07:28:00 GMT"},
        {"etag": '"1"', "last_modified": "Wed, 21 Oct 2015 07:28:00 GMT"},
    ],
)
def test_a_page_that_is_still_the_same_is_not_transferred_again(tmp_path, validators):
    answer = Answering("<p>a</p>", **validators)
    with ConditionalServer({**ROBOTS, "/a": answer}) as server:
        first, second = (run(server.url("/a"), tmp_path).outcome for _ in range(2))

    assert (first.from_cache, second.from_cache) == (False, True)
    assert (first.text, first.content_hash) == (second.text, second.content_hash)
    assert (second.status, second.content_type) == (200, "text/html")
    assert "if-none-match" not in answer.asked[0]
    assert len(answer.asked) == 2


def test_a_page_that_has_changed_or_has_no_validator_is_fetched_again(tmp_path):
    changed = Answering("<p>one</p>", etag='"1"')
    answers = {**ROBOTS, "/a": changed, "/b": [page("<p>b1</p>"), page("<p>b2</p>")]}
    with ConditionalServer(answers) as server:
        run(server.url("/a"), tmp_path)
        run(server.url("/b"), tmp_path)
        changed.body, changed.validators = "<p>two</p>", {"etag": '"2"'}
        newer = run(server.url("/a"), tmp_path)
        other = run(server.url("/b"), tmp_path)

    assert (newer.outcome.text, newer.outcome.from_cache, newer.changed) == ("two", False, ())
    assert (other.outcome.text, other.outcome.from_cache) == ("b2", False)


def test_refresh_fetches_without_conditions_and_says_what_changed_once_an_attempt(tmp_path):
    answer = Answering("<p>one</p>", etag='"1"')
    same = Answering("<p>same</p>", etag='"1"')
    with ConditionalServer({**ROBOTS, "/a": answer, "/b": same}) as server:
        run(server.url("/a"), tmp_path)
        run(server.url("/b"), tmp_path)
        answer.body = "<p>two</p>"
        options = DocsOptions(cache_dir=tmp_path, freshness="refresh")
        readings = []
        with DocsLibrary(options) as library:
            for _ in range(2):
                with DocsClient(RULES, library) as client:
                    readings.append([client.read(server.url(path)) for path in ("/a", "/a", "/b")])

    said = (Changed(url=server.url("/a"), content_hash=readings[0][0].outcome.content_hash),)
    assert [[said, (), ()]] * 2 == [[one.changed for one in attempt] for attempt in readings]
    assert "if-none-match" not in answer.asked[-1]
    assert (len(answer.asked), len(same.asked)) == (2, 2)


def test_offline_reads_what_is_kept_over_redirects_and_asks_nobody(tmp_path):
    answers = {
        **ROBOTS,
        "/old": redirect("/stub", 301),
        "/stub": page('<meta http-equiv="refresh" content="0; url=/a"><p>Redirecting</p>'),
        "/a": page("<p>a</p>"),
        "/gone": page("<p>Try /a</p>", 404),
    }
    with DocsServer(answers) as server:
        urls = [server.url(path) for path in ("/old", "/gone")]
        online = [run(url, tmp_path) for url in urls]
    offline = [run(url, tmp_path, "offline") for url in urls]

    assert offline[0].outcome.text == online[0].outcome.text == "a"
    assert offline[0].outcome.from_cache
    assert offline[0].hops == online[0].hops
    assert offline[1].outcome == online[1].outcome


def test_a_page_that_is_not_kept_says_offline_what_to_do(tmp_path):
    outcome = run(
        "https://docs.example/a", tmp_path, "offline", DocsRules(allow_hosts=("docs.example",))
    )

    assert outcome.outcome == Blocked(
        url="https://docs.example/a",
        reason="offline_cache_miss",
        detail=f"https://docs.example/a is not stored in {tmp_path}. Run once without --offline to"
        " store it.",
    )


def test_what_a_server_forbids_to_store_is_not_and_offline_says_so(tmp_path):
    answer = page("<p>a</p>", cache_control="private, No-Store")
    with DocsServer({**ROBOTS, "/a": answer}) as server:
        assert run(server.url("/a"), tmp_path).outcome.text == "a"
        outcome = run(server.url("/a"), tmp_path, "offline").outcome

    assert outcome.reason == "offline_cache_miss"
    assert "because 127.0.0.1 asks for that (Cache-Control: no-store)" in outcome.detail


def test_what_is_read_with_headers_is_never_on_disk(tmp_path):
    own = HostHeaders(host="127.0.0.1", headers=(("authorization", "Bearer secret"),))
    rules = DocsRules(allow_hosts=LOCAL, private_hosts=LOCAL, headers=(own,))
    with DocsServer({**ROBOTS, "/a": page("<p>a</p>", etag='"1"')}) as server:
        assert run(server.url("/a"), tmp_path, rules=rules).outcome.text == "a"
        offline = run(server.url("/a"), tmp_path, "offline", rules).outcome
        without = run(server.url("/a"), tmp_path, "offline").outcome

    assert [] == [path for path in tmp_path.rglob("*") if path.is_file()]
    assert "is read with docs.headers" in offline.detail
    assert without.reason == "offline_cache_miss"


def test_a_failure_for_now_leaves_the_kept_page_alone(tmp_path):
    answers = {**ROBOTS, "/a": [page("<p>a</p>", etag='"1"'), page("down", 500)]}
    with DocsServer(answers) as server:
        run(server.url("/a"), tmp_path)
        assert run(server.url("/a"), tmp_path).outcome.status == 500

    assert run(server.url("/a"), tmp_path, "offline").outcome.text == "a"


def test_forty_attempts_ask_once_for_a_page_and_for_robots(tmp_path):
    answers = {"/robots.txt": page("", 404), "/a": page("<p>a</p>"), "/b": page("<p>b</p>")}
    texts = []

    def attempt(library, server):
        with DocsClient(RULES, library) as client:
            texts.extend(client.read(server.url(path)).outcome.text for path in ("/a", "/b", "/a"))

    with DocsServer(answers) as server, DocsLibrary(DocsOptions(cache_dir=tmp_path)) as library:
        threads = [threading.Thread(target=attempt, args=(library, server)) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sorted(texts) == ["a"] * 80 + ["b"] * 40
    assert sorted(server.paths()) == ["/a", "/b", "/robots.txt"]


def test_an_attempt_keeps_its_version_and_a_failure_is_asked_for_again():
    answers = {**ROBOTS, "/a": [page("x", 500), page("<p>one</p>"), page("<p>two</p>")]}
    with (
        DocsServer(answers) as server,
        DocsLibrary() as library,
        DocsClient(RULES, library) as first,
        DocsClient(RULES, library) as second,
    ):
        failed = first.read(server.url("/a")).outcome
        texts = [one.read(server.url("/a")).outcome.text for one in (first, second, first)]

    assert failed.status == 500
    assert texts == ["one"] * 3


def test_tasks_with_other_rules_share_no_pages():
    closed = DocsRules(allow_hosts=LOCAL)
    with (
        DocsServer({**ROBOTS, "/a": page("<p>a</p>")}) as server,
        DocsLibrary() as library,
        DocsClient(RULES, library) as opened,
        DocsClient(closed, library) as other,
    ):
        assert isinstance(opened.read(server.url("/a")).outcome, Page)
        assert other.read(server.url("/a")).outcome.reason == "private_address"


def test_a_full_disk_costs_a_note_and_no_page(tmp_path):
    notes = []
    big = page("<p>a</p>" + " " * 50_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with DocsServer({**ROBOTS, "/a": big, "/b": big}) as server:
        options = DocsOptions(cache_dir=tmp_path)
        with (
            DocsLibrary(options, note=notes.append) as library,
            DocsClient(RULES, library) as client,
        ):
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
            try:
                texts = [client.read(server.url(path)).outcome.text for path in ("/a", "/b")]
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert texts == ["a", "a"]
    assert notes == [f"note: pages are not kept for later runs: {tmp_path}: File too large"]
    assert [] == [
        path for path in tmp_path.rglob("*") if path.stat().st_size > 1_000 and path.is_file()
    ]


def test_a_folder_that_cannot_be_written_costs_a_note(tmp_path):
    (tmp_path / "v1").write_text("a file where a folder should be")
    notes = []
    with DocsServer({**ROBOTS, "/a": page("<p>a</p>")}) as server:
        outcome = run(server.url("/a"), Path(tmp_path), note=notes.append).outcome

    assert outcome.text == "a"
    assert len(notes) == 1


def test_a_throttle_is_shared_and_holds_no_other_host_back():
    rules = DocsRules(
        allow_hosts=LOCAL, private_hosts=LOCAL, respect_robots=False, min_interval_s=0.2
    )
    answers = {f"/{number}": page("<p>a</p>") for number in range(3)}
    with DocsServer(answers) as server, DocsLibrary() as library:
        waits = []
        for number in range(3):
            with DocsClient(rules, library) as client:
                waits.append(client.read(server.url(f"/{number}")).waited_s)
        with DocsClient(rules, library) as client:
            other = client.read(server.url("/0", host="localhost"))

    assert waits[0] == other.waited_s == 0
    assert all(0 < wait <= 0.2 for wait in waits[1:])


def test_the_wait_that_a_host_asks_for_holds_all_attempts_at_that_host_only():
    rules = DocsRules(allow_hosts=LOCAL, private_hosts=LOCAL, respect_robots=False)
    asked = threading.Event()

    def busy(stream):
        stream.write(b"HTTP/1.1 503 x\r\nretry-after: 1\r\nconnection: close\r\n\r\n")
        asked.set()

    answers = {"/a": [busy, page("<p>a</p>")], "/b": page("<p>b</p>")}
    with DocsServer(answers) as server, DocsLibrary() as library:
        first, second = (DocsClient(rules, library) for _ in range(2))
        thread = threading.Thread(target=first.read, args=(server.url("/a"),))
        thread.start()
        assert asked.wait(10)
        while library._schedule._next_free["127.0.0.1"] <= time.monotonic():
            thread.join(0.001)
        held = second.read(server.url("/b"))
        other = second.read(server.url("/b", host="localhost"))
        thread.join()

    assert 0 < held.waited_s <= 1
    assert other.waited_s == 0


def test_a_crawl_delay_is_kept_to():
    robots = (200, {"content-type": "text/plain"}, b"User-agent: *\nCrawl-delay: 0.2")
    answers = {"/robots.txt": robots, "/a": page("<p>a</p>"), "/b": page("<p>b</p>")}
    with DocsServer(answers) as server, DocsClient(RULES) as client:
        first, second = (client.read(server.url(path)) for path in ("/a", "/b"))

    assert first.waited_s == 0
    assert 0 < second.waited_s <= 0.2
