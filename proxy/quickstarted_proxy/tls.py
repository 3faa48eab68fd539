"""TLS towards clients with a CA that this process makes and that no other process ever has."""

from __future__ import annotations

import base64
import datetime as dt
import secrets
import ssl
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import certifi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.net.check import is_valid_host

TRUSTSTORE_PASSWORD = b"changeit"
"""Java's well-known default; the store holds nothing secret."""
_KDF_ROUNDS = 1
"""The store holds public certificates only: its password protects nothing."""
_UNNAMED = "unset.invalid"
"""On the leaf for a client that names no host; its requests are refused (RFC 6761)."""
_LIFE = dt.timedelta(days=365)
_BACKDATED = dt.timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What the sandbox is given so that it trusts the sidecar."""

    ca_pem: str
    roots_pem: str
    truststore_b64: str


def make_trust(confdir: Path) -> Trust:
    """Make a CA, write it with its key where mitmproxy reads it, and return the public parts."""
    key = ec.generate_private_key(ec.SECP256R1())
    ca = _self_signed(key)
    ca_pem = ca.public_bytes(serialization.Encoding.PEM)
    key_pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    confdir.mkdir(mode=0o700, parents=True)
    path = confdir / "mitmproxy-ca.pem"
    path.touch(mode=0o600)
    path.write_bytes(key_pem + ca_pem)
    roots_pem = Path(certifi.where()).read_bytes()
    return Trust(
        ca_pem=ca_pem.decode("ascii"),
        roots_pem=roots_pem.decode("utf-8"),
        truststore_b64=base64.b64encode(_truststore(roots_pem, ca)).decode("ascii"),
    )


def write_upstream_roots(confdir: Path, extra_pem: str) -> Path:
    """
    Write what upstream certificates are verified against: certifi's roots and the host's own.

    Raises:
        ValueError: *extra_pem* holds no certificate.

    """
    path = confdir / "upstream-roots.pem"
    extra = extra_pem.strip()
    if extra:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=extra)
        except ssl.SSLError as exc:
            raise ValueError(f"trust_pem holds no readable certificates: {exc}") from exc
    roots = Path(certifi.where()).read_bytes()
    path.write_bytes(roots + b"\n" + extra.encode("utf-8") + b"\n")
    return path


def _self_signed(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    now = dt.datetime.now(dt.UTC)
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, f"quickstarted sidecar {secrets.token_hex(4)}"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "quickstarted"),
        ]
    )
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    builder = (
        x509.CertificateBuilder()
        .serial_number(x509.random_serial_number())
        .subject_name(name)
        .issuer_name(name)
        .not_valid_before(now - _BACKDATED)
        .not_valid_after(now + _LIFE)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def _truststore(roots_pem: bytes, ca: x509.Certificate) -> bytes:
    """A PKCS#12 file that Java takes for a trust store, old enough in its ciphers for Java 8."""
    with warnings.catch_warnings():
        # Some public roots have serial numbers that RFC 5280 no longer allows.
        warnings.simplefilter("ignore")
        certificates = [ca, *x509.load_pem_x509_certificates(roots_pem)]
    named = [
        pkcs12.PKCS12Certificate(certificate, f"quickstarted-{index}".encode())
        for index, certificate in enumerate(certificates)
    ]
    encryption = (
        serialization.PrivateFormat.PKCS12.encryption_builder()
        .kdf_rounds(_KDF_ROUNDS)
        .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC)
        .hmac_hash(hashes.SHA1())  # noqa: S303 (as above)
        .build(TRUSTSTORE_PASSWORD)
    )
    store: bytes = pkcs12.serialize_java_truststore(named, encryption)
    return store


class SidecarTls(TlsConfig):  # type: ignore[misc]  # mitmproxy is not followed
    """mitmproxy's TLS, without the revocation list that it serves under every host's name."""

    request = None

    def get_cert(self, conn_context: Any) -> Any:
        """A leaf for the name that the client asks for, and nothing else."""
        client, server = conn_context.client, conn_context.server
        name = client.sni or (server.address[0] if server.address else "")
        if not is_valid_host(name):
            name = _UNNAMED
        return self.certstore.get_cert(name, [x509.DNSName(name)])
