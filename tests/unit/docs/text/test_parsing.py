"""Pages that would take the parser minutes are refused, and no others."""

import subprocess
import sys

import pytest
from selectolax.lexbor import LexborHTMLParser

from quickstarted.docs.text.parsing import MAX_ATTRIBUTES, MAX_DEPTH, BeyondReason, parse

MANY = " ".join(f"a{number}=1" for number in range(MAX_ATTRIBUTES + 1))
NESTING = [
    ("", "<div>"),
    ("", "<div></x>"),
    ("", "<div></span>"),
    ("", "<span><div></span>"),
    ("", "<b><div></b>"),
    ("", "<div><table><tr><td></div>"),
    ("", "<a><div></a>"),
    ("", "<object></div>"),
    ("", "<li><ul></li>"),
    ("<svg>", "<td>"),
    ("<svg>", "<option>"),
    ("<svg><g></math>", "<td>"),
    ("<svg><desc>", "<x/>"),
    ("<math><mi>", "<x/>"),
    ("<math>", "<param>"),
]
FLAT = [
    ("", "<p>a</p>"),
    ("", "<p>a"),
    ("", "<li>a"),
    ("", "<a name=x>a"),
    ("", "<div><span></div>"),
    ("", "<section><b>a</section>"),
    ("", "<ul><li>a<li>b</ul>"),
    ("", "<table><tr><td>a<td>b</table>"),
    ("<svg><title>a</title>", "<path/>"),
    ("<svg>", "<g><title>a</title><path/></g>"),
    ("", "<svg><foreignObject><div>a</div></foreignObject></svg>"),
    ("<svg><p>", "<br/>"),
    ("", "<pre>a</pre></x>"),
]

SMALL_STACK = f"""
import sys, threading
from quickstarted.docs.text.html import convert

def read():
    again = sys.argv[1]
    convert(again * ({MAX_DEPTH - 10} // again.count("<")) + "x", "https://docs.example/")
    print("read")

threading.stack_size(512 * 1024)  # what a thread has on macOS
thread = threading.Thread(target=read)
thread.start()
thread.join()
"""


def depth_of(html):
    deepest, pending = 0, [(LexborHTMLParser(html).root, 1)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        child = node.first_child
        while child is not None:
            pending.append((child, depth + 1))
            child = child.next
    return deepest


@pytest.mark.parametrize(("before", "again"), NESTING)
def test_what_nests_beyond_reason_is_refused_however_it_is_written(before, again):
    assert 50 < depth_of(before + again * 50)

    with pytest.raises(BeyondReason, match="nested too deeply"):
        parse(before + again * (MAX_DEPTH + 1))


@pytest.mark.parametrize(("before", "again"), FLAT)
def test_what_does_not_nest_is_parsed_however_long_it_is(before, again):
    assert depth_of(before + again * 50) < 50

    assert parse(before + again * (MAX_DEPTH + 1)).body is not None


@pytest.mark.parametrize(
    "html",
    [
        f"<p {MANY}>a",
        f"<p a='>' {MANY}>a",
        f'<p a="<script>" {MANY} b="</script>">a',
        f'<p a="<!--" {MANY} b="-->">a',
        f"<p/{MANY.replace('=1', '').replace(' ', '/')}>a",
        f"<p {MANY}",
        f"<!-- > --><p {MANY}>",
        "".join(f"<html a{number}=1>" for number in range(MAX_ATTRIBUTES + 1)),
        "".join(f"<BODY a{number}=1>" for number in range(MAX_ATTRIBUTES + 1)),
    ],
    ids=["unquoted", "end in quotes", "script in quotes", "comment in quotes", "slashes",
         "no end", "behind a comment", "html", "body"],
)  # fmt: skip
def test_an_element_with_attributes_beyond_reason_is_refused(html):
    with pytest.raises(BeyondReason, match="more than 10,000 attributes"):
        parse(html)


@pytest.mark.parametrize(
    "html",
    [
        f"<script>if (a <b {MANY})</script><p>a",
        f"<!-- <b {MANY} --><p>a",
        f"<textarea><b {MANY}</textarea><p>a",
        f"<p a='{MANY}'>a",
        f"a < b {MANY}",
        "<p class=a id=b title=c>a</p>" * MAX_ATTRIBUTES,
        "<html lang=en>" + "<body>" * 100,
    ],
    ids=["script", "comment", "text area", "one value", "no tag", "many elements", "twice"],
)
def test_what_only_looks_like_many_attributes_is_parsed(html):
    assert parse(html).body is not None


@pytest.mark.parametrize(
    "again", ["<div>", "<template>", "<div><template shadowrootmode=open>", "<svg>", "<b><p>"]
)
def test_a_page_as_deep_as_can_be_is_read_on_a_small_stack(again):
    ran = subprocess.run(
        [sys.executable, "-c", SMALL_STACK, again], capture_output=True, text=True, check=False
    )

    assert (0, "read\n") == (ran.returncode, ran.stdout), ran.stderr
