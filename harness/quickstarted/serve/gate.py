"""
Who may ask at all: the address that was asked for, the page that asks, the token.

On loopback without a token everything on the machine may ask, a browser too, and pages of any site
can make a browser ask. So the Host header must be this server's (a name that an attacker points at
127.0.0.1 is another), and requests that a browser marks as coming from elsewhere are refused. There
are no CORS headers, so no page reads an answer either.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from starlette.datastructures import Headers

from quickstarted.serve import problems

_OWN_SITE = frozenset({"same-origin", "none"})
_HTTP_PORT = 80


@dataclass(frozen=True, slots=True)
class Gate:
    """
    What requests must have.

    Attributes:
        hosts: Host headers that are this server's; None where it cannot know them, behind names
            and proxies of a network. A token is needed there.
        token: None where none is needed.

    """

    hosts: frozenset[str] | None
    token: str | None

    def check(self, headers: Headers) -> None:
        """
        Let a request pass.

        Raises:
            Refusal: It may not.

        """
        host = headers.get("host")
        if self.hosts is not None and (host is None or host.lower() not in self.hosts):
            raise problems.wrong_host(host)
        if self.token is not None:
            self._check_token(headers.get("authorization"), self.token)
        elif _is_cross_site(headers, host or ""):
            raise problems.cross_site()

    @staticmethod
    def _check_token(given: str | None, token: str) -> None:
        scheme, _, rest = (given or "").partition(" ")
        sent = rest.strip() if scheme.lower() == "bearer" else ""
        if not hmac.compare_digest(sent.encode("utf-8", "replace"), token.encode("utf-8")):
            raise problems.no_token(is_given=given is not None)


def own_hosts(host: str, port: int) -> frozenset[str]:
    """The Host headers of a server on loopback, at *host*, an address or a name of it."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host.lower()}
    with_port = {f"{name}:{port}" for name in names}
    return frozenset(with_port | names if port == _HTTP_PORT else with_port)


def _is_cross_site(headers: Headers, host: str) -> bool:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site.lower() not in _OWN_SITE:
        return True
    return origin is not None and origin.lower() != f"http://{host.lower()}"
