import pytest

from quickstarted.authoring.page import PageLook, documented_commands, look_at, title_of
from quickstarted.docs import DocsRules, Site

PAGE = """\
<html><body><main><h1>Start "here": now</h1>
<pre><code class="language-bash">pip install widget
widget new app</code></pre>
<pre><code class="language-python">print(1)</code></pre>
</main></body></html>
"""


def rules(**fields):
    return DocsRules(allow_hosts=("docs.example",), **fields)


def site(folder):
    return Site(prefix="https://docs.example/", folder=folder)


def test_a_page_gives_its_title_and_its_shell_commands(tmp_path):
    (tmp_path / "index.html").write_text(PAGE)

    look = look_at("https://docs.example/", rules(sites=(site(tmp_path),)))

    assert (
        PageLook(title='Start "here": now', commands=("pip install widget", "widget new app"))
        == look
    )


def test_a_page_that_is_not_there_is_a_problem_and_no_error(tmp_path):
    look = look_at("https://docs.example/missing", rules(sites=(site(tmp_path),)))

    assert look.title == ""
    assert "404" in look.problem


def test_a_host_that_is_not_there_is_a_problem_and_no_error():
    look = look_at("https://docs.invalid/", DocsRules(allow_hosts=("docs.invalid",)))

    assert "docs.invalid" in look.problem


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Quickstart\n\ntext", "Quickstart"),
        ("[The page has no section.]\n\n# `flask` and **[you](https://x/)**", "flask and you"),
        ("```sh\n# not a heading\n```\n# A heading", "A heading"),
        ("## Only a second", ""),
        ("# tabs\tand\u200bzero\u202ewidths", "tabs andzerowidths"),
        ("# " + "word " * 100, "word " * 23 + "wo..."),
    ],
)
def test_the_title_is_the_first_heading_without_mark_up(text, title):
    assert title == title_of(text)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("```sh\nmkdir x\ncd x\n```", ["mkdir x", "cd x"]),
        ("```console\n$ mkdir x\noutput\n$ cd x\n```", ["mkdir x", "cd x"]),
        ("```\n$ ls -l\ntotal 0\n```", ["ls -l"]),
        ("```\nplain text\n```", []),
        ("```python\nprint(1)\n```", []),
        ("```bash\n# a comment\npip install \\\n  x\n```", ["pip install \\\n  x"]),
        ("```console\n(.venv) $ pip install \\\n> x\nDone\n```", ["pip install \\\nx"]),
        ("````sh\necho '```'\n````", ["echo '```'"]),
        ("```sh\ncat > a <<'E'\nx\nE\npython a\n```", ["cat > a <<'E'\nx\nE", "python a"]),
        ("```sh\nif true; then echo 1; fi\na && b\n```", ["if true; then echo 1; fi", "a && b"]),
        ("```sh\necho \x1b[31m\n```", []),
        ("~~~sh\necho tilde\n~~~", ["echo tilde"]),
        ("```sh\nnever closed", ["never closed"]),
        ("```sh\n" + "echo x\n" * 100 + "```", ["echo x"] * 40),
    ],
)
def test_shell_code_blocks_are_taken_apart_into_commands(text, commands):
    assert commands == documented_commands(text)
