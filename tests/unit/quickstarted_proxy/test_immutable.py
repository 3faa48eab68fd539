"""Which requests and answers concern a file that never changes."""

import hashlib

import pytest

from quickstarted.registries import DEFAULT_HOSTS, DEFAULT_PATHS, HASH_IN_PATH, IMMUTABLE
from quickstarted.sandbox.lanes.packages import immutable_rules
from quickstarted_proxy.immutable import (
    Digest,
    ImmutableRule,
    address_of,
    address_of_url,
    headers_to_keep,
    may_be_given,
    may_be_kept,
    size_to_keep,
)
from quickstarted_proxy.paths import permits

RULES = immutable_rules()
HASH = hashlib.blake2b(b"x", digest_size=32).hexdigest()
PYPI_FOLDER = f"/packages/{HASH[:2]}/{HASH[2:4]}/{HASH[4:]}"
NEVER_CHANGE = [
    ("https", "files.pythonhosted.org", f"{PYPI_FOLDER}/six-1.17.0-py2.py3-none-any.whl"),
    ("https", "files.pythonhosted.org", f"{PYPI_FOLDER}/six-1.17.0.tar.gz"),
    ("https", "files.pythonhosted.org", f"{PYPI_FOLDER}/six-1.17.0-py3-none-any.whl.metadata"),
    ("https", "files.pythonhosted.org", "/packages/source/s/six/six-1.0.zip"),
    ("https", "registry.npmjs.org", "/is-odd/-/is-odd-3.0.1.tgz"),
    ("https", "registry.npmjs.org", "/@types/node/-/node-22.0.0.tgz"),
    ("https", "registry.npmjs.org", "/@types%2fnode/-/node-22.0.0.tgz"),
    ("https", "static.crates.io", "/crates/serde/1.0.200/download"),
    ("https", "static.crates.io", "/crates/serde/serde-1.0.200.crate"),
    ("https", "proxy.golang.org", "/golang.org/x/text/@v/v0.3.0.zip"),
    ("https", "proxy.golang.org", "/golang.org/x/text/@v/v0.3.0.mod"),
    ("http", "deb.debian.org", "/debian/pool/main/h/hello/hello_2.10-3_amd64.deb"),
    ("http", "security.debian.org", "/debian-security/pool/updates/main/o/x/x_1_amd64.deb"),
    ("http", "archive.ubuntu.com", "/ubuntu/pool/main/h/hello/hello_2.10.orig.tar.gz"),
]
MAY_CHANGE = [
    ("https", "pypi.org", "/simple/six/"),
    ("https", "pypi.org", "/pypi/six/json"),
    ("https", "files.pythonhosted.org", f"{PYPI_FOLDER}/six-1.17.0-py3-none-any.whl.provenance"),
    ("https", "registry.npmjs.org", "/is-odd"),
    ("https", "registry.npmjs.org", "/is-odd/latest"),
    ("https", "index.crates.io", "/se/rd/serde"),
    ("https", "proxy.golang.org", "/golang.org/x/text/@v/list"),
    ("https", "proxy.golang.org", "/golang.org/x/text/@latest"),
    ("https", "proxy.golang.org", "/golang.org/x/text/@v/v0.info"),
    ("https", "proxy.golang.org", "/golang.org/x/text/@v/master.zip"),
    ("http", "deb.debian.org", "/debian/dists/trixie/InRelease"),
    ("http", "deb.debian.org", "/debian/dists/trixie/main/binary-amd64/Packages.xz"),
    ("https", "codeload.github.com", "/o/r/tar.gz/refs/tags/v1"),
    ("https", "github.com", "/o/r/releases/download/v1/x.tar.gz"),
]


def found(scheme, host, path, port=None):
    default = {"https": 443, "http": 80}[scheme]
    return address_of(RULES, scheme, (host, port or default), path.encode())


@pytest.mark.parametrize(("scheme", "host", "path"), NEVER_CHANGE)
def test_published_files_never_change(scheme, host, path):
    address = found(scheme, host, path)

    assert (scheme, host, path) == (address.scheme, address.host, address.path)
    assert address == address_of_url(RULES, address.url)


@pytest.mark.parametrize(("scheme", "host", "path"), MAY_CHANGE)
def test_indexes_and_what_has_no_version_may_change(scheme, host, path):
    assert found(scheme, host, path) is None


@pytest.mark.parametrize(("scheme", "host", "path"), NEVER_CHANGE)
@pytest.mark.parametrize(
    "change",
    [
        lambda host, path: (host, f"{path}?x=1", None),
        lambda host, path: (host, path, 8443),
        lambda host, path: (f"evil-{host}", path, None),
        lambda host, path: (f"x.{host}", path, None),
        lambda host, path: (host, f"/../{path}", None),
        lambda host, path: (host, f"/%2e%2e{path}", None),
        lambda host, path: (host, f"{path}\xff", None),
        lambda host, path: (host, "/" + "x" * 3000 + path, None),
    ],
    ids=["query", "port", "other host", "host below", "dots", "encoded dots", "bytes", "long"],
)
def test_an_address_in_another_form_is_none(scheme, host, path, change):
    other_host, other_path, port = change(host, path)

    assert found(scheme, other_host, other_path, port) is None


@pytest.mark.parametrize("host", IMMUTABLE)
def test_only_hosts_of_the_registries_are_named(host):
    assert host in DEFAULT_HOSTS


