import pytest

from quickstarted.task.findings import warnings_for

DOCS = "docs: {entrypoint: https://docs.example/}\n"
REPLAY = "replay: [python -m venv .venv, .venv/bin/pip install x]\n"


@pytest.fixture(name="found")
def _found(load):
    """Codes and keys of what is found, the note about a missing replay aside."""

    def found(extra="", *, docs=DOCS, script="", success=""):
        if not success:
            lines = "".join(f"    {line}\n" for line in (script or "python a.py").splitlines())
            success = f"success:\n  script: |\n{lines}"
        task = load(extra, docs=docs, success=success)
        return [
            (one.code, ".".join(map(str, one.key)))
            for one in warnings_for(task)
            if one.code != "no-replay"
        ]

    return found


ENVIRONMENT = [("check-needs-environment", "success.script")]


@pytest.mark.parametrize(
    "script",
    [
        ".venv/bin/python a.py",
        "./venv/bin/pytest",
        "/workspace/env/bin/python -c 'import x'",
        "project/.venv/bin/python a.py",
        ". .venv/bin/activate && python a.py",
        "source myenv/bin/activate\npython a.py",
        "PY=.venv/bin/python\n$PY a.py",
        "node_modules/.bin/tsc --version || qs_fail no",
        "sh -c '.venv/bin/python a.py'",
    ],
)
def test_a_check_that_needs_an_environment_nothing_makes(found, script):
    assert found(script=script, extra="image: x\n") == ENVIRONMENT


@pytest.mark.parametrize(
    ("script", "extra"),
    [
        (".venv/bin/python a.py", REPLAY),
        (".venv/bin/python a.py", "setup: [python -m venv .venv]\n"),
        (".venv/bin/python a.py", "replay: [uv sync]\n"),
        (".venv/bin/python a.py", "replay: from_docs\n"),
        ("p/.venv/bin/python a.py", "replay: [cd p, python -m venv .venv]\n"),
        ("node_modules/.bin/tsc --version", "image: node\nreplay: [npm install]\n"),
        ("/opt/venv/bin/python a.py", ""),
        ("$HOME/.local/bin/uv --version", ""),
        ("/usr/bin/python3 a.py", ""),
        ("bin/python a.py", ""),
        ("target/bin/app --version", ""),
        ("# .venv/bin/python\npython a.py", ""),
        ("python a.py || qs_fail 'create .venv/bin/python first'", ""),
        ("if [ -x .venv/bin/python ]; then PATH=.venv/bin:$PATH; fi\npython a.py", ""),
        ("for d in .venv venv; do\n  [ ! -d $d ] || . $d/bin/activate\ndone\npython a.py", ""),
        ("python -m venv .venv\n.venv/bin/pip install .\n.venv/bin/python a.py", ""),
    ],
)
def test_an_environment_that_is_made_or_optional_is_no_reason_to_warn(found, script, extra):
    assert found(extra, script=script) == []


def test_a_goal_that_names_the_environment_makes_it_part_of_the_task(write):
    from quickstarted.task import load_task

    task = load_task(
        write(
            f"name: x\ngoal: Make a virtual environment in .venv\n{DOCS}"
            "success: {script: .venv/bin/python a.py}\n"
        )
    )

    assert [one.code for one in warnings_for(task)] == ["no-replay"]


def test_an_environment_in_the_workspace_is_there(found, tmp_path):
    (tmp_path / "start" / "node_modules").mkdir(parents=True)

    assert found("image: x\nworkspace: start\n", script="node_modules/.bin/tsc -v || a") == []


def test_silent_and_ignored_statements_are_quoted_with_their_line(load):
    task = load("replay: [a]\n", success="success:\n  script: |\n    test -f a\n    test -f b\n")

    assert [(one.code, one.message) for one in warnings_for(task)] == [
        ("check-fails-silently", 'the check can fail without printing why: line 2 "test -f b"'),
        ("check-ignores-result", 'the check passes even if this fails: line 1 "test -f a"'),
    ]


def test_many_silent_statements_make_one_warning(load):
    script = "".join(f"    test -f {name} || exit 1\n" for name in "abcde")
    task = load("replay: [a]\n", success=f"success:\n  script: |\n{script}")

    (finding,) = warnings_for(task)
    assert finding.message.endswith("and 2 more")


