"""Where a program in the sandbox reaches a model, and with which key, as the sidecar needs it."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import idna

from quickstarted.agents.address import ADDRESSES, ServiceAddress
from quickstarted.agents.keys import ApiKey, api_key
from quickstarted.errors import ModelRejected
from quickstarted.task_secrets import placeholder
from quickstarted_proxy.model_apis import ModelApi, Vendor
from quickstarted_proxy.policy import (
    EgressPolicy,
    HostRule,
    PathRule,
    is_ip_literal,
    normalise_host,
)
from quickstarted_proxy.secrets_table import Secret, value_problem

_END: dict[Vendor, str] = {"anthropic": "", "openai": "/v1", "gemini": ""}
"""How the path of a base URL ends, before which a gateway may have something of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelService:
    """A vendor's service, or what the caller has in its place."""

    api: ModelApi
    port: int
    is_own: bool
    """Whether the caller names the address; such a one may be on a private network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A service with its key, for one attempt."""

    vendor: Vendor
    service: ModelService
    key: ApiKey
    secret: Secret
    base_url: str
    """As the caller names it, else the vendor's usual one."""

    @property
    def address(self) -> ServiceAddress:
        """Of the vendor."""
        return ADDRESSES[self.vendor]


def access_to(vendor: Vendor, environ: Mapping[str, str]) -> Access:
    """
    Find key and address.

    Raises:
        ModelRejected: There is none, or it cannot be used from inside a sandbox.

    """
    key = api_key(vendor, environ)
    if problem := value_problem(key.value):
        raise ModelRejected(
            f"{key.variable} cannot be used for a program in the sandbox: it {problem}",
            hint=f"Set {key.variable} to the key alone.",
        )
    address = ADDRESSES[vendor]
    base_url = address.of(environ)
    service = _service(vendor, base_url, is_own=base_url != address.usual)
    secret = Secret(
        name=f"QUICKSTARTED_AGENT_KEY_{vendor.upper()}",
        placeholder=placeholder(key.value),
        value=key.value,
        hosts=(service.api.host,),
    )
    return Access(vendor=vendor, service=service, key=key, secret=secret, base_url=base_url)


def _service(vendor: Vendor, base_url: str, *, is_own: bool) -> ModelService:
    parts = urlsplit(base_url)
    host = _host(str(parts.hostname), vendor)
    path = parts.path.rstrip("/")
    if not path.endswith(_END[vendor]):
        raise _unusable(vendor, f"its path does not end in {_END[vendor]}")
    return ModelService(
        api=ModelApi(host=host, vendor=vendor, base_path=path.removesuffix(_END[vendor])),
        port=parts.port or (80 if parts.scheme == "http" else 443),
        is_own=is_own,
    )


def _host(named: str, vendor: Vendor) -> str:
    try:
        name = normalise_host(idna.encode(named, uts46=True).decode("ascii"))
    except (idna.IDNAError, UnicodeError):
        name = normalise_host(named)
    if name == "localhost" or _is_loopback(named):
        raise _unusable(vendor, "it is on this machine's loopback, which no sandbox reaches")
    if name is None or is_ip_literal(named):
        raise _unusable(vendor, "a sandbox reaches hosts by their names")
    return name


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _unusable(vendor: Vendor, why: str) -> ModelRejected:
    variable = ADDRESSES[vendor].variable
    return ModelRejected(
        f"{variable} cannot be used by a program in the sandbox: {why}",
        hint=f"Write it as https://HOST[:PORT][/PATH]{_END[vendor]}, or unset {variable}.",
    )


def opened_to(policy: EgressPolicy, services: Iterable[ModelService]) -> EgressPolicy:
    """
    *policy*, with the services open, and of each what a model's calls need.

    Raises:
        ModelRejected: One is where the task's documentation is, which no shell may reach.

    """
    for one in services:
        host = one.api.host
        if any(host == docs or host.endswith(f".{docs}") for docs in policy.docs_hosts):
            raise ModelRejected(
                f"the model's service is at {host}, which is a documentation host of the task",
                hint="Documentation there could be read past read_docs. Use another address.",
            )
        named = any(rule.explicit and rule.matches(host) for rule in policy.allow)
        rule = HostRule(host=host, ports=(one.port,), explicit=True)
        # What the task itself has opened stays open.
        paths = () if named else (PathRule(host=host, patterns=one.api.patterns),)
        policy = replace(
            policy,
            allow=(*policy.allow, rule),
            paths=(*policy.paths, *paths),
            private_hosts=(*policy.private_hosts, *((host,) if one.is_own else ())),
        )
    return policy
