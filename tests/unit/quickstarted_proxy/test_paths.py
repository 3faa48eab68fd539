"""Paths and their patterns, as tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.paths import MAX_PATH_BYTES, checked_pattern, permits, readings

READINGS = [
    # id, target, readings
    ("root", b"/", [()]),
    ("plain", b"/a/b", [("a", "b")]),
    ("slash-at-the-end", b"/a/b/", [("a", "b")]),
    ("query", b"/a?x=/../y", [("a",)]),
    ("query-with-question-marks", b"/a?b?c", [("a",)]),
    ("escapes-are-decoded-once", b"/%61%2Bb", [("a+b",)]),
    ("escaped-percent", b"/100%25", [("100%",)]),
    ("utf-8-escaped", b"/%C3%A9", [("\u00e9",)]),
    ("utf-8-raw", "/\u00e9".encode(), [("\u00e9",)]),
    ("colon-tilde-plus", b"/g++_4%3a1.2~3+b1", [("g++_4:1.2~3+b1",)]),
    ("encoded-slash", b"/@types%2fnode", [("@types", "node"), ("@types/node",)]),
    ("encoded-slash-in-capitals", b"/@types%2Fnode", [("@types", "node"), ("@types/node",)]),
    ("dots-in-names", b"/a..b/...", [("a..b", "...")]),
    ("no-slash", b"a", []),
    ("asterisk", b"*", []),
    ("empty", b"", []),
    ("authority", b"ok.test:443", []),
    ("dot", b"/a/./b", []),
    ("dot-dot", b"/a/../b", []),
    ("dot-dot-at-the-end", b"/a/..", []),
    ("dot-dot-encoded", b"/a/%2e%2E/b", []),
    ("dot-dot-half-encoded", b"/a/.%2e/b", []),
    ("dot-dot-behind-an-encoded-slash", b"/a%2f..%2fb", []),
    ("dot-dot-encoded-twice", b"/a/%252e%252e/b", []),
    ("encoded-twice", b"/a%252fb", []),
    ("empty-segment", b"/a//b", []),
    ("empty-first-segment", b"//a", []),
    ("two-slashes-at-the-end", b"/a//", []),
    ("two-slashes", b"//", []),
    ("encoded-slash-at-the-end", b"/a%2f", []),
    ("encoded-slash-twice", b"/a%2f%2fb", []),
    ("parameters", b"/a;x=1/b", []),
    ("parameters-behind-dots", b"/a/..;/b", []),
    ("parameters-encoded", b"/a%3bx", []),
    ("backslash", b"/a\\b", []),
    ("backslash-encoded", b"/a%5cb", []),
    ("fragment", b"/a#b", []),
    ("fragment-encoded", b"/a%23b", []),
    ("question-mark-encoded", b"/a%3fb", []),
    ("nul", b"/a%00", []),
    ("newline", b"/a%0ab", []),
    ("delete", b"/a%7f", []),
    ("c1-control", b"/a%C2%85", []),
    ("zero-width", b"/a%E2%80%8Bb", []),
    ("broken-escape", b"/a%zz", []),
    ("cut-escape", b"/a%4", []),
    ("lone-percent", b"/100%", []),
    ("not-utf-8", b"/%ff", []),
    ("not-utf-8-raw", b"/\xff", []),
    ("overlong-utf-8", b"/%c0%ae%c0%ae/b", []),
    ("surrogate", b"/%ed%a0%80", []),
    ("longest", b"/" + b"a" * (MAX_PATH_BYTES - 1), [("a" * (MAX_PATH_BYTES - 1),)]),
    ("too-long", b"/" + b"a" * MAX_PATH_BYTES, []),
]


@pytest.mark.parametrize(
    ("target", "expected"), [row[1:] for row in READINGS], ids=[row[0] for row in READINGS]
)
def test_what_a_target_can_mean(target, expected):
    assert tuple(expected) == readings(target)


PERMITS = [
    # patterns, target, permitted
    (("/**",), b"/", True),
    (("/**",), b"/a/b", True),
    (("/",), b"/", True),
    (("/",), b"/a", False),
    (("/a",), b"/a", True),
    (("/a",), b"/a/", True),
    (("/a/",), b"/a", True),
    (("/a",), b"/A", False),
    (("/a",), b"/ab", False),
    (("/a",), b"/a/b", False),
    (("/*",), b"/", False),
    (("/*",), b"/a", True),
    (("/*",), b"/a/b", False),
    (("/*.git/x",), b"/a.git/x", True),
    (("/*.git/x",), b"/a.git.no/x", False),
    (("/a*b*c",), b"/abc", True),
    (("/a*b*c",), b"/abbcbc", True),
    (("/a*b*c",), b"/acb", False),
    (("/*a",), b"/aa", True),
    (("/simple/**",), b"/simple", True),
    (("/simple/**",), b"/simple/a/b", True),
    (("/simple/**",), b"/simpler", False),
    (("/simple/**",), b"/a/simple/b", False),
    (("/**/@v/*",), b"/@v/list", True),
    (("/**/@v/*",), b"/a/b/@v/list", True),
    (("/**/@v/*",), b"/a/@v/b/@v/list", True),
    (("/**/@v/*",), b"/a/@v/b/c", False),
    (("/a/**/b",), b"/a/b", True),
    (("/a/**/b",), b"/a/b/b", True),
    (("/a/**/b",), b"/a/bb", False),
    (("/a/**/b/**/c",), b"/a/x/b/y/c", True),
    (("/a/**/b/**/c",), b"/a/x/bb/y/c", False),
    (("/a/**/b/**/c",), b"/a/c/b", False),
    (("/a/**/**/c",), b"/a/c", True),
    (("/a", "/b"), b"/b", True),
    (("/\u00e9",), b"/%C3%A9", True),
    (("/a.b",), b"/axb", False),
    (("/[a]",), b"/a", False),
    ((), b"/", False),
    # an encoded slash must be permitted as a slash and as a part of a name
    (("/*", "/*/*"), b"/@a%2fb", True),
    (("/*",), b"/@a%2fb", False),
    (("/*/*",), b"/@a%2fb", False),
    (("/**",), b"/@a%2fb", True),
    (("/*/*/info/refs",), b"/a/b%2finfo%2frefs", False),
]


@pytest.mark.parametrize(("patterns", "target", "permitted"), PERMITS)
def test_what_patterns_permit(patterns, target, permitted):
    assert permitted == permits(patterns, target)


@pytest.mark.parametrize("pattern", ["/", "/a", "/a/", "/**", "/a/**/b", "/*.tar.gz", "/\u00e9 x"])
def test_patterns(pattern):
    assert pattern == checked_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("a", "starts with a slash"),
        ("", "starts with a slash"),
        ("https://a.example/b", "starts with a slash"),
        ("/a?b", "query"),
        ("/a#b", "fragment"),
        ("/a%20b", "write the character"),
        ("/a**", "whole segments"),
        ("/**.html", "whole segments"),
        ("/a/../b", "matches no path"),
        ("//a", "matches no path"),
        ("/a;b", "matches no path"),
        ("/a\\b", "matches no path"),
        ("/a\nb", "matches no path"),
        ("/" + "a" * 1000, "at most 1000"),
    ],
)
def test_what_is_no_pattern(pattern, why):
    with pytest.raises(ValueError, match=why):
        checked_pattern(pattern)


_SEGMENTS = st.lists(st.text("ab", min_size=1, max_size=4), max_size=6)
_PARTS = st.lists(st.one_of(st.just("**"), st.text("ab*", min_size=1, max_size=4)), max_size=6)


def _by_hand(parts, segments):
    """The meaning of a pattern, as plainly as it can be written."""
    if not parts:
        return not segments
    if parts[0] == "**":
        return any(_by_hand(parts[1:], segments[i:]) for i in range(len(segments) + 1))
    return bool(segments) and _glob(parts[0], segments[0]) and _by_hand(parts[1:], segments[1:])


def _glob(part, text):
    if not part:
        return not text
    if part[0] == "*":
        return any(_glob(part[1:], text[i:]) for i in range(len(text) + 1))
    return text[:1] == part[0] and _glob(part[1:], text[1:])


@given(_PARTS.filter(lambda parts: all(p == "**" or "**" not in p for p in parts)), _SEGMENTS)
def test_the_quick_match_is_the_plain_one(parts, segments):
    pattern, target = "/" + "/".join(parts), ("/" + "/".join(segments)).encode()

    assert _by_hand(parts, segments) == permits((checked_pattern(pattern),), target)


@given(st.binary(max_size=80))
def test_no_reading_has_a_segment_that_means_more_than_itself(data):
    for reading in readings(b"/" + data):
        for segment in reading:
            assert segment not in {"", ".", ".."}
            assert not set(segment) & set("\\;?#\n\0")
