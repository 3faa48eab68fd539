"""CONNECT target, SNI and Host: one destination, or a refusal."""

from __future__ import annotations

import pytest

from quickstarted_proxy.authority import (
    Authority,
    Claims,
    Disagreement,
    a_label,
    parse_host_header,
    reconcile,
)

OK = Authority("ok.test", 443)


def claims(named=OK, *, tls=True, sni="ok.test", hosts=("ok.test",), host_required=True):
    return Claims(named=named, tls=tls, sni=sni, hosts=hosts, host_required=host_required)


AGREED = [
    claims(),
    claims(sni="OK.TEST"),
    claims(hosts=("ok.test:443",)),
    claims(hosts=("OK.test.",)),
    claims(hosts=("ok.test:00443",)),
    claims(hosts=(), host_required=False),
    claims(tls=False, sni=None),
]


@pytest.mark.parametrize("item", AGREED)
def test_claims_that_agree_name_the_destination(item):
    assert OK == reconcile(item, 80)


DISAGREED = [
    (claims(hosts=("ok.test", "ok.test")), "duplicate_host", "ok.test"),
    (claims(sni=None), "no_sni", "ok.test"),
    (claims(sni=""), "no_sni", "ok.test"),
    (claims(named=None, sni=None), "no_sni", ""),
    (claims(sni="docs.test"), "sni_mismatch", "docs.test"),
    (claims(hosts=("docs.test",)), "host_mismatch", "docs.test"),
    (claims(hosts=("ok.test:80",)), "host_mismatch", "ok.test"),
    (claims(hosts=("ok.test:0",)), "host_mismatch", "ok.test:0"),
    (claims(hosts=("ok.test:443:1",)), "host_mismatch", "ok.test:443:1"),
    (claims(sni="unset.invalid"), "sni_mismatch", "unset.invalid"),
    (claims(named=None), "sni_mismatch", "ok.test"),
    (claims(hosts=("ok.test", "OK.TEST")), "duplicate_host", "ok.test"),
    (claims(hosts=("docs.test", "ok.test")), "duplicate_host", "ok.test"),
    (claims(hosts=("ok.test", "")), "duplicate_host", "ok.test"),
    (claims(hosts=("ok.test ",)), "host_mismatch", "ok.test "),
    (claims(hosts=("ok.test\t",)), "host_mismatch", "ok.test\t"),
    (claims(hosts=("ok.test, docs.test",)), "host_mismatch", "ok.test, docs.test"),
    (claims(hosts=("ok.test\r\n docs.test",)), "host_mismatch", "ok.test\r\n docs.test"),
    (claims(hosts=("ok.test..",)), "host_mismatch", "ok.test.."),
    (claims(hosts=("a@ok.test",)), "host_mismatch", "a@ok.test"),
    (claims(hosts=("ok.test:65979",)), "host_mismatch", "ok.test:65979"),
    (claims(hosts=("ok.test:+443",)), "host_mismatch", "ok.test:+443"),
    (claims(hosts=("[ok.test]",)), "host_mismatch", "[ok.test]"),
    (claims(hosts=()), "no_host", "ok.test"),
    (claims(hosts=("ök.test",)), "invalid_host", "ök.test"),
    (claims(hosts=("ok.test\u3002",)), "invalid_host", "ok.test\u3002"),
]


@pytest.mark.parametrize(("item", "detail", "host"), DISAGREED)
def test_claims_that_disagree_name_the_one_that_deviates(item, detail, host):
    assert Disagreement(detail, host) == reconcile(item, 80)


TRANSPARENT = [
    ("ok.test", Authority("ok.test", 80)),
    ("ok.test:80", Authority("ok.test", 80)),
    ("ok.test:8080", Disagreement("host_mismatch", "ok.test")),
    ("127.0.0.1", Authority("127.0.0.1", 80)),
    ("[::1]", Authority("::1", 80)),
    ("[::1]:80", Authority("::1", 80)),
    ("-bad.test", Authority("-bad.test", 80)),
    ("", Disagreement("invalid_host", "")),
    ("a@ok.test", Disagreement("invalid_host", "a@ok.test")),
    ("ok.test/x", Disagreement("invalid_host", "ok.test/x")),
]


@pytest.mark.parametrize(("header", "expected"), TRANSPARENT)
def test_without_another_name_the_host_header_is_the_destination(header, expected):
    assert expected == reconcile(claims(named=None, tls=False, sni=None, hosts=(header,)), 80)


@pytest.mark.parametrize(
    ("host", "label"),
    [
        ("ok.test", "ok.test"),
        ("g\u043e\u043egle.com", "xn--ggle-55da.com"),
        ("bücher.test", "xn--bcher-kva.test"),
        ("a" * 70 + "é.test", "a" * 70 + "\\xc3\\xa9.test"),
        ("\udcff.test", "\\xff.test"),
    ],
)
def test_what_was_decoded_becomes_ascii_again(host, label):
    assert label == a_label(host)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ok.test", Authority("ok.test", 80)),
        ("ok.test:65535", Authority("ok.test", 65535)),
        ("ok.test:65536", None),
        ("ok.test:", None),
        ("ok.test:x", None),
        ("ok test", None),
        ("ok.test ", None),
    ],
)
def test_host_headers_are_read_strictly(value, expected):
    assert expected == parse_host_header(value, 80)
