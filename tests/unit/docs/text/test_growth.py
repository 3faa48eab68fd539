"""
Twice the page is twice the work, however it is nested.

Calls are counted instead of time.
"""

import sys

import pytest

from quickstarted.docs.text.html import convert

NESTED = {
    "div": ("<div>", "</div>"),
    "list": ("<ul><li>a", "</ul>"),
    "quote": ("<blockquote>a", "</blockquote>"),
    "table": ("<table><tr><td>a", "</table>"),
    "table with names": ("<table><tr><th>a<th>b<tr><td>c<td><pre>x</pre>", "</table>"),
    "definitions": ("<dl><dt class=sig>a<dd>b", "</dl>"),
    "emphasis": ("<b>a", "</b>"),
    "power": ("<sup>a", "</sup>"),
    "note": ("<div class=note>a", "</div>"),
    "details": ("<details><summary>a</summary>", "</details>"),
    "navigation": ("<main><nav>a", "</nav>"),
    "contents": ("<main><div class=toc><a href=b>a</a>", "</div>"),
    "hidden": ("<div class=sr-only><pre>a</pre>", "</div>"),
    "tabs": ("<div class=tabbed-set><label>a</label><div class=tabbed-content>", "</div></div>"),
    "signature": ("<table class=memname><tr><td>a", "</table>"),
    "article": ("<article>a", "</article>"),
    "code": ("<pre>a", "</pre>"),
}
REPEATED = {
    "paragraphs": "<p>a</p>",
    "code": "<pre>a</pre>",
    "headings": "<h2 id=a>a<a href='#a'>b</a></h2>",
    "tables": "<table><tr><th>a<tr><td>b</table>",
    "radio buttons": "<input type=radio><label>a</label><div>b</div>",
    "tabs": "<b role=tab>a</b><div role=tabpanel>b</div>",
    "links": "<a href=b>a</a> ",
    "breaks": "a<br>",
    "articles": "<article>a</article>",
    "drawings": "<svg><text>a</text></svg>",
}
SIZE = 150


def steps(html):
    """How many calls a conversion makes."""
    count = 0

    def note(frame, event, called):
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        convert(html, "https://docs.example.org/")
    finally:
        sys.setprofile(None)
    return count


def is_linear(page):
    once, twice = steps(page(SIZE)), steps(page(2 * SIZE))
    return twice < 2.3 * once


@pytest.mark.parametrize("name", NESTED)
def test_nesting_twice_as_deep_is_twice_the_work(name):
    start, end = NESTED[name]

    assert is_linear(lambda depth: start * depth + "b" + end * depth)


@pytest.mark.parametrize("name", REPEATED)
def test_a_page_twice_as_long_is_twice_the_work(name):
    assert is_linear(lambda times: REPEATED[name] * times)
