"""
Name lookups of the sandbox: allowed and documentation hosts resolve to the sidecar itself.

So a refusal is the 403 that explains, and no query ever leaves: a name that is not known does not
exist, whatever it encodes.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

from mitmproxy import dns
from mitmproxy.net.dns import classes, op_codes, response_codes, types

from quickstarted_proxy.authority import a_label
from quickstarted_proxy.guard import guarded
from quickstarted_proxy.ledger import Target
from quickstarted_proxy.policy import Decision, decide, is_known_host
from quickstarted_proxy.state import State

TTL_S = 30
_INFRASTRUCTURE = ".arpa"
"""Reverse lookups and the like (RFC 3172), which programs make by themselves: no event."""


def _refuse_broken(names: Names, flow: Any, exc: Exception) -> None:
    flow.response = flow.request.fail(response_codes.REFUSED)
    target = Target(host="", method="DNS", via="dns")
    names.state.ledger.error(target, repr(exc), "policy_exception")


class Names:
    """Answers every query itself."""

    def __init__(self, state: State) -> None:
        self.state = state

    @guarded(_refuse_broken)
    def dns_request(self, flow: Any) -> None:
        """Answer; nothing is ever asked upstream."""
        query = flow.request
        if query.op_code != op_codes.QUERY:
            flow.response = query.fail(response_codes.NOTIMP)
            return
        question = query.question
        if question is None or question.class_ != classes.IN:
            flow.response = query.fail(response_codes.REFUSED)
            return
        name = a_label(question.name).lower().removesuffix(".")
        if is_known_host(self.state.policy, name) or name == (self.state.docs_door or None):
            flow.response = query.succeed(self._records(question))
            return
        flow.response = query.fail(response_codes.NXDOMAIN)
        # Some stub resolvers ask elsewhere when a server says that it offers no recursion.
        flow.response.recursion_available = True
        self._tell(name, question.type)

    def _records(self, question: Any) -> list[Any]:
        if question.type not in {types.A, types.ANY}:
            return []
        address = IPv4Address(self.state.listen)
        return [dns.ResourceRecord.A(question.name, address, ttl=TTL_S)]

    def _tell(self, name: str, query_type: int) -> None:
        if query_type == types.PTR or "." not in name or name.endswith(_INFRASTRUCTURE):
            return
        decision = decide(self.state.policy, name, 0)
        self.state.ledger.blocked_name(
            Target(host=name, method="DNS", via="dns"),
            Decision(allowed=False, reason="not_allowlisted", detail=decision.detail),
        )
