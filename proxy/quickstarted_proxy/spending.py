"""Budgets at work on HTTP: what passes is taken from them, and what crosses one is cut."""

from __future__ import annotations

from typing import Any

from quickstarted_proxy.budgets import Budget, Meter, head_bytes
from quickstarted_proxy.forwarding import count_received, count_sent
from quickstarted_proxy.ledger import Exchange
from quickstarted_proxy.relay import Passing
from quickstarted_proxy.state import State


def take_request_head(state: State, flow: Any) -> Budget | None:
    """Take an allowed request's head, and see whether its body fits; the budget that is short."""
    budgets = state.budgets
    request = flow.request.data
    if not budgets.spent():
        budgets.upload.take(head_bytes((request.method, request.path), request.headers.fields))
    length = flow.request.headers.get("content-length", "")
    if not budgets.spent() and length.isdecimal() and not budgets.upload.fits(int(length)):
        return budgets.upload
    return budgets.spent()


def meter_request(state: State, flow: Any, exchange: Exchange) -> None:
    """Stream a request's body, counted and bounded."""
    flow.request.stream = Meter(
        state.budgets.upload, count_sent(exchange), lambda budget: _cut(state, flow, budget)
    )


def meter_response(state: State, flow: Any, exchange: Exchange) -> None:
    """Take an answer's head, and stream its body, counted and bounded."""
    budget, response = state.budgets.download, flow.response
    start = (str(response.status_code).encode("ascii"), response.data.reason)
    if not budget.take(head_bytes(start, response.headers.fields)):
        _cut(state, flow, budget)
        return
    response.stream = Meter(
        budget, count_received(exchange), lambda spent: _cut(state, flow, spent)
    )


def meter_relay(state: State, flow: Any, exchange: Exchange) -> Passing:
    """What the bytes of a WebSocket go through."""
    budgets = state.budgets

    def passing(by_client: bool, data: bytes) -> bool:
        budget = budgets.upload if by_client else budgets.download
        if not budget.take(len(data)):
            _tell(state, flow, budget)
            return False
        (count_sent if by_client else count_received)(exchange)(len(data))
        return True

    return passing


def _cut(state: State, flow: Any, budget: Budget) -> None:
    _tell(state, flow, budget)
    flow.kill()


def _tell(state: State, flow: Any, budget: Budget) -> None:
    state.ledger.fail(flow.id, f"cut: {budget.explanation()}", budget.detail)
