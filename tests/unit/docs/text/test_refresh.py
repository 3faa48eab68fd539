"""Meta refresh: the forms that browsers accept, and which pages are stubs."""

import pytest

from quickstarted.docs.text.html import convert
from quickstarted.docs.text.refresh import first_refresh, is_stub, parse_refresh

FORMS = [
    ("0;url=x", (0, "x")),
    ("0; url=x", (0, "x")),
    ("0;URL='x'", (0, "x")),
    ('0; URL="x"', (0, "x")),
    ("0,x", (0, "x")),
    ("0, url=x", (0, "x")),
    ("0 url=x", (0, "x")),
    ("0 x", (0, "x")),
    ("0; x", (0, "x")),
    ("  5 ; \n url = 'x y' z", (5, "x y")),
    ("0;url='x", (0, "x")),
    ("0;'x'", (0, "x")),
    ("0;url", (0, "url")),
    ("0;user.html", (0, "user.html")),
    ("0;uRl=x", (0, "x")),
    ("0.5;url=x", (0, "x")),
    (".5;url=x", (0, "x")),
    ("1.2.3;url=x", (1, "x")),
    ("30", (30, "")),
    ("0;", (0, "")),
    ("0;url=", (0, "")),
    ("0;url=x;y", (0, "x;y")),
    ("0 ; url = x", (0, "x")),
    ("0;;url=x", (0, ";url=x")),
    ("0,;x", (0, ";x")),
    ("0;u=x", (0, "u=x")),
    ("0;ur=x", (0, "ur=x")),
    ("0;url x", (0, "url x")),
    ("0;url='x\"y'", (0, 'x"y')),
    ("0;url=x'y", (0, "x'y")),
    ('0;url="a"b"', (0, "a")),
    ("0;url=  'x'", (0, "x")),
    ("\t0\f;\nurl=x", (0, "x")),
    ("00030;url=x", (30, "x")),
    ("5.;url=x", (5, "x")),
    ("0.5.5 url=x", (0, "x")),
    ("99999999999999999999;url=x", (999_999_999, "x")),
    ("", None),
    ("url=x", None),
    (";url=x", None),
    ("-1;url=x", None),
    ("5x;url=x", None),
    ("+1;url=x", None),
    ("٣;url=x", None),
    ("\u00a00;url=x", None),
    ("0\u00a0;url=x", None),
    ("0/x", None),
    ("a", None),
]


@pytest.mark.parametrize(("content", "expected"), FORMS)
def test_content_is_read_as_browsers_read_it(content, expected):
    assert expected == parse_refresh(content)


URL = "https://duckdb.org/docs/stable/start"
TARGET = "https://duckdb.org/docs/lts/start"
META = '<meta http-equiv="refresh" content="0; url=/docs/lts/start">'


def target_of(html):
    stub = convert(html, URL).stub
    return stub and stub.target


STUBS = [
    f"<head>{META}</head>",
    f"<head><noscript>{META}</noscript></head><body></body>",
    f"<body><noscript>{META}</noscript></body>",
    f"{META}<h1>Redirecting&hellip;</h1><a href=/docs/lts/start>Click here to get there.</a>",
    f"<head>{META}</head><p>This page has moved to <a href=../lts/start>its new place</a>.</p>",
    f"<head>{META}</head><p>Sie werden weitergeleitet.</p>",
    f"<head>{META}<title>Start</title></head><h1>Start</h1>",
    f"<head>{META}</head><script>location='/docs/lts/start'</script>",
    '<META HTTP-EQUIV=REFRESH CONTENT="30;/docs/lts/start">',
    '<base href="https://duckdb.org/docs/"><meta http-equiv=refresh content="0;url=lts/start">',
    '<meta http-equiv="refresh" content="0; url=/docs&#x2F;lts/start">',
    '<meta http-equiv="refresh" content="a">' + META,
    '<meta http-equiv="refresh" content="0;url=javascript:x()">' + META,
    f"{META}<meta http-equiv=refresh content='0;url=/docs/other'>",
    f"{META}<body> <a href=/docs/lts/start>Redirecting from <code>/a</code> to <code>/b</code></a>",
]


@pytest.mark.parametrize("html", STUBS)
def test_a_page_that_only_redirects_is_a_stub(html):
    assert target_of(html) == TARGET


NO_STUBS = [
    f"{META}<p>Welcome to DuckDB.</p>",
    f"{META}<h1>Install</h1><p>Run <code>pip install duckdb</code></p>",
    f"{META}<pre>pip install duckdb</pre>",
    f"{META}<p>Redirecting</p><ul><li>One</li><li>Two</li></ul>",
    f"{META}<h1>Redirects</h1><p>{'How redirection works. ' * 60}</p>",
    '<meta http-equiv="refresh" content="31; url=/docs/lts/start">',
    '<meta http-equiv="refresh" content="5"><p>Redirecting</p>',
    '<meta http-equiv="refresh" content="0;url=#top">',
    '<meta http-equiv="refresh" content="0;url=/docs/stable/start">',
    '<meta http-equiv="refresh" content="0;url=javascript:x()">',
    '<meta http-equiv="refresh" content="60;url=/docs/other">' + META,
    '<meta http-equiv="refresh" content="300">' + META,
    '<meta http-equiv=" refresh" content="0;url=/docs/lts/start">',
    f"{META}<p>This page has moved: run <code>pip install duckdb</code></p>",
    '<meta name="refresh" content="0;url=/docs/lts/start">',
    "<template><meta http-equiv=refresh content='0;url=/docs/lts/start'></template>",
    '<!-- <meta http-equiv="refresh" content="0;url=/docs/lts/start"> -->',
]


@pytest.mark.parametrize("html", NO_STUBS)
def test_a_page_with_content_or_without_a_place_to_go_is_none(html):
    assert target_of(html) is None


def test_a_stub_of_another_host_is_one_too():
    assert target_of("<meta http-equiv=refresh content='0;//other.org/x'>") == "https://other.org/x"


def test_a_line_that_links_to_the_target_is_about_the_redirect():
    assert is_stub(f"[Hier geht es weiter]({TARGET}#a)", "", TARGET + "#a")


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("0; url=/docs/lts/start", TARGET),
        ("30;URL='../lts/start'", TARGET),
        ("31; url=/docs/lts/start", None),
        ("5", None),
        ("", "https://duckdb.org/docs/meta"),
        ("no number", "https://duckdb.org/docs/meta"),
    ],
)
def test_the_header_of_that_name_comes_before_the_page(header, target):
    html = (
        '<base href="https://x.example/"><meta http-equiv=refresh content="0;url=//duckdb.org{}">'
    )

    stub = convert(html.format("/docs/meta"), URL, refresh_header=header).stub

    assert target == (stub and stub.target)


def test_the_first_refresh_that_can_be_read_is_the_only_one():
    values = [("x", URL), ("40; url=/a", URL), ("0; url=/b", URL)]

    assert first_refresh(values, URL) is None
    assert "https://duckdb.org/b" == first_refresh([values[0], values[2]], URL).target
