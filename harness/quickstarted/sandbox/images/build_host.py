"""
What a build needs of the machine that starts it: certificates, proxies, and Debian's mirror.

A build runs in containers of its own, which know nothing of an inspected network or of the mirror
that this machine was told to use.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import certifi

from quickstarted.registries import DEBIAN_MIRROR

_CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/cert.pem",  # macOS
)
_PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_CERTIFICATE = re.compile(
    rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----\r?\n?", re.DOTALL
)


def ca_bundle(environ: Mapping[str, str] = os.environ) -> bytes:
    """
    Every certificate that this machine trusts, as one PEM file.

    The variables name bundles that hold only a company's own certificate as often as full ones,
    so they are added to the system's bundle and do not replace it.
    """
    system = next((path for path in _SYSTEM_BUNDLES if Path(path).is_file()), certifi.where())
    files = [system, *(environ[name] for name in _CERTIFICATE_VARIABLES if environ.get(name))]
    found: dict[bytes, None] = {}
    for file in files:
        if Path(file).is_file():
            for match in _CERTIFICATE.finditer(Path(file).read_bytes()):
                found[match.group().strip()] = None
    return b"\n".join(found) + b"\n"


def proxy_args(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """
    Proxy settings as build arguments, upper and lower case.

    Predefined by the builder, so they need no ARG and are not kept in the image's history
    (https://docs.docker.com/reference/dockerfile/#predefined-args).
    """
    args: dict[str, str] = {}
    for name in _PROXY_VARIABLES:
        value = environ.get(name) or environ.get(name.lower())
        if value:
            args |= {name: value, name.lower(): value}
    if "http_proxy" not in args and (apt_proxy := _apt_proxy()):
        args["http_proxy"] = apt_proxy
    return args


def build_network(proxies: Mapping[str, str]) -> str | None:
    """The network of a build: the host's own where a proxy listens on loopback, else None."""
    hosts = {urlsplit(proxies[name]).hostname for name in proxies if name.lower() != "no_proxy"}
    loopback = any(host == "localhost" or str(host).startswith("127.") for host in hosts)
    return "host" if loopback else None


def debian_mirror() -> str:
    """The mirror that this machine's own apt uses, on Debian; else the public one."""
    release = Path("/etc/os-release")
    folder = Path("/etc/apt/sources.list.d")
    sources = [Path("/etc/apt/sources.list"), *sorted(folder.glob("*.list"))]
    sources += sorted(folder.glob("*.sources"))
    texts = [path.read_text(errors="replace") for path in sources if path.is_file()]
    return mirror_of(release.read_text() if release.is_file() else "", texts)


def mirror_of(os_release: str, sources: list[str]) -> str:
    """
    The URI that serves the release itself.

    Args:
        os_release: Text of /etc/os-release.
        sources: Texts of apt's source files, in one-line or deb822 format (sources.list(5)).

    """
    facts = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', os_release, re.MULTILINE))
    if facts.get("ID") != "debian":
        return DEBIAN_MIRROR
    suite = facts.get("VERSION_CODENAME", "")
    for text in sources:
        for uris, suites, components in _entries(text):
            web = [uri.rstrip("/") for uri in uris if uri.startswith(("http://", "https://"))]
            if web and suite in suites and "main" in components:
                return web[0]
    return DEBIAN_MIRROR


def _entries(text: str) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """URIs, suites and components of each `deb` entry of one source file."""
    for line in text.splitlines():
        if match := re.match(r"\s*deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)", line):
            yield [match[1]], [match[2]], match[3].split()
    uncommented = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", uncommented):
        fields = {
            key.lower(): value.split()
            for key, value in re.findall(r"^([\w-]+):((?:.*)(?:\n[ \t].*)*)", stanza, re.MULTILINE)
        }
        if "deb" in fields.get("types", []) and fields.get("enabled") != ["no"]:
            yield fields.get("uris", []), fields.get("suites", []), fields.get("components", [])


def _apt_proxy() -> str:
    """The proxy that this machine's apt is told to use; empty where it is told none."""
    if shutil.which("apt-config") is None:
        return ""
    done = subprocess.run(
        ["apt-config", "--format=%v", "dump", "Acquire::http::Proxy"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    proxy = done.stdout.strip()
    return "" if proxy == "DIRECT" else proxy
