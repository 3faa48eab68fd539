import pytest

from quickstarted.errors import UsageError
from quickstarted.sandbox.lanes.upstream import Upstream, upstream_of_host

ONE = "-----BEGIN CERTIFICATE-----\nb25l\n-----END CERTIFICATE-----"
TWO = "-----BEGIN CERTIFICATE-----\ndHdv\n-----END CERTIFICATE-----"
KEY = "-----BEGIN PRIVATE KEY-----\na2V5\n-----END PRIVATE KEY-----"


def written(path, *parts):
    path.write_text("\n".join(parts))
    return str(path)


def test_a_host_that_says_nothing_adds_nothing():
    assert Upstream() == upstream_of_host({})


def test_certificates_of_all_sources_are_taken_once_and_keys_never(tmp_path):
    environ = {
        "SSL_CERT_FILE": written(tmp_path / "a.pem", "# café", ONE, KEY),
        "REQUESTS_CA_BUNDLE": written(tmp_path / "b.pem", ONE, TWO),
    }

    assert f"{ONE}\n{TWO}\n" == upstream_of_host(environ).trust_pem


def test_a_file_on_the_command_line_is_trusted_too(tmp_path):
    path = tmp_path / "corporate.pem"
    written(path, TWO)

    assert f"{TWO}\n" == upstream_of_host({}, extra_ca=path).trust_pem


def test_a_file_that_cannot_be_read_is_named_with_its_variable(tmp_path):
    with pytest.raises(UsageError, match="SSL_CERT_FILE: cannot read certificates from"):
        upstream_of_host({"SSL_CERT_FILE": str(tmp_path / "none.pem")})


def test_a_file_without_a_certificate_is_refused_with_the_command_that_converts(tmp_path):
    path = tmp_path / "ca.der"
    path.write_bytes(b"\x30\x82")

    with pytest.raises(UsageError, match="--upstream-ca") as caught:
        upstream_of_host({}, extra_ca=path)

    assert "openssl x509" in caught.value.hint


@pytest.mark.parametrize(
    ("environ", "http", "https"),
    [
        ({"HTTP_PROXY": "http://p:3128"}, "http://p:3128", ""),
        ({"HTTPS_PROXY": "http://u:p%40@p:3128"}, "", "http://u:p%40@p:3128"),
        ({"http_proxy": "http://low", "HTTP_PROXY": "http://high"}, "http://low", ""),
        ({"https_proxy": "p.example:8080"}, "", "http://p.example:8080"),
        ({"HTTPS_PROXY": "  "}, "", ""),
        ({"HTTPS_PROXY": "https://p.example"}, "", "https://p.example"),
    ],
)
def test_proxies_come_from_the_usual_variables(environ, http, https):
    upstream = upstream_of_host(environ)

    assert (http, https) == (upstream.http_proxy, upstream.https_proxy)


def test_exceptions_from_the_proxy_are_passed_on():
    upstream = upstream_of_host({"NO_PROXY": "a.example,.b.example"})

    assert upstream.proxies_json() == {"http": "", "https": "", "no": "a.example,.b.example"}


@pytest.mark.parametrize(
    "url",
    ["http://localhost:3128", "http://u:secret@127.0.0.1:1", "127.1.2.3:80", "http://[::1]:8"],
)
def test_a_proxy_on_the_hosts_loopback_is_refused_without_showing_its_password(url):
    with pytest.raises(UsageError, match="no container can reach") as caught:
        upstream_of_host({"HTTPS_PROXY": url})

    assert "secret" not in str(caught.value)


def test_where_the_engine_maps_the_loopback_the_proxy_is_named_by_that_alias():
    upstream = upstream_of_host({"HTTPS_PROXY": "http://u:p@127.0.0.1:3128"}, host_alias=True)

    assert upstream.https_proxy == "http://u:p@host.docker.internal:3128"


@pytest.mark.parametrize("url", ["socks5://p:1080", "http://", "http://p:notaport"])
def test_what_is_no_http_proxy_is_refused(url):
    with pytest.raises(UsageError, match="is not a proxy that can be used"):
        upstream_of_host({"HTTP_PROXY": url})
