"""Answers as documents: what is read how, and what is said of what cannot be read."""

import json

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickstarted.docs.document import read_document
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.notes import characters_note
from quickstarted.docs.text.html import Converted

URL = "https://docs.example.org/page"


def read(body, content_type, url=URL):
    return read_document(
        httpx.Response(200, headers={"content-type": content_type}, content=body), url
    )


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("# A\n\n<Tabs>\n```sh\nx\n```\n</Tabs>\n", "text/markdown"),
        ("import A from 'a'\n\n# A\n", "text/mdx"),
        ("A\n=\n\n.. code-block:: sh\n\n   x\n", "text/x-rst"),
        ("a  b\n\tc\n", "text/plain; charset=utf-8"),
        ('{"a": 1}', "application/json"),
        (".TH WIDGET 1\n.SH NAME\nwidget\n", "text/troff"),
        ("= A\n\n----\nx\n----\n", "text/asciidoc"),
    ],
)
def test_text_is_given_as_it_is(body, content_type):
    assert body == read(body.encode(), content_type).text


NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}]})


@pytest.mark.parametrize(
    ("content_type", "url"),
    [("application/x-ipynb+json", URL), ("application/json", f"{URL}.ipynb"),
     ("text/plain", f"{URL}.ipynb")],
)  # fmt: skip
def test_a_notebook_is_read_cell_by_cell(content_type, url):
    assert read(NOTEBOOK.encode(), content_type, url).text == "```python\nx\n```"


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        (b"%PDF-1.7", "application/pdf", "The URL is a PDF document"),
        (b"%PDF-1.7", "text/html", "The URL is a PDF document"),
        (b"\x89PNG", "image/png", "The URL is an image"),
        (b"\x00\x01", "application/octet-stream", "The URL is a binary file"),
        (b"", "text/html", "The page is empty"),
        (b"<script src=a></script><div id=root></div>", "text/html", "only with JavaScript"),
        (b"<div>" * 6_000, "text/html", "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_said(body, content_type, words):
    with pytest.raises(FetchFailed, match=words):
        read(body, content_type)


KINDS = st.sampled_from(["text/html", "text/html; charset=utf-8", "text/plain", "", "image/png"])


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), KINDS)
def test_no_bytes_make_it_raise_anything_else(body, content_type):
    try:
        document = read(body, content_type)
    except FetchFailed:
        return
    assert isinstance(document, Converted)


def test_places_that_fit_no_character_are_counted_and_said():
    document = read(b"<p>\xc3\xa9\xff</p>", "text/html; charset=utf-8")

    assert document.text == "é\ufffd"
    assert document.broken_characters == 1
    assert characters_note(document) == (
        "[1 place of this page fits no character of its character set: \ufffd stands there.]"
    )
    assert characters_note(read(b"<p>a</p>", "text/html")) == ""
