import pytest

from quickstarted_proxy.budgets import Budget, Budgets, Meter, head_bytes
from quickstarted_proxy.policy import EgressPolicy


def test_a_head_counts_as_http_1_1_writes_it():
    head = b"GET /a?b=c HTTP/1.1\r\nHost: ok.test\r\nX: y\r\n\r\n"

    assert len(head) == head_bytes((b"GET", b"/a?b=c"), [(b"Host", b"ok.test"), (b"X", b"y")])


def test_the_head_of_an_answer_counts_as_http_1_1_writes_it():
    assert len(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n") == head_bytes((b"200", b"OK"), [(b"A", b"b")])


def test_what_fits_exactly_passes():
    budget = Budget("upload", 10)

    assert [True, True, False] == [budget.take(4), budget.take(6), budget.take(1)]
    assert (10, True) == (budget.used_bytes, budget.spent)


def test_when_something_has_crossed_nothing_passes():
    budget = Budget("upload", 10)

    assert [False, False, False] == [budget.take(11), budget.take(1), budget.take(0)]


def test_no_limit_counts_all_the_same():
    budget = Budget("download", None)

    assert budget.take(10**12)
    assert (10**12, False) == (budget.used_bytes, budget.spent)


def test_both_directions_come_from_the_policy():
    budgets = Budgets(EgressPolicy(max_upload_bytes=1, max_download_bytes=2))
    before = budgets.spent()
    budgets.download.take(3)

    assert None is before
    assert budgets.download is budgets.spent()
    assert "download_budget" == budgets.download.detail


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        (0, "0 bytes"),
        (500, "500 bytes"),
        (1536, "1.5 KiB"),
        (200 * 1024**2, "200 MiB"),
        (20 * 1024**3, "20 GiB"),
    ],
)
def test_the_explanation_names_the_limit_and_the_key(limit, shown):
    text = Budget("upload", limit).explanation()

    assert f"may send {shown} in all (network.max_upload of the task file)" in text


def test_a_body_is_cut_once_and_its_crossing_piece_is_dropped():
    passed, cuts = [], []
    take = Meter(Budget("upload", 5), passed.append, cuts.append)
    results = [take(b"abc"), take(b"def"), take(b"g"), take(b"")]

    assert [b"abc", [], [], []] == results
    assert [3] == passed
    assert 1 == len(cuts)


def test_the_end_of_a_whole_body_is_passed_on():
    take = Meter(Budget("upload", 3), lambda _size: None, lambda _budget: None)

    assert [b"abc", b""] == [take(b"abc"), take(b"")]