def test_a_check_in_a_file_is_looked_at_too(load, tmp_path):
    (tmp_path / "x.sh").write_text("test -f x\n")
    task = load("replay: [a]\n", success="success: {file: x.sh}\n")

    (finding,) = warnings_for(task)
    assert (finding.code, finding.key) == ("check-fails-silently", ("success", "file"))


@pytest.mark.parametrize("first", ["#!/bin/bash -e", "#!/bin/sh -eu", "#!/usr/bin/env -S bash -x"])
def test_options_on_the_first_line_have_no_effect(found, first):
    assert found(script=f"{first}\npython a.py") == [("check-shebang-options", "success.script")]


@pytest.mark.parametrize(
    ("docs", "key"),
    [
        ("docs: {path: [https://pypi.org/project/x/]}\n", "docs.path.0"),
        ("docs: {path: [https://docs.example/, https://github.com/x/y]}\n", "docs.path.1"),
        ("docs: {entrypoint: https://docs.example/, allow: [npmjs.org]}\n", "docs.allow.0"),
        ("docs: {entrypoint: https://registry.npmjs.org/x}\n", "docs.entrypoint"),
    ],
)
def test_a_registry_as_documentation_refuses_installs(found, docs, key):
    assert found(docs=docs) == [("registry-as-docs", key)]


@pytest.mark.parametrize(
    ("docs", "network", "expected"),
    [
        ("https://docs.pypi.org/", "", []),
        ("https://pypi.org/p", "network: {allow: [pypi.org]}", ["docs-and-network"]),
        ("https://pypi.org/p", "network: {only: [mirror.example]}", []),
        ("https://a.example/", "network: {only: [a.example]}", ["registry-as-docs"]),
        ("https://a.example/", "network: {allow: [b.a.example]}", ["docs-and-network"]),
        ("https://b.a.example/", "network: {allow: [a.example]}", ["docs-and-network"]),
        ("https://a.example/", "network: {allow: [aa.example]}", []),
    ],
)
def test_hosts_on_both_sides(found, docs, network, expected):
    docs_block = f"docs: {{entrypoint: {docs}}}\n"

    assert [code for code, _ in found(f"{network}\n", docs=docs_block)] == expected


@pytest.mark.parametrize(
    ("network", "keys"),
    [
        ("paths: {a.example: [/x]}", ["network.paths.a.example"]),
        ("paths: {A.example: [/x]}", ["network.paths"]),
        ("websocket: [a.example]", ["network.websocket.0"]),
        ("private: [a.example, 10.0.0.1]", ["network.private.0", "network.private.1"]),
        ("paths: {pypi.org: [/**]}, only: []", ["network.paths.pypi.org"]),
        ("websocket: [docs.example]", ["network.websocket.0"]),
        ("websocket: [sub.docs.example], only: [docs.example]", ["network.websocket.0"]),
        ("paths: {pypi.org: [/**], github.com: [/**]}", []),
        ("paths: {a.example: [/x]}, allow: [a.example]", []),
        ("paths: {b.a.example: [/x]}, allow: [a.example]", []),
        ("paths: {a.example: [/x]}, allow: ['b.a.example:8443']", []),
        ("websocket: [a.example], only: [a.example]", []),
        ("private: [docs.example]", []),
        ("private: [a.example], only: [a.example]", []),
    ],
)
def test_what_is_said_of_a_host_that_may_not_be_reached_has_no_effect(found, network, keys):
    extra = f"network: {{{network}}}\n"

    assert [key for code, key in found(extra) if code == "host-not-allowed"] == keys


PREVIEWED = """\
docs:
  entrypoint: https://docs.example/
  sites: {https://docs.example/: https://p.example/}
  headers: {HOSTS: {X-Key: $KEY}}
network: {private: [p.example]}
"""


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("docs.example", []),
        ("api.docs.example", []),
        ("p.example", []),
        ("sub.p.example", [("headers-never-sent", "docs.headers.sub.p.example")]),
        ("Other.example", [("headers-never-sent", "docs.headers")]),
    ],
)
def test_headers_for_a_host_of_which_nothing_is_read_are_never_sent(found, host, expected):
    assert expected == found(docs=PREVIEWED.replace("HOSTS", host))


