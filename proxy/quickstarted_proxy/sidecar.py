"""
The sidecar as a whole: a `Master` with the few addons that are needed, and the orders it obeys.

Built in Python, never from a script file: mitmproxy reloads scripts when they change and lets
traffic through while it does.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from mitmproxy import options, version
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.master import Master

from quickstarted_proxy import control
from quickstarted_proxy.caps import ServerCap
from quickstarted_proxy.clients import Clients, drop_client
from quickstarted_proxy.dialling import Dialling
from quickstarted_proxy.docs_door import DocsDoor
from quickstarted_proxy.doors import mode_texts
from quickstarted_proxy.faults import FaultHandler
from quickstarted_proxy.gate import Gate
from quickstarted_proxy.ledger import Ledger
from quickstarted_proxy.model_traffic import ModelTraffic
from quickstarted_proxy.names import Names
from quickstarted_proxy.package_cache import CacheSettings, PackageCache
from quickstarted_proxy.reports import EXIT_FAULT, EXIT_REFUSED, Reporter
from quickstarted_proxy.resolver import PinnedEventLoop, Resolver
from quickstarted_proxy.secret_traffic import SecretTraffic
from quickstarted_proxy.state import AttemptRules, State
from quickstarted_proxy.tls import SidecarTls, Trust, write_upstream_roots
from quickstarted_proxy.upstream import UpstreamProxies
from quickstarted_proxy.watch import ask_doors

PORTS = {
    "explicit": control.PROXY_PORT,
    "http": control.HTTP_PORT,
    "https": control.HTTPS_PORT,
    "dns": control.DNS_PORT,
}
_CLOSE_WAIT_S = 2.0
_SETTLE_PASSES = 3
"""Turns of the event loop before a scope ends, so that what has arrived is counted in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The order `start`, checked."""

    listen: str
    rules: AttemptRules
    trust_pem: str = ""
    proxies: UpstreamProxies = field(default_factory=UpstreamProxies)
    package_cache: CacheSettings | None = None

    @classmethod
    def from_order(cls, order: dict[str, Any]) -> Start:
        """
        Check the first order.

        Raises:
            ValueError: It is not `start`, or a part of it is missing or wrong.

        """
        if order.get("order") != "start":
            raise ValueError(f"the first order must be start, not {order.get('order')!r}")
        missing = {"listen", "policy"} - set(order)
        if missing:
            raise ValueError(f"start: missing {sorted(missing)}")
        return cls(
            listen=str(order["listen"]),
            rules=AttemptRules.from_order(order),
            trust_pem=str(order.get("trust_pem") or ""),
            proxies=UpstreamProxies.from_json(order.get("upstream_proxies") or {}),
            package_cache=_package_cache(order),
        )


def _package_cache(order: dict[str, Any]) -> CacheSettings | None:
    wanted = order.get("package_cache")
    return CacheSettings.from_json(wanted) if wanted else None


class Sidecar:
    """One process: listens from `start` until its standard input ends."""

    def __init__(self, start: Start, trust: Trust, confdir: Path, reporter: Reporter) -> None:
        self._trust = trust
        self._confdir = confdir
        self._roots = write_upstream_roots(confdir, start.trust_pem)
        self._reporter = reporter
        self._orders: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.state = State(
            listen=start.listen,
            policy=start.rules.policy,
            ledger=Ledger(self._report),
            resolver=Resolver(start.listen),
            proxies=start.proxies,
            secrets=start.rules.secrets,
            docs_door=start.rules.docs_door,
            models=start.rules.models,
        )
        self._docs_door = DocsDoor(self.state, reporter.send)
        self._models = ModelTraffic(self.state, self._send_scrubbed)
        self._packages: PackageCache | None = None
        if start.package_cache is not None:
            self._packages = PackageCache(self.state, start.package_cache)
        self._proxyserver: Any = None
        self._faults = FaultHandler(self.state, self._refuse_start)

    def _report(self, event: dict[str, Any]) -> None:
        """Write an event; an error may quote what a server sent."""
        self._reporter.event(self.state.secrets.scrubbed(event))

    def _send_scrubbed(self, report: str, **fields: Any) -> None:
        """Write a report; an error may quote what a vendor sent."""
        self._reporter.send(report, **self.state.secrets.scrubbed(fields))

    def obey_soon(self, order: dict[str, Any]) -> None:
        """Take an order; they are carried out one after the other. On the event loop's thread."""
        self._orders.put_nowait(order)

    async def run(self, loop: PinnedEventLoop) -> None:
        """Listen and obey; returns only when the master is shut down."""
        loop.resolver = self.state.resolver
        master = self.build_master(loop)
        orders = loop.create_task(self._obey())
        try:
            await master.run()
        finally:
            orders.cancel()

    def build_master(self, loop: PinnedEventLoop) -> Any:
        """The `Master` with its addons and options."""
        master = Master(options.Options(), event_loop=loop)
        # Forwards each log record to addons that do not exist here.
        master._legacy_log_events.uninstall()  # noqa: SLF001 (no public way)
        self._faults.install()
        self._proxyserver = Proxyserver()
        master.addons.add(
            Clients(self.state),
            Gate(self.state, self._docs_door, self._models, self._packages),
            self._docs_door,
            SecretTraffic(self.state),
            self._models,
            *([self._packages] if self._packages else []),
            ServerCap(self.state),
            Dialling(self.state),
            Names(self.state),
            self._proxyserver,
            SidecarTls(),
            self,
        )
        master.options.update(
            mode=mode_texts(self.state.listen, PORTS),
            confdir=str(self._confdir),
            ssl_verify_upstream_trusted_ca=str(self._roots),
            connection_strategy="lazy",
            http2=False,
            http3=False,
            rawtcp=False,
            websocket=False,
            ssl_insecure=False,
            upstream_cert=False,
            validate_inbound_headers=True,
        )
        return master

    async def running(self) -> None:
        """Say that all doors are open, or that they cannot be opened."""
        closed = [server for server in self._proxyserver.servers if not server.is_running]
        if closed or len(self._proxyserver.servers) != len(PORTS):
            causes = "; ".join(str(server.last_exception) for server in closed)
            self._refuse_start(f"cannot listen: {causes}")
        self._faults.started = True
        self._reporter.send("ready", **asdict(self._trust), mitmproxy=version.VERSION)

    def _refuse_start(self, error: str) -> NoReturn:
        self._reporter.end("refused", error, EXIT_REFUSED)

    async def _obey(self) -> None:
        while True:
            order = await self._orders.get()
            try:
                await self._carry_out(order)
            except (ValueError, KeyError, TypeError) as exc:
                text = f"order {order.get('order')!r} cannot be carried out: {exc}"
                self._reporter.end("fault", text, EXIT_FAULT)

    async def _carry_out(self, order: dict[str, Any]) -> None:
        match order.get("order"):
            case "scope":
                await self._begin_scope(int(order["scope"]), settle=bool(order.get("settle")))
            case "attempt":
                await self._begin_attempt(AttemptRules.from_order(order))
            case "docs_answer":
                self._docs_door.answer(order)
            case "watch":
                answers = await ask_doors(self.state, str(order["host"]))
                self._reporter.send("watch", answers=answers)
            case other:
                raise ValueError(f"unknown order {other!r}")

    async def _begin_scope(self, scope: int, *, settle: bool) -> None:
        for _ in range(_SETTLE_PASSES):
            await asyncio.sleep(0)
        await self._close(self.state.tunnels.end_all("unfinished"))
        if settle:
            if self._packages is not None:
                await self._packages.settle()
            # Nothing is waited for from here on: no request begins that would not be settled.
            self._models.settle()
            self.state.ledger.settle()
        self.state.ledger.begin_scope(scope)
        self._reporter.send("scope", scope=scope)

    async def _begin_attempt(self, rules: AttemptRules) -> None:
        self.state.begin_attempt(rules)
        self._docs_door.forget()
        await self._close(list(self._proxyserver.connections))
        self.state.begin_attempt(rules)
        self._reporter.send("attempt_ready")

    async def _close(self, client_ids: list[Any]) -> None:
        for client_id in client_ids:
            drop_client(client_id)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._gone(set(client_ids)), _CLOSE_WAIT_S)

    async def _gone(self, client_ids: set[Any]) -> None:
        while client_ids & set(self._proxyserver.connections):  # noqa: ASYNC110 (no event tells)
            await asyncio.sleep(0.005)
