import pytest

from fakes import attempts as fake
from fakes.shown_calls import key, result_of
from quickstarted.console.live.board import Board
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.totals import total_said
from quickstarted.events import Usage
from quickstarted.verdict import Classification

ONE, TWO = key(attempt=1), key(attempt=2)


class Clock:
    now_s = 0.0

    def __call__(self):
        return self.now_s


@pytest.fixture(name="clock")
def _clock():
    return Clock()


@pytest.fixture(name="board")
def _board(clock):
    board = Board(clock)
    board.planned([Planned(ONE, uses_model=True), Planned(TWO, uses_model=True)], [])
    return board


def _cell(board):
    return board.cells[ONE.cell]


def test_a_rate_is_made_of_evidence_only(board):
    for one, name in ((ONE, "passed"), (TWO, "infra_error")):
        board.begun(one)
        board.ended(one, result_of(one, name))
    cell = _cell(board)

    assert (cell.done, cell.passed, cell.evidence) == (2, 1, 1)


def test_an_attempt_that_is_made_again_counts_once_and_all_its_tries_cost(board):
    usage = Usage(input_tokens=100)
    for name in ("infra_error", "passed"):
        board.begun(ONE)
        board.ended(ONE, result_of(ONE, name, estimated_cost_usd=0.25, tokens=usage))
    cell = _cell(board)

    assert (cell.done, cell.begun, cell.passed) == (1, 1, 1)
    assert (cell.spending.tokens, cell.spending.known_usd) == (200, 0.5)
    assert board.spending().known_usd == 0.5


def test_the_second_try_is_said_to_be_one(board):
    board.begun(ONE)
    board.ended(ONE, result_of(ONE, "infra_error"))
    board.begun(ONE)

    assert board.under_way[ONE].number_of_try == 2
    assert _cell(board).done == 0


def test_what_attempts_under_way_spend_is_counted_at_once(board):
    board.begun(ONE)
    board.heard(ONE, fake.agent_turn(1, input_tokens=10, output_tokens=5, cost_usd=0.5))

    assert board.spending_of(_cell(board)).tokens == 15
    assert board.spending().cost_said == "$0.5000"
    board.ended(ONE, result_of(ONE, estimated_cost_usd=0.5, tokens=Usage(input_tokens=15)))
    assert (board.spending().tokens, board.spending().known_usd) == (15, 0.5)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([0.5, 0.25], "$0.7500"),
        ([0.5, None], "over $0.5000"),
        ([None], "no price"),
        ([], "$0"),
    ],
)
def test_a_sum_says_that_some_of_it_has_no_price(board, costs, said):
    board.begun(ONE)
    for turn, cost_usd in enumerate(costs, 1):
        board.heard(ONE, fake.agent_turn(turn, cost_usd=cost_usd))

    assert said == board.spending().cost_said


@pytest.mark.parametrize(
    ("event", "doing"),
    [
        (fake.tool_call("pip install x"), "$ pip install x"),
        (fake.tool_call("cat > a <<E\nb\nE\n"), "$ cat > a <<E ..."),
        (fake.tool_call("true\n"), "$ true"),
        (
            fake.tool_call(None, tool="read_docs", url="https://a.example/"),
            "read https://a.example/",
        ),
        (fake.tool_call(None, tool="edit", path="app.py"), "edit app.py"),
        (fake.tool_result(), "model at work"),
        (fake.success_check(1), "check failed"),
        (fake.egress_allowed(), "before"),
    ],
)
def test_what_goes_on_is_what_happened_last(board, event, doing):
    board.begun(ONE)
    board.phase(ONE, "working")
    board.under_way[ONE].doing = "before"
    board.heard(ONE, event)

    assert doing == board.under_way[ONE].doing


def test_what_an_earlier_call_has_made_counts_in_cells_and_is_not_spent_again(clock):
    board = Board(clock)
    attempts = [Planned(ONE, uses_model=True), Planned(TWO, uses_model=True)]
    board.planned(attempts, [result_of(ONE, estimated_cost_usd=2.0)])
    cell = board.cells[ONE.cell]

    assert (cell.planned, cell.done, cell.begun, cell.passed) == (2, 1, 1, 1)
    assert (board.spending().known_usd, board.spending_of(cell).known_usd) == (0.0, 2.0)


def test_what_is_not_made_is_no_longer_planned(board):
    board.dropped([TWO])

    assert _cell(board).planned == 1


def test_the_sum_says_what_is_known(board, clock):
    board.begun(ONE)
    board.holding([Wait(1, "anthropic: 1 at once")])
    assert total_said(board) == "0 of 2 done, 1 under way, 0 passed, time left unknown, $0 spent"

    clock.now_s = 40.0
    board.ended(ONE, result_of(ONE, "docs_gap", estimated_cost_usd=0.5))
    board.begun(TWO)
    assert total_said(board) == (
        "1 of 2 done, 1 under way, 0 passed, 1 failed, about 40 s left, $0.5000 spent"
    )

    board.ended(TWO, result_of(TWO, "infra_error", estimated_cost_usd=0.0))
    assert total_said(board) == "2 of 2 done, 0 passed, 1 failed, 1 without evidence, $0.5000 spent"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (60, "0 of 2 done, 0 passed, time left unknown, $0 spent"),
        (45, "0 of 2 done, 0 passed, time left unknown"),
        (35, "0 of 2 done, time left unknown"),
        (5, "0 of 2 done"),
    ],
)
def test_a_narrow_terminal_gets_the_most_important_parts_of_the_sum(board, columns, said):
    board.begun(ONE)

    assert said == total_said(board, columns)


def test_attempts_that_were_not_made_say_nothing_about_how_long_they_take(board, clock):
    board.begun(ONE)
    clock.now_s = 1.0
    board.ended(ONE, result_of(ONE, Classification.SKIPPED))

    assert board.left_s() is None


def test_most_events_change_nothing_that_is_seen(board):
    board.begun(ONE)
    before = board.changes
    board.heard(ONE, fake.egress_allowed())

    assert before == board.changes
