"""Transcripts as documentation has them: what is typed and what is not."""

import pytest

from quickstarted.docs.code_blocks import CodeBlock
from quickstarted.page_steps import commands_in


def commands(text, language=""):
    return commands_in(CodeBlock(text=text, language=language))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("console", "$ pip install flask", ["pip install flask"]),
        ("console", "$ ls\napp.py\n$ cat app.py\nprint(1)", ["ls", "cat app.py"]),
        ("", "$ createdb mydb", ["createdb mydb"]),
        ("", "  $ indented", ["indented"]),
        ("bash", "$ pytest --version\npytest 8.3.5", ["pytest --version"]),
        ("sh", "$ pip install Flask", ["pip install Flask"]),
        ("pytest", "$ pytest -q\n.F\n1 failed", ["pytest -q"]),
        ("console", "(.venv) $ sphinx-build --version", ["sphinx-build --version"]),
        ("console", "(venv)$ flask run", ["flask run"]),
        ("console", "user@host:~/app$ make", ["make"]),
        ("console", "user@host:~$ make", ["make"]),
        ("console", "[user@host app]$ make", ["make"]),
        ("console", "~/code $ make", ["make"]),
        ("console", "~ $ make", ["make"]),
        ("", "bob$ git clone /home/alice/project myrepo", ["git clone /home/alice/project myrepo"]),
        (
            "",
            "(edit file)\n$ git commit -a\n$ git switch master",
            ["git commit -a", "git switch master"],
        ),
        ("zsh", "% brew install x\nok", ["brew install x"]),
        ("console", "user@mac ~ % npm start", ["npm start"]),
        ("console", "\u276f npm start\nready", ["npm start"]),
        ("console", "\u279c pnpm dev", ["pnpm dev"]),
        (
            "",
            "# apt-get update\n ...\n# apt-get install mc",
            ["apt-get update", "apt-get install mc"],
        ),
        ("console", "root@box:/# apt-get update", ["apt-get update"]),
        ("console", "#apt-get update", ["apt-get update"]),
        ("bash", "# a comment\nnpm ci", ["npm ci"]),
        ("", "# A heading of something\nmore", []),
        ("", "> npm init -y\nWrote to package.json", ["npm init -y"]),
        ("", "> a quotation of somebody", []),
        (
            "console",
            "$ pip install \\\n>   flask \\\n>   rich\nDone",
            ["pip install \\\n  flask \\\n  rich"],
        ),
        (
            "console",
            "$ docker run \\\n    -p 80:80 nginx\nabc",
            ["docker run \\\n    -p 80:80 nginx"],
        ),
        ("console", "$ cat > a <<EOF\n> hello\n> EOF\n$ ls", ["cat > a <<EOF\nhello\nEOF", "ls"]),
        ("console", "$ cat > a <<'EOF'\n$ kept\nEOF\n$ ls", ["cat > a <<'EOF'\n$ kept\nEOF", "ls"]),
        ("console", "$ echo 'two\nlines'\ntwo\nlines", ["echo 'two\nlines'"]),
        ("console", "$ make &&\n  make install\nok", ["make &&\n  make install"]),
        (
            "console",
            "$ for x in a b; do\n>   echo $x\n> done\na\nb",
            ["for x in a b; do\n  echo $x\ndone"],
        ),
        ("console", "$ npm start\n\n> app@1.0.0 start\n> node .", ["npm start"]),
        ("console", "$ # only a comment\n$ ls", ["ls"]),
        ("console", "\t$ tabbed\n\tout", ["tabbed"]),
        ("console", "$ curl x\n100% done\n50 % left", ["curl x"]),
        ("console", "Server running at http://127.0.0.1:3000/", []),
        ("console", "flask run", ["flask run"]),
        ("terminal", "npm create x@latest my-app", ["npm create x@latest my-app"]),
        ("shell", "mkdir a\ncd a", ["mkdir a", "cd a"]),
        ("bash", "a && b; c", ["a && b", "c"]),
        ("bash", "cat > f <<'E'\nx\nE\nrun f", ["cat > f <<'E'\nx\nE", "run f"]),
        ("bash", "export A=1\nserver &\nsleep 1", ["export A=1", "server &", "sleep 1"]),
        ("bash", "if true; then\n  x\nfi", ["if true; then\n  x\nfi"]),
        ("", "pip install tornado", ["pip install tornado"]),
        ("", "npm install\nnpm start", ["npm install", "npm start"]),
        ("", "Traceback (most recent call last):\n  File x", []),
        ("", "mysite/\n    manage.py", []),
        ("", "{'a': 1}", []),
        ("", ">>> import x\n>>> x.y()", []),
        ("", "mydb=> SELECT 1;", []),
        ("", "mydb=# SELECT 1;", []),
        ("", "sqlite> .tables", []),
        ("", "mysql> show tables;", []),
        ("", "irb(main):001:0> 1 + 1", []),
        ("python", "import os\nprint(1)", []),
        ("json", '{"scripts": {}}', []),
        ("pycon", ">>> 1 + 1\n2", []),
    ],
)
def test_what_is_typed_is_a_command_and_nothing_else(language, text, expected):
    assert expected == commands(text, language)
