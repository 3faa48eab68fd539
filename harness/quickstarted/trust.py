"""
Whom this machine trusts on the network: the public roots and what its environment adds.

A network that inspects TLS announces its CA through variables like SSL_CERT_FILE. They add to the
public roots here and do not replace them.
"""

from __future__ import annotations

import os
import ssl
from functools import lru_cache
from pathlib import Path

import certifi

CA_FILE_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
CA_DIR_VARIABLES = ("SSL_CERT_DIR",)


def ssl_context(extra_ca_files: tuple[Path, ...] = ()) -> ssl.SSLContext:
    """
    A verifying context; the same one for the same trust.

    Args:
        extra_ca_files: PEM files of further roots (`--upstream-ca`).

    Raises:
        ssl.SSLError, OSError: A file of *extra_ca_files* holds no certificate or is not there.

    """
    files = tuple(path for path in _paths(CA_FILE_VARIABLES) if path.is_file())
    folders = tuple(path for path in _paths(CA_DIR_VARIABLES) if path.is_dir())
    return _context(extra_ca_files, files, folders)


def _paths(variables: tuple[str, ...]) -> list[Path]:
    return list(dict.fromkeys(Path(os.environ[name]) for name in variables if os.environ.get(name)))


@lru_cache(maxsize=8)
def _context(
    extra: tuple[Path, ...], files: tuple[Path, ...], folders: tuple[Path, ...]
) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certifi.where())
    # Python 3.13 wants RFC 5280 to the letter, which the CAs of inspecting networks often miss.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    for file in (*extra, *files):
        context.load_verify_locations(cafile=file)
    for folder in folders:
        context.load_verify_locations(capath=folder)
    return context
