"""What a build takes over from the machine: mirror, certificates, proxies."""

from __future__ import annotations

import pytest

from quickstarted.sandbox.images.build_host import build_network, ca_bundle, mirror_of, proxy_args

BOOKWORM = 'PRETTY_NAME="Debian 12"\nID=debian\nVERSION_CODENAME=bookworm\n'
PUBLIC = "http://deb.debian.org/debian"
DEB822 = """\
Types: deb
URIs: https://packages.example/other
Suites: nodistro
Components: main

# Types: deb
# URIs: http://commented.example/debian
Types: deb deb-src
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Types: deb
URIs: http://mirror.example/debian/
Suites: bookworm
 bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
DISABLED = "Enabled: no\n" + DEB822.split("\n\n", 2)[2]


@pytest.mark.parametrize(
    ("os_release", "sources", "mirror"),
    [
        pytest.param(BOOKWORM, [DEB822], "http://mirror.example/debian", id="deb822"),
        pytest.param(BOOKWORM, [DISABLED], PUBLIC, id="deb822 disabled"),
        pytest.param(
            BOOKWORM,
            ["deb [signed-by=/k.gpg arch=amd64] https://one.example/debian bookworm main\n"],
            "https://one.example/debian",
            id="one line with options",
        ),
        pytest.param(
            BOOKWORM,
            ["# deb http://no.example/debian bookworm main\ndeb-src http://no.example b main\n"],
            PUBLIC,
            id="nothing that counts",
        ),
        pytest.param(
            BOOKWORM, ["deb cdrom:[Debian 12]/ bookworm main\n"], PUBLIC, id="only a medium"
        ),
        pytest.param(
            'ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME="noble"\n',
            ["deb http://archive.ubuntu.com/ubuntu noble main\n"],
            PUBLIC,
            id="Ubuntu's mirror has no Debian",
        ),
        pytest.param("", [], PUBLIC, id="no system that we know"),
    ],
)
def test_the_mirror_is_the_one_that_serves_the_release(os_release, sources, mirror):
    assert mirror == mirror_of(os_release, sources)


def test_certificates_of_the_environment_are_added_to_the_systems(tmp_path):
    own = b"-----BEGIN CERTIFICATE-----\nb3du\n-----END CERTIFICATE-----"
    file = tmp_path / "own.pem"
    file.write_bytes(b"a comment\n" + own + b"\n" + own + b"\n")

    bundle = ca_bundle({"SSL_CERT_FILE": str(file), "REQUESTS_CA_BUNDLE": "/does/not/exist"})

    assert bundle.count(own) == 1
    assert bundle.count(b"BEGIN CERTIFICATE") > 50


def test_proxies_are_handed_over_in_both_cases():
    args = proxy_args({"https_proxy": "http://proxy.example:3128", "http_proxy": "http://p:1"})

    assert args == {
        "HTTPS_PROXY": "http://proxy.example:3128",
        "https_proxy": "http://proxy.example:3128",
        "HTTP_PROXY": "http://p:1",
        "http_proxy": "http://p:1",
    }


@pytest.mark.parametrize(
    ("proxies", "network"),
    [
        ({}, None),
        ({"http_proxy": "http://proxy.example:3128"}, None),
        ({"http_proxy": "http://127.0.0.1:3128"}, "host"),
        ({"HTTPS_PROXY": "http://localhost:3128"}, "host"),
        ({"no_proxy": "localhost,127.0.0.1"}, None),
    ],
)
def test_a_proxy_on_loopback_is_reached_through_the_hosts_network(proxies, network):
    assert network == build_network(proxies)
