"""
Configuration files that name the bundle, for children whose environment was scrubbed.

Only places of the whole system, and only additions: a drop-in where the program reads a folder of
them, else the image's own text with our setting in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from quickstarted.sandbox.lanes.image_files import FileToPut, ImageFiles

TRUST_DIR = "/etc/ssl/quickstarted"
BUNDLE = f"{TRUST_DIR}/ca-bundle.pem"
"""Public roots and the sidecar's authority."""
CA_FILE = f"{TRUST_DIR}/ca.pem"
"""Only the sidecar's authority, for what adds to the roots."""
TRUSTSTORE = f"{TRUST_DIR}/truststore.p12"
TRUSTSTORE_PASSWORD = "changeit"  # noqa: S105 (Java's own well-known word; the store has no key)

CARGO_CONFIG = "/.cargo/config.toml"
"""Cargo reads it from the working directory upwards, so this one is read everywhere."""
NPM_CONFIGS = ("/etc/npmrc", "/usr/local/etc/npmrc")
"""Of Debian's package, and of the prefix /usr/local."""


def java_options() -> str:
    """Options for a Java virtual machine."""
    return (
        f"-Djavax.net.ssl.trustStore={TRUSTSTORE} -Djavax.net.ssl.trustStoreType=PKCS12"
        f" -Djavax.net.ssl.trustStorePassword={TRUSTSTORE_PASSWORD}"
    )


def config_files(variables: Mapping[str, str], image: ImageFiles) -> Iterator[FileToPut]:
    """All files; *variables* are those of the container."""
    quoted = [f'{name}="{value}"' for name, value in sorted(variables.items())]
    yield _appended(image, "/etc/environment", quoted)
    yield _appended(image, "/etc/gitconfig", ["[http]", f"\tsslCAInfo = {BUNDLE}"])
    for path in NPM_CONFIGS:
        yield _appended(image, path, [f"cafile={BUNDLE}"])
    maven = f'MAVEN_OPTS="$MAVEN_OPTS {java_options()}"'
    yield _appended(image, "/etc/mavenrc", [maven])
    yield _with_setting(image, "/etc/pip.conf", "global", f"cert = {BUNDLE}")
    yield _with_setting(image, CARGO_CONFIG, "http", f'cainfo = "{BUNDLE}"')
    conda = f"ssl_verify: {BUNDLE}\n"
    yield FileToPut(path="/etc/conda/condarc.d/quickstarted.yml", content=conda.encode())
    if image.has_folder("/etc/apt"):
        apt = apt_config(variables["http_proxy"])
        yield FileToPut(path="/etc/apt/apt.conf.d/99quickstarted", content=apt.encode())


def apt_config(proxy: str) -> str:
    """
    Settings for apt; its own repositories on localhost are asked directly.

    Pipelining behind a proxy gives "Hash Sum mismatch" (moby #39303).
    """
    lines = [
        *(f'Acquire::{scheme}::Proxy "{proxy}";' for scheme in ("http", "https")),
        *(
            f'Acquire::{scheme}::Proxy::{host} "DIRECT";'
            for scheme in ("http", "https")
            for host in ("localhost", "127.0.0.1")
        ),
        f'Acquire::https::CaInfo "{BUNDLE}";',
        'Acquire::http::Pipeline-Depth "0";',
    ]
    return "\n".join(lines) + "\n"


def with_setting(text: str, section: str, setting: str) -> str:
    """
    Put *setting* (`key = value`) at the head of `[section]` of INI or TOML text.

    An earlier value of that key in that section is left out; all else stays as it was.
    """
    key = setting.split("=", 1)[0].strip()
    own_key = re.compile(rf"\s*{re.escape(key)}\s*[=:]")
    kept: list[str] = []
    current, done = "", False
    for line in text.splitlines():
        if header := re.match(r"\s*\[([^\[\]]+)\]\s*(?:[#;].*)?$", line):
            current = header[1].strip()
        elif current == section and own_key.match(line):
            continue
        kept.append(line)
        if header and current == section and not done:
            kept.append(setting)
            done = True
    if not done:
        kept += [f"[{section}]", setting]
    return "\n".join(kept) + "\n"


def _with_setting(image: ImageFiles, path: str, section: str, setting: str) -> FileToPut:
    target = image.resolve(path)
    text = _text(image, target)
    return FileToPut(path=target, content=with_setting(text, section, setting).encode(*_CODEC))


def _appended(image: ImageFiles, path: str, lines: list[str]) -> FileToPut:
    target = image.resolve(path)
    text = _text(image, target)
    if text and not text.endswith("\n"):
        text += "\n"
    added = "".join(f"{line}\n" for line in lines)
    return FileToPut(path=target, content=(text + added).encode(*_CODEC))


def _text(image: ImageFiles, path: str) -> str:
    return (image.read(path) or b"").decode(*_CODEC)


_CODEC = ("utf-8", "surrogateescape")
"""Whatever bytes the image has come out again as they were."""
