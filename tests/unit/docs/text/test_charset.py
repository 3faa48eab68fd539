"""Which character set a page is read in."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.docs.text.charset import broken_characters, codec_for, decode

CASES = [
    ("the default is UTF-8", "é".encode(), "text/html", "é"),
    ("the header", "é".encode("latin-1"), "text/html; charset=ISO-8859-1", "é"),
    ("latin1 is windows-1252", b"\x93a\x94", 'text/html; charset="latin1"', "“a”"),
    ("a BOM beats the header", codecs.BOM_UTF8 + "é".encode(), "text/html; charset=latin1", "é"),
    ("UTF-16 by its BOM", codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "text/html", "é"),
    ("UTF-16 big endian", codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "text/html", "é"),
    ("meta", "<meta charset=koi8-r>й".encode("koi8-r"), "text/html", "<meta charset=koi8-r>й"),
    (
        "meta in the old form",
        '<meta http-equiv=x content="text/html; charset=Shift_JIS">語'.encode("cp932"),
        "text/html",
        '<meta http-equiv=x content="text/html; charset=Shift_JIS">語',
    ),
    ("the header beats meta", "<meta charset=koi8-r>é".encode(), "text/html;charset=utf-8",
     "<meta charset=koi8-r>é"),
    ("meta that says UTF-16 lies", "<meta charset=utf-16>é".encode(), "text/html",
     "<meta charset=utf-16>é"),
    ("an unknown label is ignored", "é".encode(), "text/html; charset=klingon", "é"),
    ("a codec that is no character set", "é".encode(), "text/html; charset=rot13", "é"),
    ("no declaration and no UTF-8", b"\xe9t\xe9 et hiver", "text/html", "été et hiver"),
    ("cut within a character", "aé".encode()[:-1], "text/html", "a\ufffd"),
    ("declared UTF-8 that has not one character of it", "été et hiver".encode("latin-1"),
     "text/html; charset=utf-8", "été et hiver"),
    ("declared latin1 that is UTF-8", "é".encode(), "text/html; charset=iso-8859-1", "é"),
    ("meta that is wrong", "<meta charset=latin1>é".encode(), "text/html",
     "<meta charset=latin1>é"),
    ("UTF-8 declared to be Cyrillic", "приветик".encode(), "text/html; charset=koi8-r", "приветик"),
    ("two bytes tell nothing", "и".encode("koi8-r") + b"\xc9", "text/html; charset=koi8-r", "ии"),
    ("bytes that fit no character", b"\xc3\xa9\xffb", "text/html; charset=utf-8", "é\ufffdb"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "content_type", "expected"), [pytest.param(*case[1:], id=case[0]) for case in CASES]
)
def test_the_character_set_of_a_page(body, content_type, expected):
    assert expected == decode(body, content_type, is_html=True)


def test_meta_elements_count_in_html_only():
    assert decode("<meta charset=koi8-r>é".encode(), "text/plain", is_html=False).endswith("é")


@given(st.binary(max_size=200), st.text(max_size=40))
def test_no_bytes_and_no_header_make_it_raise(body, content_type):
    assert isinstance(decode(body, content_type, is_html=True), str)


@pytest.mark.parametrize(
    "label", ["utf-7", "idna", "punycode", "unicode_escape", "zip", "", "a\0b"]
)
def test_only_character_sets_of_the_web_are_known(label):
    assert codec_for(label) is None


@pytest.mark.parametrize(
    ("body", "count"), [(b"\xc3\xa9\xffb\xff", 2), ("a\ufffd".encode(), 0), (b"abc", 0)]
)
def test_places_that_fit_no_character_are_counted(body, count):
    assert count == broken_characters(body, decode(body, "text/html", is_html=True))