@pytest.mark.parametrize("program", ["node", "npm", "npx", "pnpm", "yarn", "bun"])
def test_a_check_that_calls_node_needs_an_image(found, program):
    assert found(script=f"{program} x") == [("check-needs-node", "success.script")]


@pytest.mark.parametrize(
    ("script", "extra"),
    [
        ("node x", "image: node:22-slim\n"),
        ("node x", "setup: [apt-get install -y nodejs]\n"),
        ("node x", "replay: ['curl -fsS https://x/nvm.sh | bash', nvm install node]\n"),
        ("echo node", ""),
        ("python node.py", ""),
    ],
)
def test_node_that_is_there_or_not_called_is_no_reason_to_warn(found, script, extra):
    assert found(extra, script=script) == []


def test_a_served_program_counts_as_called(found):
    success = "success: {serve: node server.js, wait_http: {path: /}}\n"

    assert found(success=success) == [("check-needs-node", "success.serve")]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("replay: [pip install flask, flask run]\n", [("replay-never-ends", "replay.1")]),
        ("replay: [flask run &]\n", [("replay-leaves-process", "replay.0")]),
        ("replay: [service redis start]\n", [("replay-leaves-process", "replay.0")]),
        ("replay: ['flask run & sleep 1; kill $!']\n", []),
        ("replay: [flask run &, curl localhost, kill %1]\n", []),
        ("replay: [flask run]\nservices: [redis-server]\n", []),
        ("replay: [flask run]\n", [("replay-never-ends", "replay.0")]),
        ("replay: from_docs\n", []),
        ("setup: [redis-server]\nreplay: [a]\n", []),
    ],
)
def test_documented_commands_that_do_not_end(found, extra, expected):
    assert found(extra) == expected


@pytest.mark.parametrize("leftovers", ["kill", "keep"])
def test_leftovers_that_are_set_settle_it(found, leftovers):
    success = f"success: {{script: python a.py, leftovers: {leftovers}}}\n"

    assert found("replay: [flask run &]\n", success=success) == []


@pytest.mark.parametrize(
    ("success", "extra", "expected"),
    [
        ("wait_http: {path: /}", "", ["nobody-serves"]),
        ("wait_http: {url: 'http://127.0.0.1:8000/'}", "", ["nobody-serves"]),
        ("wait_http: {url: 'http://localhost:8000/'}", "", ["nobody-serves"]),
        ("wait_http: {url: 'https://pypi.org/'}", "", []),
        ("wait_http: {path: /}, serve: flask run", "", []),
        ("wait_http: {path: /}, leftovers: keep", "", []),
        ("wait_http: {path: /}, script: qs_serve flask run", "", []),
        ("wait_http: {path: /}", "services: [flask run]\n", []),
    ],
)
def test_a_server_must_come_from_somewhere(found, success, extra, expected):
    codes = [code for code, _ in found(extra, success=f"success: {{{success}}}\n")]

    assert codes == expected


@pytest.mark.parametrize(
    ("wait_s", "check", "expected"),
    [
        (40, "timeout: 30", ["waits-too-long"]),
        (30, "timeout: 30", ["waits-too-long"]),
        (30, "timeout: 31", []),
        (300, "leftovers: kill", ["waits-too-long"]),
        (299, "leftovers: kill", []),
    ],
)
def test_a_check_waits_for_less_than_its_own_time(found, wait_s, check, expected):
    success = f"success: {{serve: x, wait_http: {{path: /, timeout: {wait_s}}}, {check}}}\n"

    assert [code for code, _ in found(success=success)] == expected


def test_a_task_without_replay_is_noted(load):
    (finding,) = warnings_for(load())

    assert (finding.severity, finding.code) == ("note", "no-replay")


def test_findings_come_in_the_order_of_the_file(load):
    task = load(
        "replay: [flask run]\n",
        docs="docs: {entrypoint: https://pypi.org/}\n",
        success="success:\n  script: |\n    npm test && test -f x\n",
    )

    findings = warnings_for(task)
    assert [one.position.line for one in findings] == [3, 5, 5, 7]
    assert all(one.line(task.source).startswith(f"{task.source.path}:") for one in findings)
