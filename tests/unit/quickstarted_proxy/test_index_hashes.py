"""What index pages say of files, read from pages as registries send them."""

import base64
import gzip
import hashlib
import json
import zlib

import pytest

from quickstarted.sandbox.lanes.packages import immutable_rules, index_rules
from quickstarted_proxy.immutable import Digest, address_of_url
from quickstarted_proxy.index_hashes import IndexRule, hashes_in

RULES = {rule.host: rule for rule in index_rules()}
NPM, CRATES = RULES["registry.npmjs.org"], RULES["index.crates.io"]
GO, GO_BY_PROXY = RULES["sum.golang.org"], RULES["proxy.golang.org"]
DEBIAN = RULES["deb.debian.org"]
SHA512 = hashlib.sha512(b"x")
INTEGRITY = "sha512-" + base64.b64encode(SHA512.digest()).decode()
URL = "https://registry.npmjs.org/@types/node/-/node-1.0.0.tgz"


def npm(url=URL, integrity=INTEGRITY, name="@types/node", **more):
    dist = {"shasum": "0", "tarball": url, "integrity": integrity, "signatures": [{"sig": "}"}]}
    version = {"name": name, "version": "1.0.0", "dist": dist}
    return json.dumps({"name": name, "versions": {"1.0.0": version}, **more}).encode()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("", bytes),
        ("identity", bytes),
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
    ],
)
def test_an_npm_document_names_the_digest_of_each_archive(encoding, pack):
    found = hashes_in(NPM, pack(npm()), encoding)

    assert {URL: Digest("sha512", SHA512.hexdigest())} == found
    assert address_of_url(immutable_rules(), URL)


@pytest.mark.parametrize(
    "body",
    [
        npm(url="https://registry.npmjs.org/react/-/react-18.0.0.tgz"),
        npm(url="https://evil.test/@types/node/-/node-1.0.0.tgz"),
        npm(url="http://registry.npmjs.org/@types/node/-/node-1.0.0.tgz"),
        npm(integrity="sha1-AAAA"),
        npm(integrity="sha512-no base64!"),
        npm(integrity=None),
        npm(url=3),
        npm(integrity=""),
    ],
)
def test_a_package_speaks_for_its_own_files_and_in_sha512(body):
    assert {} == hashes_in(NPM, body, "")


def test_what_a_readme_quotes_is_not_taken_for_the_document():
    readme = json.dumps({"dist": {"tarball": URL, "integrity": "sha512-AAAA"}})
    found = hashes_in(NPM, npm(readme=readme), "")

    assert {URL: Digest("sha512", SHA512.hexdigest())} == found


def test_a_page_of_crates_io_has_a_line_for_each_version():
    lines = [
        json.dumps({"name": "serde", "vers": version, "cksum": digit * 64})
        for version, digit in (("1.0.0", "a"), ("1.0.1", "b"))
    ]
    found = hashes_in(CRATES, "\n".join(lines).encode(), "")

    assert {
        "https://static.crates.io/crates/serde/1.0.0/download": Digest("sha256", "a" * 64),
        "https://static.crates.io/crates/serde/serde-1.0.0.crate": Digest("sha256", "a" * 64),
        "https://static.crates.io/crates/serde/1.0.1/download": Digest("sha256", "b" * 64),
        "https://static.crates.io/crates/serde/serde-1.0.1.crate": Digest("sha256", "b" * 64),
    } == found
    assert all(address_of_url(immutable_rules(), url) for url in found)


LOOKUP = """\
1234567
github.com/BurntSushi/toml v1.4.0-RC1 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
github.com/BurntSushi/toml v1.4.0-RC1/go.mod h1:__________8=

go.sum database tree
99
h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
""".replace("__________8", "/" * 42 + "8")


