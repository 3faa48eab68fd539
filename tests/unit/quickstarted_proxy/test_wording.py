"""Paths and hosts in events: readable, short, without secrets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.wording import (
    MAX_PATH_CHARS,
    printable,
    printable_host,
    printable_method,
    printable_path,
    redact_query,
)

REDACTED = [
    "token",
    "access_token",
    "accessToken",
    "api_key",
    "apikey",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "X-Amz-Security-Token",
    "x-goog-signature",
    "sig",
    "password",
    "client_secret",
    "client%5Fsecret",
    "auth",
    "jwt",
    "code",
    "SESSIONID",
]


@pytest.mark.parametrize("name", REDACTED)
def test_values_of_secret_parameters_are_replaced(name):
    assert f"/p?a=1&{name}=REDACTED&b=2" == redact_query(f"/p?a=1&{name}=s3cr3t&b=2")


@pytest.mark.parametrize(
    "path",
    [
        "/p",
        "/token=1",
        "/p?keyword=x",
        "/p?design=x",
        "/p?monkey=x",
        "/p?author=x",
        "/p?token",
        "/p?token=",
        "/p?q=token=x",
        "/p?",
    ],
)
def test_other_paths_stay_as_they_are(path):
    assert path == redact_query(path)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/token/3f9a8b7c6d/data", "/token/REDACTED/data"),
        ("/api-key/abcdefghijklmnopqrstuvwx", "/api-key/REDACTED"),
        ("/accessToken/12345678?x=1", "/accessToken/REDACTED?x=1"),
        ("/bot123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp/send", "/REDACTED/send"),
        ("/a/ghp_0123456789abcdefghij0123456789/b", "/a/REDACTED/b"),
        ("/a?q=sk-" + "a1" * 20, "/a?q=REDACTED"),
        ("/a/eyJhbGciOiJI.eyJzdWIiOiIx.c2ln/b", "/a/REDACTED/b"),
        ("/a/AKIAIOSFODNN7EXAMPLE", "/a/REDACTED"),
        ("/fetch/https://user:pass@host/x", "/fetch/https://REDACTED@host/x"),
        ("/fetch?url=https://user:pass@host/x", "/fetch?url=https://REDACTED@host/x"),
        ("https://user@host/x", "https://REDACTED@host/x"),
    ],
)
def test_secrets_in_paths_and_before_hosts_are_replaced(path, shown):
    assert shown == printable_path(path.encode())


@pytest.mark.parametrize(
    "path",
    [
        "/packages/9f/2a/3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f/token-1.0.whl",
        "/token/-/token-1.0.2.tgz",
        "/oauth/token/refresh",
        "/simple/secret-sauce/",
        "/@scope/pkg@1.0.0",
        "/secret/v1",
        "/task-0123456789abcdef0123456789",
    ],
)
def test_paths_that_only_look_a_little_like_it_stay(path):
    assert path == printable_path(path.encode())


def test_user_and_password_before_a_host_are_never_shown():
    assert "REDACTED@evil.example" == printable_host("user:pa@ss@evil.example")


def test_semicolons_separate_parameters_too():
    assert "/p?a=1;token=REDACTED" == redact_query("/p?a=1;token=x;y=".removesuffix(";y="))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"/a\x00\x1b[31m", "/a\x00\x1b[31m"),
        (b"/\xff\xfe", "/\\xff\\xfe"),
        ("/\u2028é".encode(), "/\u2028é"),
        ("/\udcff", "/\\xff"),
    ],
)
def test_odd_bytes_become_text(raw, text):
    assert text == printable(raw)
    assert text == json.loads(json.dumps(text))


def test_long_paths_are_cut_with_size_and_digest():
    short = printable_path(b"/" + b"a" * (MAX_PATH_CHARS - 1))
    one = printable_path(b"/" + b"a" * MAX_PATH_CHARS)
    other = printable_path(b"/" + b"a" * (MAX_PATH_CHARS - 1) + b"b")

    assert MAX_PATH_CHARS == len(short)
    assert f"...[{MAX_PATH_CHARS + 1} bytes, sha256:" in one
    assert len(one) < MAX_PATH_CHARS
    assert one != other


def test_the_digest_says_nothing_about_a_secret():
    pad = b"&x=" + b"a" * MAX_PATH_CHARS

    assert printable_path(b"/p?token=one" + pad) == printable_path(b"/p?token=two" + pad)


def test_hosts_and_methods_are_bounded():
    assert (300, 40) == (len(printable_host("h" * 9999)), len(printable_method(b"M" * 9999)))


@given(st.binary(max_size=4000))
def test_every_path_becomes_valid_utf8_of_bounded_size(raw):
    text = printable_path(raw)

    assert text.encode("utf-8").decode("utf-8") == text
    assert len(text) <= MAX_PATH_CHARS
