"""Which commands read local documentation, and what they read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.local_docs import LocalDocs
from quickstarted.local_docs.readings import MAX_CHARS, MAX_READINGS

VENV = "/workspace/.venv/lib/python3.13/site-packages"


def read(*commands, output="text", cwd="/workspace"):
    """Kind and what, of all commands; each starts in *cwd*."""
    local = LocalDocs()
    local.add("true", output="", cwd=cwd)
    for command in commands:
        local.add(command, output=output, cwd=cwd)
    return [(one.kind, one.what) for one in local.readings]


HELP = [
    ("flask --help", "flask --help"),
    ("flask run --help | head -40", "flask run --help"),
    ("./bin/tool -h", "tool -h"),
    ("tool sub -h 2>&1", "tool sub -h"),
    ("tool help", "tool help"),
    ("cargo help build", "cargo help build"),
    ("go help modules", "go help modules"),
    ("npm help install", "npm help install"),
    ("git help -a", "git help -a"),
    ("java -help", "java -help"),
    ("python -m pip install --help", "pip install --help"),
    ("python manage.py help migrate", "manage.py help migrate"),
    ("npx vite --help", "vite --help"),
    ("npx -y vite build --help", "vite build --help"),
    ("uv run flask --help", "flask --help"),
    ("uv --help", "uv --help"),
    ("uv help pip", "uv help pip"),
    ("sudo -u app timeout 5 tool --help", "tool --help"),
    ("FOO=1 tool --help-all", "tool --help-all"),
    ("cd /srv && (tool --help; true)", "tool --help"),
    ("X=$(tool --help); echo $X", "tool --help"),
    ("bash -c 'tool --help'", "tool --help"),
    ("bash <<'EOF'\ntool --help\nEOF", "tool --help"),
    ("for t in one; do $t --help; done", "one --help"),
    ("if ! tool --help >/dev/null; then tool help; fi", "tool --help"),
    ("cat --help", "cat --help"),
    ("help cd", "help cd"),
]
MANUAL = [
    ("man 5 crontab", "man 5 crontab"),
    ("man git-rebase | col -b", "man git-rebase"),
    ("info coreutils", "info coreutils"),
    ("tldr tar", "tldr tar"),
    ("pydoc json", "pydoc json"),
    ("python3 -m pydoc flask.Flask", "pydoc flask.Flask"),
    ("perldoc -f split", "perldoc -f split"),
    ("go doc net/http", "go doc net/http"),
    ("cargo doc --open", "cargo doc --open"),
    ("rustc --explain E0382", "rustc --explain E0382"),
    ("npm docs express", "npm docs express"),
    ("python -c 'import flask; help(flask.Flask)'", "flask.Flask"),
    ("python - <<'EOF'\nimport json\nprint(json.dumps.__doc__)\nEOF", "json.dumps"),
]
METADATA = [
    ("pip show -f flask", "pip show -f flask"),
    ("python -m pip show flask", "pip show flask"),
    ("uv pip show flask", "pip show flask"),
    ("npm view express", "npm view express"),
    ("npm view express readme | less", "npm view express readme"),
    ("pnpm info vite versions", "pnpm info vite versions"),
    ("gem specification rails", "gem specification rails"),
    ("cargo info serde", "cargo info serde"),
    ("apt-cache show curl", "apt-cache show curl"),
    ("dpkg -s curl", "dpkg -s curl"),
    ("python -c \"from importlib.metadata import metadata; print(metadata('flask'))\"", "flask"),
]
PACKAGE = [
    ("cat node_modules/vite/README.md", "/workspace/node_modules/vite/README.md"),
    (
        "cd node_modules/vite && cat README.md | head -50",
        "/workspace/node_modules/vite/README.md",
    ),
    (f"sed -n '1,80p' {VENV}/flask/app.py", f"{VENV}/flask/app.py"),
    (f"head -n 20 {VENV}/flask-3.1.dist-info/METADATA", f"{VENV}/flask-3.1.dist-info/METADATA"),
    (f"grep -rn 'def run' {VENV}/flask", f"{VENV}/flask"),
    (f"P={VENV}; less $P/flask/cli.py", f"{VENV}/flask/cli.py"),
    (f"awk 'NR<9' {VENV}/x.py", f"{VENV}/x.py"),
    ("cat < node_modules/a/README", "/workspace/node_modules/a/README"),
    ("jq .exports node_modules/a/package.json", "/workspace/node_modules/a/package.json"),
    ("cat $(npm root -g)/vite/README.md", "$(npm root -g)/vite/README.md"),
    ('cat "$(go env GOMODCACHE)/x/README.md"', "$(go env GOMODCACHE)/x/README.md"),
    ("cat /usr/lib/python3.13/json/__init__.py", "/usr/lib/python3.13/json/__init__.py"),
    ("cat ~/.cargo/registry/src/x/a-1.0/README.md", "~/.cargo/registry/src/x/a-1.0/README.md"),
    ("find node_modules/a -name '*.md' -exec cat {} +", "/workspace/node_modules/a/*.md"),
    ("find node_modules -name R.md | xargs cat", "find node_modules -name R.md | xargs cat"),
    ("python -c 'import inspect, a; print(inspect.getsource(a.b))'", "a.b"),
    (
        "for f in README.md LICENSE; do cat node_modules/a/$f; done",
        "/workspace/node_modules/a/README.md",
    ),
]  # fmt: skip
OTHER = [
    ("less /usr/share/doc/curl/README.Debian", "system_file", "/usr/share/doc/curl/README.Debian"),
    ("zcat /usr/share/man/man1/ls.1.gz", "system_file", "/usr/share/man/man1/ls.1.gz"),
    ("cat README.md", "readme", "/workspace/README.md"),
    ("cat app/docs/guide/start.md", "readme", "/workspace/app/docs/guide/start.md"),
    (
        "git clone -b v1 https://git.example/o/tool.git && cat tool/src/main.c",
        "repository_file",
        "/workspace/tool/src/main.c",
    ),
    ("git clone git@git.example:o/t x; cat x/a", "repository_file", "/workspace/x/a"),
]
NOTHING = [
    "ls node_modules/vite",
    "ls -lh",
    "du -h",
    "df -h .",
    "wc -l README.md",
    "cp node_modules/a/README.md .",
    "find . -name README.md",
    "grep -l flask node_modules/a/README.md",
    "grep -q x README.md",
    "sed -i s/a/b/ README.md",
    "cat app.py",
    "cat > README.md <<'EOF'\nrun tool --help, or man tool\nEOF",
    "cat <<EOF > docs/a.md\n$(true)\nEOF",
    "echo 'tool --help' > notes",
    "echo --help",
    "printf '%s' --help",
    "git commit -m 'say --help'",
    "grep -- --help notes",
    "psql -h localhost -c 'select 1'",
    "redis-cli -h",
    "pip install flask",
    "pip show",
    "npm view",
    "npm install express",
    "python app.py",
    "python -c 'print(1)'",
    "python -c 'from importlib.metadata import version; print(version(\"flask\"))'",
    "tool --version",
    "mkdir help",
    "cd docs",
    "touch README.md && cat README.md",
    "echo hi > README.md; cat README.md",
    "git clone https://git.example/o/tool",
    "# man tool",
    "man",
    "alias h='tool --help'",
    "f() { tool --help; }",
    "curl -s http://localhost:5000/docs/",
    "cat /etc/os-release",
    "((1+",
    "",
]


@pytest.mark.parametrize(("command", "what"), HELP)
def test_help_of_a_program_is_read(command, what):
    assert ("help", what) == read(command)[0]


@pytest.mark.parametrize(("command", "what"), MANUAL)
def test_a_manual_is_read(command, what):
    assert [("manual", what)] == read(command)


@pytest.mark.parametrize(("command", "what"), METADATA)
def test_what_a_package_manager_says_is_read(command, what):
    assert [("metadata", what)] == read(command)


@pytest.mark.parametrize(("command", "what"), PACKAGE)
def test_a_file_of_a_package_is_read(command, what):
    assert ("package_file", what) == read(command)[0]


@pytest.mark.parametrize(("command", "kind", "what"), OTHER)
def test_other_documentation_that_came_with_something_is_read(command, kind, what):
    assert [(kind, what)] == read(command)


@pytest.mark.parametrize("command", NOTHING)
def test_nothing_is_read(command):
    assert [] == read(command)


@pytest.mark.parametrize("output", ["", "\n", "bash: tool: command not found\n"])
def test_what_printed_nothing_has_read_nothing(output):
    assert [] == read("tool --help", output=output)


def test_a_file_that_is_not_there_is_not_read():
    output = "cat: README.md: No such file or directory\nusage: tool\n"

    assert [("help", "tool --help")] == read("cat README.md; tool --help", output=output)


def test_what_the_agent_wrote_before_is_its_own():
    assert [] == read("tee README.md < x", "cat ./README.md")


def test_a_clone_is_remembered_from_one_command_to_the_next():
    assert [("repository_file", "/workspace/t/INSTALL")] == read(
        "git clone https://git.example/o/t", "cd t && cat INSTALL"
    )


def test_a_subshell_and_a_pipeline_keep_their_folder_to_themselves():
    assert [("readme", "/workspace/README.md")] == read("(cd node_modules/a) | true; cat README.md")


def test_a_folder_that_is_not_on_record_leaves_paths_as_they_are():
    assert [("readme", "README.md")] == read("cat README.md", cwd=None)


def test_each_thing_is_listed_once_with_the_command_that_read_it_first():
    local = LocalDocs()
    local.add("tool --help\n| head", output="x")
    local.add("tool --help", output="x")

    assert ["tool --help | head"] == [one.command for one in local.readings]


def test_lists_and_texts_have_limits():
    local = LocalDocs()
    for number in range(MAX_READINGS + 5):
        local.add(f"tool{number} {'x' * 300} --help", output="x")

    assert MAX_READINGS == len(local.readings)
    assert {MAX_CHARS} == {len(text) for one in local.readings for text in (one.what, one.command)}


@pytest.mark.parametrize(
    "command",
    [
        "x" * 200_000,
        "(" * 3000 + "tool --help" + ")" * 3000,
        "$(" * 500,
        "$(" * 40_000,
        "a | " * 5000,
    ],
)
def test_commands_beyond_reason_do_no_harm(command):
    assert read(command) in ([], [("help", "tool --help")])


SIGNS = [
    "cat ",
    "README.md",
    "$",
    "(",
    ")",
    "'",
    '"',
    "`",
    "|",
    "&&",
    "<<E\n",
    "E\n",
    ">",
    "{",
    "}",
]


@given(
    st.lists(st.sampled_from([*SIGNS, "cd ", "x=", "for i in ", "; do ", "done", "--help", "-c "]))
)
def test_no_command_makes_it_raise(parts):
    LocalDocs().add("".join(parts), output="x", cwd="/workspace")
