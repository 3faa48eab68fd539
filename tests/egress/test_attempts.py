"""Nobody in the sandbox gets around the proxy, and everything that is tried is on record."""

import pytest

from egress.attempts import TABLES, silent_rows

pytestmark = pytest.mark.docker

ROWS = [
    pytest.param(table, row, id=f"{table.title}: {row.name}")
    for table in TABLES
    if not table.silent
    for row in table.rows
]


@pytest.mark.parametrize(("table", "row"), ROWS)
def test_an_attempt_gets_what_it_should_and_is_recorded_as_it_should(world, table, row):
    outcome = world(table.image, budgeted=table.budgeted).attempt(row)

    assert (row.saw, list(row.events)) == (outcome.saw, list(outcome.events))
    passed = sum(event.startswith("egress_allowed") for event in row.events)
    assert (passed if row.requests is None else row.requests) == len(outcome.requests)
    if not passed and all(event.startswith("egress_blocked") for event in row.events):
        assert row.requests or not outcome.connections


@pytest.mark.parametrize("row", silent_rows(), ids=lambda row: row.name)
def test_an_attempt_that_passes_the_proxy_by_gets_nowhere(silent, row):
    saw, _, _ = silent

    assert row.saw == saw[row.name]


def test_attempts_that_pass_the_proxy_by_reach_nobody(silent):
    _, events, seen = silent

    assert [] == events
    assert ((), (), ()) == (seen.requests, seen.connections, seen.datagrams)


def test_every_attempt_has_a_name_of_its_own():
    for table in TABLES:
        assert len({row.name for row in table.rows}) == len(table.rows)
    assert len({row.name for row in silent_rows()}) == len(silent_rows())
