"""What is asked of this machine, its environment and its task files."""

import pytest

from quickstarted.doctor.agents import gather_agents, key_facts
from quickstarted.doctor.machine import gather_machine
from quickstarted.doctor.tasks import gather_tasks, task_paths
from quickstarted.errors import UsageError

FIRST, SECOND = "QUICKSTARTED_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"
TASK = """\
name: x
goal: g
docs: {entrypoint: https://docs.example/}
success: {script: "true"}
"""


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, {"set": (), "differ": False}),
        ({FIRST: " "}, {"set": ()}),
        ({FIRST: "a"}, {"set": (FIRST,), "padded": (), "broken": ()}),
        ({FIRST: "a", SECOND: "a"}, {"set": (FIRST, SECOND), "differ": False}),
        ({FIRST: "a", SECOND: "b"}, {"set": (FIRST, SECOND), "differ": True}),
        ({SECOND: "b\n"}, {"set": (SECOND,), "padded": (SECOND,), "broken": ()}),
        ({SECOND: "b c"}, {"broken": (SECOND,)}),
        ({FIRST: "a\nb"}, {"broken": (FIRST,)}),
    ],
)
def test_keys_are_known_by_their_variables_and_faults(environ, expected):
    facts = key_facts("anthropic", (FIRST, SECOND), environ)

    assert expected == {name: getattr(facts, name) for name in expected}


def test_no_value_of_a_key_is_among_the_facts():
    facts = gather_agents({FIRST: "sk-secret-1", SECOND: "sk-secret-2\n"})

    assert "sk-secret" not in repr(facts)
    assert "replay" in facts.agents
    assert facts.sdks["anthropic"]


def test_proxies_are_shown_without_credentials(tmp_path):
    missing = str(tmp_path / "gone.pem")
    environ = {"HTTPS_PROXY": "http://me:secret@proxy.example:3128", "PIP_CERT": missing}

    facts = gather_machine(environ)

    assert "secret" not in repr(facts)
    assert "http://proxy.example:3128" == facts.variables["HTTPS_PROXY"]
    assert {"PIP_CERT": missing} == facts.missing_files
    assert "" == facts.upstream_problem


@pytest.mark.parametrize(
    ("environ", "variable", "words"),
    [
        ({"SSL_CERT_FILE": "/nowhere/ca.pem"}, "SSL_CERT_FILE", "cannot read certificates"),
        ({"HTTPS_PROXY": "ftp://proxy"}, "HTTPS_PROXY", "is not a proxy"),
        ({"HTTP_PROXY": "http://localhost:3128"}, "HTTP_PROXY", "loopback"),
    ],
)
def test_what_a_run_would_refuse_is_known_with_its_variable(environ, variable, words):
    facts = gather_machine(environ)

    assert variable == facts.upstream_variable
    assert words in facts.upstream_problem


def test_a_range_that_a_run_would_refuse_is_known():
    facts = gather_machine({"QUICKSTARTED_NETWORK_RANGE": "8.8.8.0/24"})

    assert "the range is public" in facts.range_problem


def test_a_size_of_the_package_cache_that_a_run_would_refuse_is_known():
    facts = gather_machine({"QUICKSTARTED_PACKAGE_CACHE_SIZE": "much"})

    assert "much is not a size" in facts.packages_problem


def test_task_files_are_loaded_whatever_is_wrong_with_them(tmp_path):
    (tmp_path / "a.yaml").write_text("name: a\n")
    (tmp_path / "b.yaml").write_text(TASK + "resources: {gpus: all}\n")
    (tmp_path / "c.yaml").write_text(TASK + "image: app:1\n")

    bad, unsupported, good = gather_tasks(task_paths([str(tmp_path)]), lambda _: False, {})

    assert "goal: is required" in bad.problems[0]
    assert "gpus" in unsupported.unsupported[0]
    assert (None, "app:1", False) == (unsupported.image, good.image, good.image_usable)


def test_which_secrets_are_set_is_known_and_nothing_else_of_them(tmp_path):
    (tmp_path / "a.yaml").write_text(
        TASK + "secrets: {ONE: {hosts: [a.example]}, TWO: {hosts: [a.example]}}\n"
    )

    (task,) = gather_tasks(task_paths([str(tmp_path)]), lambda _: None, {"ONE": "value", "TWO": ""})

    assert (("ONE", "TWO"), ("TWO",)) == (task.secrets, task.unset_secrets)
    assert "value" not in repr(task)


def test_the_variables_of_headers_are_secrets_too(tmp_path):
    headers = "entrypoint: https://docs.example/, headers: {docs.example: {A: $ONE, B: $TWO}}"
    (tmp_path / "a.yaml").write_text(TASK.replace("entrypoint: https://docs.example/", headers))

    (task,) = gather_tasks(task_paths([str(tmp_path)]), lambda _: None, {"ONE": "value"})

    assert (("ONE", "TWO"), ("TWO",)) == (task.secrets, task.unset_secrets)


def test_no_tasks_folder_is_no_fault_and_a_name_without_a_file_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert [] == task_paths([])
    (tmp_path / "tasks").mkdir()
    assert [] == task_paths([])
    with pytest.raises(UsageError, match="there is no task file"):
        task_paths(["missing.yaml"])
