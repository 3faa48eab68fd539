"""Calls of models as the sidecar tells of them: turns, tries, tokens, and what ends a program."""

import pytest

from quickstarted.agents.programs.account import MAX_FORGIVEN_S, Account
from quickstarted.budget import Budget
from quickstarted.errors import StorageFault
from quickstarted.events import Usage
from quickstarted.sandbox.protocol import ModelCall
from quickstarted.verdict import StopReason


class Tools:
    """What an account uses of the toolbelt."""

    def __init__(self, **limits):
        self.budget = Budget(max_seconds=100, max_command_seconds=9, max_turns=9, **limits)
        self.events = []
        self.forgiven = []
        self.write = self.events.append

    def forgive(self, waited_s):
        self.forgiven.append(waited_s)


def call(ts=0.0, *, tokens=(100, 20), **fields):
    usual = {
        "host": "api.anthropic.com",
        "vendor": "anthropic",
        "path": "/v1/messages",
        "status": 200,
        "duration": 1.0,
        "model": "m",
        "stop_reason": "end_turn",
        "counted": True,
        "error": "",
    }
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1])
    return ModelCall(ts=ts, usage=usage, **(usual | fields))


def failed(ts=0.0, status=529, **fields):
    usual = {"tokens": (0, 0), "counted": False, "stop_reason": "", "error": "overloaded_error: x"}
    return call(ts, status=status, **(usual | fields))


def heard(*calls, tools=None, was_ended=None):
    tools = tools or Tools()
    account = Account(tools, "asked")
    for one in calls:
        account.hear(one)
    if was_ended is not None:
        account.close(was_ended=was_ended)
    return account, tools


def shown(tools):
    return [
        (event.type, event.ts, event.turn, getattr(event, "sleep", None)) for event in tools.events
    ]


def test_each_call_is_a_turn_at_the_time_when_it_ended():
    _, tools = heard(call(1.0), call(5.0, model=""))

    assert [("agent_turn", 2.0, 1, None), ("agent_turn", 6.0, 2, None)] == shown(tools)
    assert ["m", "asked"] == [event.model for event in tools.events]
    assert (2, 240) == (tools.budget.turns, tools.budget.tokens)


def test_a_failed_call_is_on_record_with_the_wait_once_the_next_one_is_made():
    account, tools = heard(failed(0.0), failed(3.0), call(10.0))

    assert [
        ("api_retry", 1.0, 1, 2.0),
        ("api_retry", 4.0, 1, 6.0),
        ("agent_turn", 11.0, 1, None),
    ] == shown(tools)
    assert [1, 2] == [event.attempt for event in tools.events[:2]]
    assert [2.0, 6.0] == tools.forgiven
    assert account.failed is None


def test_of_a_row_of_failures_not_all_waiting_is_forgiven():
    _, tools = heard(failed(0.0), failed(201.0), failed(402.0), call(403.0))

    assert [200.0, MAX_FORGIVEN_S - 200.0, 0.0] == tools.forgiven


@pytest.mark.parametrize(
    "lost",
    [
        failed(status=529),
        failed(status=None, error="connection refused"),
        failed(status=200, error="the connection broke"),
        failed(status=200, error=""),
        failed(status=200, tokens=(100, 1), counted=True, error="it broke off"),
    ],
)
def test_what_has_come_to_nothing_is_no_turn_and_its_tokens_count(lost):
    account, tools = heard(lost, call(5.0))

    assert ["api_retry", "agent_turn"] == [event.type for event in tools.events]
    assert 120 + lost.usage.total == tools.budget.tokens
    assert account.failed is None


def test_a_reply_that_was_whole_is_one_though_its_connection_broke_after_it():
    _, tools = heard(call(error="Client disconnected."))

    assert ["agent_turn"] == [event.type for event in tools.events]


@pytest.mark.parametrize(
    ("refused", "stop"),
    [("max_calls", StopReason.MAX_TURNS), ("max_tokens", StopReason.MAX_TOKENS)],
)
def test_a_call_beyond_a_budget_says_which_is_used_up_and_is_nothing_else(refused, stop):
    account, tools = heard(failed(status=None, refused=refused))

    assert (stop, None, []) == (account.used_up, account.failed, tools.events)


def test_the_last_failure_is_kept_for_who_judges_it():
    account, tools = heard(call(), failed(5.0, status=401), was_ended=False)

    assert 401 == account.failed.status
    assert ["agent_turn"] == [event.type for event in tools.events]


def test_a_call_that_the_end_broke_off_is_an_unfinished_turn_and_nobodys_failure():
    broken = failed(5.0, status=200, tokens=(100, 1), counted=True, error="unfinished")
    account, tools = heard(broken, was_ended=True)

    assert account.failed is None
    assert [("unfinished", 100)] == [
        (event.stop_reason, event.input_tokens) for event in tools.events
    ]


def test_after_the_end_nothing_counts():
    account, tools = heard(was_ended=False)
    account.hear(call())

    assert [] == tools.events


@pytest.mark.parametrize(
    "refusal",
    [
        {"status": 401},
        {"status": 403},
        {"status": 429, "error": "insufficient_quota: x"},
        {"status": None, "refused": "hosted_tool:web_search"},
    ],
)
def test_a_program_that_is_refused_twice_in_a_row_is_hopeless(refusal):
    once, _ = heard(failed(**refusal))
    twice, _ = heard(failed(**refusal), failed(2.0, **refusal))
    between, _ = heard(failed(**refusal), call(2.0), failed(4.0, **refusal))

    assert (False, True, False) == (once.is_hopeless, twice.is_hopeless, between.is_hopeless)


def test_a_service_that_is_only_busy_is_not():
    account, _ = heard(*(failed(float(n)) for n in range(20)))

    assert not account.is_hopeless


def test_costs_end_a_program_after_the_call_that_used_them_up():
    tools = Tools(max_cost_usd=1.0)
    tools.write = lambda event: tools.budget.charge(0.6)
    account, _ = heard(call(), tools=tools)
    assert account.used_up is None
    account.hear(call(5.0))

    assert StopReason.MAX_COST == account.used_up


def test_a_record_that_cannot_be_written_is_for_the_attempts_own_thread():
    def full(event):
        raise StorageFault(f"no space for {event.type}")

    tools = Tools()
    tools.write = full
    account, _ = heard(call(), tools=tools)

    assert "no space for agent_turn" == account.fault.message
