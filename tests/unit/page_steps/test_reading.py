"""From a page's Markdown to the steps of a reader."""

import pytest

from quickstarted.docs.code_blocks import code_blocks
from quickstarted.page_steps import Command, Skipped, WriteFile, steps_of


def steps(page):
    return steps_of(code_blocks(page))


def told(page):
    """Each step as words: what is run, `FILE < TEXT` or `FILE << TEXT`, `- why` it is skipped."""
    return [_told(step) for step in steps(page)]


def _told(step):
    match step:
        case Command():
            return step.text
        case WriteFile():
            return f"{step.path} {'<<' if step.appends else '<'} {step.text}"
        case Skipped():
            return f"- {step.reason}"


def fence(text, language="bash"):
    return f"```{language}\n{text}\n```\n\n"


def tab(label, text, language="bash"):
    return f"**Tab: {label}**\n\n{fence(text, language)}"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            fence("make", "sh") + fence("print(1)", "python"),
            ["make", "- python code, and the page names no file for it"],
        ),
        (fence("dir", "powershell"), ["- for powershell"]),
        (fence("dir", "bat"), ["- for bat"]),
        (fence("set -x a 1", "fish"), ["- for fish"]),
        (fence("C:\\> dir", ""), ["- for Windows"]),
        (fence("C:\\Users\\me> dir", "console"), ["- for Windows"]),
        (fence("PS C:\\> ls", ""), ["- for Windows"]),
        (fence("PS> ls", "console"), ["- for Windows"]),
        (fence("...\\> py manage.py runserver", ""), ["- for Windows"]),
        (tab("macOS/Linux", "$ a", "") + tab("Windows", "> b", ""), ["a", "- for Windows"]),
        (tab("Windows (PowerShell)", "b") + tab("Unix", "a"), ["- for Windows", "a"]),
        (
            tab("macOS", "brew install x") + tab("Linux", "apt install x"),
            ["- for macOS", "apt install x"],
        ),
        ("Windows CMD:\n\n" + fence("mkdir %A%", "shell"), ["- for Windows"]),
        ("On Linux and Windows:\n\n" + fence("make"), ["make"]),
        (fence("brew install x"), ["- for another system's package manager"]),
        (
            tab("pip", "pip install x") + tab("uv", "uv add x"),
            ["pip install x", "- another way than `pip install x`"],
        ),
        (
            tab("uv", "uv add x") + tab("pip", "pip install x"),
            ["- another way than `pip install x`", "pip install x"],
        ),
        (
            tab("Poetry", "poetry add x") + tab("uv", "uv add x"),
            ["- another way than `uv add x`", "uv add x"],
        ),
        (
            tab("npm", "npm i x") + tab("yarn", "yarn add x") + tab("pnpm", "pnpm add x"),
            ["npm i x", "- another way than `npm i x`", "- another way than `npm i x`"],
        ),
        (
            "With NPM:\n\n" + fence("npm init") + "With Yarn:\n\n" + fence("yarn init"),
            ["npm init", "- another way than `npm init`"],
        ),
        (fence("npm i x") + fence("yarn add x"), ["npm i x", "- another way than `npm i x`"]),
        (fence("npm i x") + "Now start it:\n\n" + fence("yarn start"), ["npm i x", "yarn start"]),
        (fence("npm i x") + fence("npx y"), ["npm i x", "npx y"]),
        (fence("make a") + "or:\n\n" + fence("make b"), ["make a", "- said to be another way"]),
        (
            fence("make a") + "Alternatively, use\n\n" + fence("make b"),
            ["make a", "- said to be another way"],
        ),
        (
            fence("# npm 7+:\nnpm create v\n\n# yarn\nyarn create v\n\n# pnpm\npnpm create v"),
            [
                "npm create v",
                "- another way than the one taken",
                "- another way than the one taken",
            ],
        ),
        (fence("# install\nnpm ci\n# run it\nmake"), ["npm ci", "make"]),
        (
            "> **Note**\n>\n> For others:\n>\n" + fence("make b") + "> said.\n",
            ["- in a note beside the text"],
        ),
        ("> **Note**\n>\n> ```sh\n> make b\n> ```\n", ["- in a note beside the text"]),
        ("> A tip.\n\n" + fence("make"), ["make"]),
        ("1. Do:\n\n   ```sh\n   make\n   ```\n", ["make"]),
        (
            "# git(1)\n\n## SYNOPSIS\n\n" + fence("git *", ""),
            ["- no shell code, and the page names no file for it"],
        ),
        (fence("vim app.py\nls"), ["- vim waits for a person at a screen", "ls"]),
        (fence("exit"), ["- exit is about the reader's own terminal"]),
        (
            "Move into the new `my-app` folder and start:\n\n" + fence("make"),
            ["if [ -d my-app ]; then cd my-app; fi", "make"],
        ),
        (fence("cd app && npm run dev"), ["cd app", "npm run dev"]),
    ],
)
def test_a_reader_runs_what_is_for_the_sandbox_once(page, expected):
    assert expected == told(page)