@pytest.mark.parametrize("rule", [GO, GO_BY_PROXY])
def test_an_answer_of_the_checksum_database_names_the_hashes_of_a_module(rule):
    at = "https://proxy.golang.org/github.com/"
    found = hashes_in(rule, LOOKUP.encode(), "")

    assert {
        f"{at}!burnt!sushi/toml/@v/v1.4.0-!r!c1.zip": Digest("go-h1-zip", "00" * 32),
        f"{at}%21burnt%21sushi/toml/@v/v1.4.0-%21r%21c1.zip": Digest("go-h1-zip", "00" * 32),
        f"{at}!burnt!sushi/toml/@v/v1.4.0-!r!c1.mod": Digest("go-h1-mod", "ff" * 32),
        f"{at}%21burnt%21sushi/toml/@v/v1.4.0-%21r%21c1.mod": Digest("go-h1-mod", "ff" * 32),
    } == found
    assert all(address_of_url(immutable_rules(), url) for url in found)


@pytest.mark.parametrize(
    "line", ["a.test/b v1.0.0 h2:AAAA", "a.test/b v1.0.0", "a.test/b v1.0.0 h1:AAAA", "", "x y z w"]
)
def test_a_line_that_is_none_of_go_sum_says_nothing(line):
    assert {} == hashes_in(GO, f"1\n{line}\n\n".encode(), "")


@pytest.mark.parametrize("rule", [NPM, CRATES, GO])
@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"", ""),
        (b"{", ""),
        (b"\xff\xfe", ""),
        (b'{"name": "a", "dist": {', ""),
        (b"no gzip", "gzip"),
        (gzip.compress(npm())[:-20], "gzip"),
        (gzip.compress(b" " * 17 * 1024**2), "gzip"),
        (npm(), "br"),
    ],
)
def test_a_page_that_cannot_be_read_says_nothing(rule, body, encoding):
    assert {} == hashes_in(rule, body, encoding)


@pytest.mark.parametrize(
    ("rule", "target", "expected"),
    [
        (NPM, b"/is-odd", True),
        (NPM, b"/@types%2fnode", True),
        (NPM, b"/is-odd/-/is-odd-3.0.1.tgz", False),
        (CRATES, b"/se/rd/serde", True),
        (CRATES, b"/config.json", False),
        (GO, b"/lookup/github.com/!burnt!sushi/toml@v1.4.0", True),
        (GO, b"/latest", False),
        (GO_BY_PROXY, b"/sumdb/sum.golang.org/lookup/golang.org/x/mod@v0.17.0", True),
        (GO_BY_PROXY, b"/sumdb/other.test/lookup/golang.org/x/mod@v0.17.0", False),
        (GO_BY_PROXY, b"/golang.org/x/mod/@v/v0.17.0.mod", False),
        (DEBIAN, b"/debian/dists/bookworm/main/binary-amd64/Packages.xz", True),
        (DEBIAN, b"/debian/dists/bookworm/main/binary-amd64/by-hash/SHA256/ab", True),
        (DEBIAN, b"/debian-security/dists/stable-security/updates/main/source/Sources.gz", True),
        (DEBIAN, b"/debian/dists/bookworm/main/i18n/by-hash/SHA256/ab", False),
        (DEBIAN, b"/debian/dists/bookworm/InRelease", False),
        (DEBIAN, b"/debian/pool/main/b/binary-x/Packages.xz", False),
    ],
)
def test_index_pages_are_known_by_their_path(rule, target, expected):
    assert expected == rule.is_for(rule.host, target)
    assert not rule.is_for("other.test", target)


@pytest.mark.parametrize("rule", RULES.values())
def test_a_rule_comes_back_from_the_control_stream(rule):
    assert rule == IndexRule.from_json(rule.to_json())


@pytest.mark.parametrize(
    "change",
    [{"host": "A"}, {"kind": "rpm"}, {"patterns": ["x"]}, {"patterns": 3}, {"files": None}],
)
def test_what_is_no_rule_is_refused(change):
    with pytest.raises(ValueError, match=r"."):
        IndexRule.from_json({**NPM.to_json(), **change})
