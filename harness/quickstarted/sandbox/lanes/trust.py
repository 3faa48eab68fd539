"""
Make every program in the sandbox trust the sidecar: pure, from what the image has to what is put.

Variables reach most programs; files reach children with a scrubbed environment (`env -i`, cron,
`su -`). There is one full bundle, because most variables replace the public roots instead of
adding to them. The path in the variables is a link to the distribution's own bundle, and the
authority is also in the distribution's own place: what an agent adds with `update-ca-certificates`
is trusted by the same programs as outside a sandbox, and what that command rewrites keeps ours.

HOME belongs to the task: everything is in places of the whole system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quickstarted.sandbox.lanes import trust_config
from quickstarted.sandbox.lanes.image_files import FileToPut, ImageFiles
from quickstarted.sandbox.lanes.trust_config import BUNDLE, CA_FILE, TRUSTSTORE
from quickstarted_proxy.control import PROXY_PORT

IMAGE_PATHS = ("/etc", "/usr/local/etc/npmrc", trust_config.CARGO_CONFIG)
"""What `trust_files` needs to know of an image."""

DISTRIBUTION_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Alpine, Arch
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/tls/cert.pem",
    "/etc/ssl/ca-bundle.pem",  # SUSE
    "/etc/ssl/cert.pem",
)
ANCHORS = {
    "/etc/pki/ca-trust": "/etc/pki/ca-trust/source/anchors/quickstarted.pem",
    "/etc/pki/trust": "/etc/pki/trust/anchors/quickstarted.pem",
    "/etc/ca-certificates/trust-source": (
        "/etc/ca-certificates/trust-source/anchors/quickstarted.crt"
    ),
}
"""A folder that tells the distribution, and where its tool looks for added authorities."""
DEBIAN_ANCHOR = "/usr/local/share/ca-certificates/quickstarted.crt"
"""Alpine's, too."""

BUNDLE_VARIABLES = (
    "SSL_CERT_FILE",  # OpenSSL, Go, Ruby, rustls, uv
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "HTTPLIB2_CA_CERTS",
    "PIP_CERT",
    "NPM_CONFIG_CAFILE",  # npm, pnpm, yarn 1
    "YARN_CA_FILE_PATH",  # yarn 2 and 3
    "YARN_HTTPS_CA_FILE_PATH",  # yarn 4
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "CARGO_HTTP_CAINFO",
    "BUNDLE_SSL_CA_CERT",
    "COMPOSER_CAFILE",
    "HEX_CACERTS_PATH",
    "NIX_SSL_CERT_FILE",
    "AWS_CA_BUNDLE",
    "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "PERL_LWP_SSL_CA_FILE",
    "CONDA_SSL_VERIFY",
    "MAMBA_SSL_VERIFY",
)
"""Each replaces the program's roots, so each names the full bundle."""
NOT_PROXIED = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 (a name, not a bind)
"""The sandbox itself; servers like to print 0.0.0.0 as the address to open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustMaterial:
    """What the sidecar says when it is ready."""

    ca_pem: str
    roots_pem: str
    """Public roots, for an image that has none."""
    truststore: bytes
    """PKCS#12 with public roots and the authority."""


def trust_environment(
    sidecar_ip: str, own_ips: Sequence[str], env: Mapping[str, str]
) -> dict[str, str]:
    """
    Variables for the container, known before there is an authority.

    Args:
        sidecar_ip: Where the proxy listens.
        own_ips: Addresses of the sandbox itself, not to be asked for through the proxy.
        env: What image and task set; Java options and exceptions from the proxy are added to.

    """
    proxy = f"http://{sidecar_ip}:{PROXY_PORT}"
    no_proxy = env.get("no_proxy") or env.get("NO_PROXY") or ""
    excepted = ",".join(dict.fromkeys([*NOT_PROXIED, *own_ips, *filter(None, no_proxy.split(","))]))
    java = f"{env.get('JAVA_TOOL_OPTIONS', '')} {trust_config.java_options()}".strip()
    return {
        **dict.fromkeys(BUNDLE_VARIABLES, BUNDLE),
        "NODE_EXTRA_CA_CERTS": CA_FILE,
        "UV_SYSTEM_CERTS": "1",
        "JAVA_TOOL_OPTIONS": java,
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), proxy),
        "NO_PROXY": excepted,
        "no_proxy": excepted,
    }


def trust_files(
    material: TrustMaterial, variables: Mapping[str, str], image: ImageFiles
) -> list[FileToPut]:
    """
    Files for the sandbox once the authority is known.

    Args:
        material: What the sidecar said.
        variables: What `trust_environment` gave.
        image: What the image has at `IMAGE_PATHS`.

    """
    bundles = _bundles(material, image)
    ca = material.ca_pem.encode("ascii")
    files = [
        *bundles,
        FileToPut(path=BUNDLE, link=bundles[0].path),
        FileToPut(path=CA_FILE, content=ca),
        FileToPut(path=TRUSTSTORE, content=material.truststore),
        *(FileToPut(path=path, content=ca) for path in _anchors(image)),
        *trust_config.config_files(variables, image),
    ]
    if image.read("/etc/debian_version") is not None:
        # OpenSSL's own default there; nothing else reaches it without variables, because its
        # folder of roots is read by hashed names that only update-ca-certificates makes.
        files.append(FileToPut(path="/usr/lib/ssl/cert.pem", link=BUNDLE))
    return files


def _bundles(material: TrustMaterial, image: ImageFiles) -> list[FileToPut]:
    """The distribution's bundles with the authority added; Debian's place where there is none."""
    ca = material.ca_pem.encode("ascii")
    paths = dict.fromkeys(
        image.resolve(path) for path in DISTRIBUTION_BUNDLES if image.read(path) is not None
    )
    if not paths:
        content = _joined(material.roots_pem.encode("ascii"), ca)
        return [FileToPut(path=image.resolve(DISTRIBUTION_BUNDLES[0]), content=content)]
    return [FileToPut(path=path, content=_joined(image.files[path], ca)) for path in paths]


def _joined(roots: bytes, ca: bytes) -> bytes:
    return roots.rstrip(b"\n") + b"\n" + ca


def _anchors(image: ImageFiles) -> list[str]:
    known = [anchor for folder, anchor in ANCHORS.items() if image.has_folder(folder)]
    return [image.resolve(anchor) for anchor in known] or [DEBIAN_ANCHOR]