@pytest.mark.parametrize(
    ("command", "placeholder"),
    [
        ("git clone <your-repo>", "<your-repo>"),
        ("export KEY=YOUR_API_KEY", "YOUR_API_KEY"),
        ("export KEY=...", "..."),
        ("login --token <token>", "<token>"),
        ("cd path/to/app", "path/to/app"),
        ("cat /path/to/file", "/path/to/file"),
        ("deploy --key your-api-key", "your-api-key"),
        ("apt-get install package_name", "package_name"),
        ("tool [options]", "[options]"),
        ("curl -H 'x' {{ host }}", "{{ host }}"),
        ("key=xxxxxxxx run", "xxxxxxxx"),
    ],
)
def test_a_command_with_a_placeholder_is_told_and_not_run(command, placeholder):
    (step,) = steps(fence(command))

    assert isinstance(step, Skipped)
    assert step.is_placeholder
    assert f"a reader puts something in the place of `{placeholder}`" == step.reason


@pytest.mark.parametrize(
    "command",
    [
        'git config --global user.name "Your Name Comes Here"',
        "git config user.email you@yourdomain.example.com",
        "python app.py < input.txt > output.txt",
        "[ 1 = 1 ]",
        "cat > a.html <<'E'\n<p>text</p>\nE",
        "echo '<p>'",
        "ls ...*",
    ],
)
def test_what_only_looks_like_a_placeholder_is_run(command):
    assert [command] == told(fence(command))


@pytest.mark.parametrize(
    ("before", "info", "expected"),
    [
        ("Create a file `app.py`:", "python", "app.py < x"),
        ("Create a file called app.py with the following content:", "python", "app.py < x"),
        ("Save this as `hello.py`:", "python", "hello.py < x"),
        ("Save it as **hello.py**:", "python", "hello.py < x"),
        ('Put this into "src/main.rs":', "rust", "src/main.rs < x"),
        (
            "Open the file `polls/views.py` and put the following Python code in it:",
            "python",
            "polls/views.py < x",
        ),
        ("In your `polls/urls.py` file include the following code:", "python", "polls/urls.py < x"),
        ("In `config.yaml`, add:", "yaml", "config.yaml << x"),
        ("Append the following to `~/.npmrc`:", "ini", "~/.npmrc << x"),
        ("In `urls.py`, add an import, so you have:", "python", "urls.py < x"),
        ("`app.py`", "python", "app.py < x"),
        ("**src/app.js**", "js", "src/app.js < x"),
        ("README.rst", "rst", "README.rst < x"),
        ("`app.py`:", "python", "app.py < x"),
        ("Create a `Dockerfile`:", "dockerfile", "Dockerfile < x"),
        ("Create a `.env` file:", "", ".env < x"),
        ("Create [`app.py`](https://x/app.py):", "python", "app.py < x"),
        ("Make `a.js`. Paste the following content into it:", "js", "a.js < x"),
        ("", 'js title="src/app.js"', "src/app.js < x"),
        ("", "js:src/app.js", "src/app.js < x"),
        ("", "python {filename=app.py}", "app.py < x"),
        ("Create `run.sh`:", "bash", "run.sh < x"),
    ],
)
def test_a_block_becomes_the_file_that_the_page_names_before_it(before, info, expected):
    assert [expected] == told(f"{before}\n\n{fence('x', info)}")


@pytest.mark.parametrize(
    ("first", "path"),
    [
        ("# content of test_sample.py", "test_sample.py"),
        ("# app.py", "app.py"),
        ("// src/index.js", "src/index.js"),
        ("/* style.css */", "style.css"),
        ("<!-- index.html -->", "index.html"),
        ("# file: conf/app.toml", "conf/app.toml"),
    ],
)
def test_a_block_names_its_file_in_its_first_line(first, path):
    assert [f"{path} < {first}\nx"] == told(fence(f"{first}\nx", "text"))


def test_a_file_may_be_named_after_its_block():
    page = fence("x", "python") + "It works so.\n\nSave it as `hello.py` or something similar.\n"

    assert ["hello.py < x"] == told(page)


@pytest.mark.parametrize(
    "page",
    [
        "The file `app.py` is loaded so:\n\n" + fence("x", "python"),
        "Create `urls.py`. Your app directory should now look like:\n\n"
        + fence("polls/\n  urls.py", ""),
        "You will see this in `app.log`:\n\n" + fence("x", "text"),
        "We use the `lxml.etree` module and add:\n\n" + fence("x", "python"),
        "Write your Node.js code:\n\n" + fence("x", "js"),
        "Change `app.py`:\n\n" + fence("-a\n+b", "diff"),
        "Add this to `package.json`:\n\n" + fence('{"type": "module"}', "json"),
        "Create `../../x.py`:\n\n" + fence("x", "python"),
        "Create `app.py`:\n\n## Next\n\n" + fence("x", "python"),
        "Create `a.py` with:\n\n" + fence(">>> x", ""),
    ],
)
def test_a_block_that_the_page_does_not_call_a_file_is_left(page):
    assert all(isinstance(step, Skipped) for step in steps(page))


@pytest.mark.parametrize(
    ("command", "may_serve"),
    [
        ("flask --app hello run", True),
        ("node hello-world.js", True),
        ("python app.py", True),
        ("npm start", True),
        ("cargo run", True),
        ("uvicorn main:app", True),
        ("python manage.py runserver", True),
        ("python manage.py startapp polls", False),
        ("python -m venv .venv", False),
        ("pip install flask", False),
        ("npm install", False),
        ("ls", False),
    ],
)
def test_what_may_go_on_for_ever_is_known(command, may_serve):
    (step,) = steps(fence(command))

    assert may_serve == step.may_serve


def test_steps_know_their_line_in_the_page():
    page = "# T\n\n" + fence("a\nb") + fence("c")

    assert [4, 4, 9] == [step.line for step in steps(page)]