@pytest.mark.parametrize(("_scheme", "host", "path"), NEVER_CHANGE)
def test_what_is_kept_may_also_be_requested(_scheme, host, path):
    assert permits(DEFAULT_PATHS[host], path.encode())


def test_hosts_whose_paths_hold_a_digest_are_among_them():
    assert set(IMMUTABLE) >= HASH_IN_PATH


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("six-1.17.0-py3-none-any.whl", Digest("blake2b-256", HASH)),
        ("six-1.17.0.tar.gz", Digest("blake2b-256", HASH)),
        ("six-1.17.0-py3-none-any.whl.metadata", None),
    ],
)
def test_the_digest_in_an_address_is_that_of_the_file_itself(name, digest):
    assert digest == found("https", "files.pythonhosted.org", f"{PYPI_FOLDER}/{name}").digest


def test_schemes_have_keys_of_their_own():
    path = "/debian/pool/main/h/hello/hello_2.10-3_amd64.deb"

    assert found("http", "deb.debian.org", path).key != found("https", "deb.debian.org", path).key


@pytest.mark.parametrize("url", ["", "https://", "https:/x/y", "ftp://a/b", "https://é.test/x"])
def test_a_text_that_is_no_url_has_no_address(url):
    assert address_of_url(RULES, url) is None


def headers(**fields):
    return [(name.replace("_", "-").encode(), value.encode()) for name, value in fields.items()]


PLAIN = headers(host="x", user_agent="pip", accept="*/*", accept_encoding="identity")


@pytest.mark.parametrize(
    ("method", "more", "given", "kept"),
    [
        ("GET", {}, True, True),
        ("HEAD", {}, True, False),
        ("POST", {}, False, False),
        ("DELETE", {}, False, False),
        ("GET", {"authorization": "Basic x"}, False, False),
        ("GET", {"Authorization": "Basic x"}, False, False),
        ("GET", {"cookie": "a=b"}, False, False),
        ("GET", {"range": "bytes=0-1"}, True, False),
        ("GET", {"if_range": '"v1"'}, True, False),
        ("GET", {"if_none_match": '"v1"'}, True, False),
        ("GET", {"if_modified_since": "x"}, True, False),
        ("GET", {"cache_control": "max-age=0"}, True, True),
        ("GET", {"cache_control": "no-cache"}, False, False),
        ("GET", {"cache_control": "max-age=1, No-Store"}, False, False),
        ("GET", {"pragma": "no-cache"}, False, False),
        ("GET", {"content_length": "0"}, True, True),
        ("GET", {"content_length": "5"}, False, False),
        ("GET", {"transfer_encoding": "chunked"}, False, False),
        ("GET", {"expect": "100-continue"}, False, False),
        ("GET", {"upgrade": "h2c"}, False, False),
    ],
)
def test_a_request_that_may_be_for_one_client_only_is_left_alone(method, more, given, kept):
    fields = [*PLAIN, *headers(**more)]

    assert (given, kept) == (may_be_given(method, fields), may_be_kept(method, fields))


@pytest.mark.parametrize(
    ("accept_encoding", "given"),
    [
        ("", True),
        ("gzip, deflate, br", True),
        ("gzip;q=1.0, identity;q=0.5, *;q=0.1", True),
        ("identity;q=0", False),
        ("gzip, *;q=0.000", False),
    ],
)
def test_an_uncompressed_file_is_given_unless_it_is_refused(accept_encoding, given):
    assert given == may_be_given("GET", headers(accept_encoding=accept_encoding))


@pytest.mark.parametrize(
    ("status", "more", "size"),
    [
        (200, {}, 5),
        (200, {"vary": "Accept-Encoding, Origin"}, 5),
        (200, {"content-encoding": "identity"}, 5),
        (200, {"cache-control": "public, max-age=31536000, immutable"}, 5),
        (206, {}, None),
        (203, {}, None),
        (304, {}, None),
        (404, {}, None),
        (200, {"content-length": "0"}, None),
        (200, {"content-length": "-1"}, None),
        (200, {"content-length": "5, 5"}, None),
        (200, {"transfer-encoding": "chunked"}, None),
        (200, {"content-encoding": "gzip"}, None),
        (200, {"content-range": "bytes 0-4/10"}, None),
        (200, {"vary": "Accept-Encoding, Authorization"}, None),
        (200, {"vary": "*"}, None),
        (200, {"cache-control": "Private"}, None),
        (200, {"cache-control": "no-store"}, None),
        (200, {"set-cookie": "a=b"}, None),
    ],
)
def test_only_the_whole_file_for_everybody_is_kept(status, more, size):
    assert size == size_to_keep(status, {"content-length": "5", **more})


def test_an_answer_of_unknown_length_is_not_kept():
    assert size_to_keep(200, {}) is None


def test_headers_that_describe_the_file_are_kept():
    answer = {"etag": '"1"', "date": "now", "content-type": "x/y", "server": "z", "age": "3"}

    assert {"etag": '"1"', "content-type": "x/y"} == headers_to_keep(answer)


def test_a_rule_comes_back_from_the_control_stream():
    assert list(RULES) == [ImmutableRule.from_json(rule.to_json()) for rule in RULES]


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"host": "a.test", "patterns": ["/x"]},
        {"host": "A.test", "patterns": ["/x"], "hash_in_path": False},
        {"host": "a.test", "patterns": ["x"], "hash_in_path": False},
        {"host": "a.test", "patterns": 3, "hash_in_path": False},
        [],
    ],
)
def test_what_is_no_rule_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        ImmutableRule.from_json(value)
