"""What leaves the sandbox, by real programs, and what the trace says of it."""

from __future__ import annotations

import subprocess

import pytest

from fakes.program import COMMAND, run_task
from quickstarted.sandbox.images.standins import SANDBOX_NODE

pytestmark = pytest.mark.docker

UNPROXIED = "env -u HTTP_PROXY -u HTTPS_PROXY -u http_proxy -u https_proxy"


def test_a_pip_install_is_on_record_request_by_request_in_order(task):
    body = """\
        replay:
          - python3 -m venv .venv
          - .venv/bin/pip install six
        success: {script: '.venv/bin/python -c "import six"'}
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending(), done.out
    allowed = done.of_type("egress_allowed")
    assert [("/simple/six/", 443, "GET", 200)] == [
        (event.path, event.port, event.method, event.status)
        for event in allowed
        if event.path.startswith("/simple/")
    ]
    (wheel,) = [event for event in allowed if event.path.endswith(".whl")]
    assert wheel.bytes_in > 5_000
    assert wheel.duration > 0
    (pip,) = [e for e in done.of_type("tool_call") if e.command == ".venv/bin/pip install six"]
    (result,) = [e for e in done.of_type("tool_result") if e.scope == pip.scope]
    assert {pip.scope} == {event.scope for event in allowed}
    assert all(pip.ts <= event.ts <= result.ts for event in allowed)


@pytest.mark.parametrize("scheme", ["https", "http"])
@pytest.mark.parametrize("proxied", [True, False], ids=["proxy variables", "no proxy variables"])
def test_a_docs_host_answers_the_shell_with_the_403_that_explains(task, scheme, proxied):
    curl = f"curl -sS -w '%{{http_code}}\\n' {scheme}://docs.example/page"
    body = f"""\
        image: {SANDBOX_NODE.tag}
        replay:
          - |
            {curl if proxied else f"{UNPROXIED} {curl}"}
        success: {{script: 'false'}}
        """

    done = run_task(task(body))

    (result,) = done.of_type("tool_result")
    assert "read_docs" in result.output
    assert "403" == result.output.splitlines()[-1]
    via = "explicit" if proxied else scheme
    assert [("docs.example", "docs_host_requires_read_docs", "GET", "/page", via)] == [
        (event.host, event.reason, event.method, event.path, event.via)
        for event in done.of_type("egress_blocked")
    ]
    assert 1 == done.document["runs"][0]["docs_bypass_attempts"]


def test_plain_fetch_of_node_works_without_any_proxy_setting(task):
    script = (
        "fetch('https://registry.npmjs.org/is-number').then(async (answer) => "
        "console.log(answer.status, (await answer.json()).name))"
    )
    body = f"""\
        image: {SANDBOX_NODE.tag}
        replay:
          - |
            {UNPROXIED} node -e "{script}"
        success: {{expect_output: {{contains: 200 is-number}}}}
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending(), done.out
    (event,) = done.of_type("egress_allowed")
    assert ("https", "/is-number", 200) == (event.via, event.path, event.status)


def test_npm_installs_and_runs_a_package(task):
    body = f"""\
        image: {SANDBOX_NODE.tag}
        replay:
          - npm init -y
          - npm install is-number@7.0.0
          - |
            node -e "console.log(require('is-number')(5) ? 'a number' : 'none')"
        success: {{expect_output: {{contains: a number}}}}
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending(), done.out
    assert any(event.path.endswith(".tgz") for event in done.of_type("egress_allowed"))


def test_apt_get_installs_a_package(task):
    body = """\
        replay:
          - apt-get update
          - apt-get install -y --no-install-recommends hello
          - hello
        success: {expect_output: {contains: 'Hello, world!'}}
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending(), (
        done.out + done.of_type("tool_result")[-1].output
    )


def test_what_the_agent_left_is_reaped_and_services_come_again(task):
    body = """\
        services: [exec python3 -m http.server 8123]
        replay:
          - python3 -m http.server 9123 >/dev/null 2>&1 &
          - sleep 0.3; python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9123').status)"
        success:
          wait_http: {url: 'http://127.0.0.1:8123/'}
          script: |
            fetch="import urllib.request as u; u.urlopen('http://127.0.0.1:9123')"
            ! python3 -c "$fetch" 2>/dev/null || qs_fail "the agent's server runs"
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending(), done.out
    (left,) = done.of_type("left_processes")
    assert "reaped" == left.action
    assert ["python3 -m http.server 9123"] == left.processes
    assert ["started", "started"] == [event.state for event in done.of_type("service")]


def test_leftovers_that_the_task_keeps_are_kept(task):
    body = """\
        replay:
          - python3 -m http.server 9123 >/dev/null 2>&1 &
        success:
          wait_http: {url: 'http://127.0.0.1:9123/'}
          leftovers: keep
        """

    done = run_task(task(body))

    assert ("completed", "passed") == done.ending(), done.out
    assert ["kept"] == [event.action for event in done.of_type("left_processes")]


def test_a_kept_sandbox_is_judged_again_with_a_changed_check(task, engine):
    path = task(
        "replay: ['echo made > made.txt; cat made.txt']\nsuccess: {expect_output: {contains: made}}"
    )
    done = run_task(path, "--keep-sandbox")
    assert 0 == done.code
    image = done.of_type("sandbox_saved")[0].image
    try:
        again = run_check(path, done.results)
        path.write_text(path.read_text().replace("contains: made", "contains: other"))
        changed = run_check(path, done.results)
    finally:
        engine.api.remove_image(image, force=True)

    assert 0 == again.returncode, again.stderr
    assert 1 == changed.returncode
    assert "other" in changed.stdout


def run_check(path, results):
    return subprocess.run(
        [*COMMAND, "check", path, "--sandbox", results / "probe"],
        capture_output=True,
        text=True,
        check=False,
    )
