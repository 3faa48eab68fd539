"""
What the host knows about its way out: extra certificate authorities and proxies.

Many networks inspect TLS or let nothing out but through a proxy. The sidecar stands where the host
stands, so it is told what the host's own programs are told by the usual variables.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

from quickstarted.errors import UsageError

CA_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
HOST_ALIAS = "host.docker.internal"
"""The host's loopback as Docker Desktop's containers see it."""

_CERTIFICATE = re.compile(
    r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """What the sidecar is told about the way out."""

    trust_pem: str = ""
    """Certificates to trust besides the public ones; never a key."""
    http_proxy: str = ""
    https_proxy: str = ""
    no_proxy: str = ""

    def proxies_json(self) -> dict[str, str]:
        """The form in which the proxies cross the control stream."""
        return {"http": self.http_proxy, "https": self.https_proxy, "no": self.no_proxy}


def upstream_of_host(
    environ: Mapping[str, str], *, extra_ca: Path | None = None, host_alias: bool = False
) -> Upstream:
    """
    Read the host's variables.

    Args:
        environ: The environment.
        extra_ca: A PEM file named on the command line (`--upstream-ca`).
        host_alias: Whether containers reach the host's loopback as `host.docker.internal`.

    Raises:
        UsageError: A named file cannot be read or has no certificate; a proxy cannot be used.

    """
    files = {name: Path(environ[name]) for name in CA_VARIABLES if environ.get(name)}
    if extra_ca is not None:
        files["--upstream-ca"] = extra_ca
    return Upstream(
        trust_pem=_trust_pem(files),
        http_proxy=_proxy(environ, "HTTP_PROXY", host_alias=host_alias),
        https_proxy=_proxy(environ, "HTTPS_PROXY", host_alias=host_alias),
        no_proxy=environ.get("no_proxy") or environ.get("NO_PROXY") or "",
    )


def _trust_pem(files: dict[str, Path]) -> str:
    """All certificates of the files once, in the order found."""
    found: dict[str, None] = {}
    for source, path in files.items():
        try:
            text = path.read_text(encoding="ascii", errors="ignore")
        except OSError as exc:
            raise UsageError(
                f"{source}: cannot read certificates from {path}: {exc.strerror}",
                hint=f"Correct {source}, or leave it out if the network needs no extra authority.",
            ) from exc
        certificates = _CERTIFICATE.findall(text)
        if not certificates:
            raise UsageError(
                f"{source}: {path} has no certificate in PEM form",
                hint="Convert it with `openssl x509 -inform der -in FILE -out FILE.pem`.",
            )
        found |= dict.fromkeys(certificates)
    return "".join(f"{certificate}\n" for certificate in found)


def _proxy(environ: Mapping[str, str], name: str, *, host_alias: bool) -> str:
    """
    The proxy's URL as the sidecar can use it; empty for none.

    The lower-case variable wins, as it does in curl and requests.
    """
    value = (environ.get(name.lower()) or environ.get(name) or "").strip()
    if not value:
        return ""
    url = urlsplit(value if "://" in value else f"http://{value}")
    try:
        usable = url.scheme in {"http", "https"} and url.hostname and (url.port or 1)
    except ValueError:
        usable = False
    shown = without_credentials(url)
    if not usable:
        raise UsageError(
            f"{name}={shown} is not a proxy that can be used",
            hint="It must be of the form http://[USER:PASSWORD@]HOST:PORT.",
        )
    if not is_loopback(str(url.hostname)):
        return urlunsplit(url)
    if not host_alias:
        raise UsageError(
            f"{name}={shown} is on this machine's loopback, which no container can reach",
            hint=f"Let that proxy listen on an address that containers reach too (for example the"
            f" address of docker0) and name that address in {name}, or unset {name}.",
        )
    credentials, at, _ = url.netloc.rpartition("@")
    port = f":{url.port}" if url.port else ""
    return urlunsplit(url._replace(netloc=f"{credentials}{at}{HOST_ALIAS}{port}"))


def is_loopback(host: str) -> bool:
    """Whether *host* means the machine that says it."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_credentials(url: SplitResult) -> str:
    """The URL as it may be shown."""
    return urlunsplit(url._replace(netloc=url.netloc.rpartition("@")[2]))
