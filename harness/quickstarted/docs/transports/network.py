"""
The lowest layer: real connections, through the environment's proxies where it names some.

A request that goes through a proxy has its name resolved there, so only an address written in the
URL can be judged here; without a proxy every address is judged (`dialing`).
"""

from __future__ import annotations

import ssl
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpcore
import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.docs.transports.dialing import (
    JudgedBackend,
    PlainBackend,
    Resolver,
    refusal,
    system_resolver,
)
from quickstarted.docs.transports.faults_in_words import in_words
from quickstarted.trust import ssl_context

_MAX_CONNECTIONS = 20
_KEEPALIVE_S = 15.0


class Network(httpx.BaseTransport):
    """
    Sends requests over real connections.

    Args:
        private_hosts: Hosts that may be reached at private addresses.
        extra_ca_files: PEM files of further roots.
        resolve: Turns names into addresses.

    """

    def __init__(
        self,
        *,
        private_hosts: tuple[str, ...] = (),
        extra_ca_files: tuple[Path, ...] = (),
        resolve: Resolver = system_resolver,
    ) -> None:
        self._private_hosts = private_hosts
        self._extra_ca_files = extra_ca_files
        self._backend = JudgedBackend(resolve, private_hosts)
        self._pools: dict[str, httpcore.ConnectionPool] = {}
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send *request*; the body of the answer is read by who iterates it."""
        proxy = proxy_for(request.url)
        if proxy:
            self._judge_literal(request.url)
        core = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with in_words(request.url):
            answer = self._pool(proxy).handle_request(core)
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer, request.url),
            extensions=dict(answer.extensions),
        )

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for pool in self._pools.values():
                pool.close()
            self._pools.clear()

    def _pool(self, proxy: str) -> httpcore.ConnectionPool:
        with self._lock:
            if proxy not in self._pools:
                trust = ssl_context(self._extra_ca_files)
                self._pools[proxy] = _proxied(proxy, trust) if proxy else self._direct(trust)
            return self._pools[proxy]

    def _direct(self, trust: ssl.SSLContext) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            ssl_context=trust,
            max_connections=_MAX_CONNECTIONS,
            keepalive_expiry=_KEEPALIVE_S,
            network_backend=self._backend,
        )

    def _judge_literal(self, url: httpx.URL) -> None:
        host = urls.host_of(url)
        try:
            range_name = refusal(host, host.strip("[]"), self._private_hosts)
        except ValueError:
            return
        if range_name:
            raise FetchRefused("private_address", f"The address {host} is private ({range_name}).")


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response, url: httpx.URL) -> None:
        self._answer = answer
        self._url = url

    def __iter__(self) -> Iterator[bytes]:
        with in_words(self._url, status=self._answer.status):
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


def proxy_for(url: httpx.URL) -> str:
    """
    The proxy that the environment names for *url* (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY).

    Returns:
        Its URL; empty where the request goes directly.

    """
    proxies = urllib.request.getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all") or ""
    if not proxy or urllib.request.proxy_bypass(urls.host_of(url)):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _proxied(proxy: str, trust: ssl.SSLContext) -> httpcore.ConnectionPool:
    parsed = httpx.Proxy(proxy)
    if parsed.url.scheme not in urls.DEFAULT_PORTS:
        raise FetchFailed(
            f"The environment names a {parsed.url.scheme} proxy; only http and https proxies work.",
            same_for_host=True,
        )
    return httpcore.HTTPProxy(
        proxy_url=str(parsed.url),
        proxy_auth=parsed.raw_auth,
        ssl_context=trust,
        proxy_ssl_context=trust if parsed.url.scheme == "https" else None,
        max_connections=_MAX_CONNECTIONS,
        keepalive_expiry=_KEEPALIVE_S,
        network_backend=PlainBackend(),
    )
