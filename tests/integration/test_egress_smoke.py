"""Egress from a sandbox as its programs see it: through both doors, trusted, and judged."""

import pytest

from fakes import lanes
from quickstarted_proxy.policy import EgressPolicy, HostRule

pytestmark = pytest.mark.docker

FETCH = """
import os, urllib.error, urllib.request
handlers = [] if os.environ.get("EXPLICIT") else [urllib.request.ProxyHandler({})]
opener = urllib.request.build_opener(*handlers)
try:
    with opener.open(os.environ["URL"], timeout=20) as answer:
        print(answer.status)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print(error)
"""
KEYS = """
grep -rlE -e '-----BEGIN [A-Z ]*PRIVATE KEY' /etc /usr/local /usr/lib/ssl /.quickstarted /tmp \
  2>/dev/null
env | grep -c 'PRIVATE KEY'
"""


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module")
def backend(engine):
    with lanes.docker_backend(engine) as made:
        yield made


@pytest.fixture(scope="module")
def events():
    return []


@pytest.fixture(scope="module")
def sandbox(engine, backend, events):
    with backend.open(lanes.spec(engine, lanes.REGISTRY), events.append) as opened:
        yield opened


@pytest.fixture
def caused(sandbox, events):
    """Events of this test."""
    before = len(events)

    def drained():
        sandbox.drain_egress()
        return events[before:]

    return drained


def run(sandbox, script, **env):
    return sandbox.run_clean(script, lanes.QUICK, env={"FETCH": FETCH, **env})


def test_pip_installs_from_an_allowed_registry_and_every_request_is_recorded(sandbox, caused):
    done = run(
        sandbox, "python3 -m pip install -q --no-cache-dir --target /tmp/six six && ls /tmp/six"
    )

    allowed = [(e.host, e.port, e.method, e.status) for e in caused() if e.path != "/"]
    assert (done.exit_code, "six.py" in done.output) == (0, True)
    assert ("pypi.org", 443, "GET", 200) in allowed
    assert ("files.pythonhosted.org", 443, "GET", 200) in allowed


@pytest.mark.parametrize("explicit", ["", "1"], ids=["port-443", "proxy"])
def test_an_allowed_host_answers_through_both_doors(sandbox, caused, explicit):
    done = run(
        sandbox,
        'exec python3 -c "$FETCH"',
        URL="https://pypi.org/simple/six/",
        EXPLICIT=explicit,
    )

    assert done.output.strip() == "200"
    assert [(e.type, e.path) for e in caused()] == [("egress_allowed", "/simple/six/")]


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("explicit", ["", "1"], ids=["direct", "proxy"])
def test_a_docs_host_is_refused_to_the_shell_with_an_explanation(sandbox, caused, explicit, scheme):
    url = f"{scheme}://docs.example.com/guide"

    done = run(sandbox, 'exec python3 -c "$FETCH"', URL=url, EXPLICIT=explicit)

    assert done.output.startswith("403 ")
    assert "read_docs" in done.output
    assert [(e.host, e.reason, e.method, e.path) for e in caused()] == [
        ("docs.example.com", "docs_host_requires_read_docs", "GET", "/guide")
    ]


def test_another_host_has_no_address_and_the_lookup_is_recorded(sandbox, caused):
    done = run(sandbox, 'exec python3 -c "$FETCH"', URL="https://elsewhere.example/")

    assert "Name or service not known" in done.output
    assert [(e.host, e.method, e.reason) for e in caused()] == [
        ("elsewhere.example", "DNS", "not_allowlisted")
    ]


def test_a_child_without_any_variable_trusts_the_sidecar(sandbox):
    done = run(
        sandbox,
        'exec env -i URL=https://pypi.org/simple/six/ /usr/bin/env python3 -c "$FETCH"',
    )

    assert done.output.strip() == "200"


def test_update_ca_certificates_keeps_the_authority(sandbox):
    script = 'update-ca-certificates >/dev/null 2>&1 && exec python3 -c "$FETCH"'
    done = sandbox.run_clean(
        script, lanes.QUICK, env={"FETCH": FETCH, "URL": "https://pypi.org/simple/"}, root=True
    )

    assert done.output.strip() == "200"


def test_no_private_key_is_in_the_sandbox(sandbox):
    done = sandbox.run_clean(KEYS, lanes.QUICK, root=True)

    assert done.output.split() == ["0"]


def test_a_server_of_the_sandbox_itself_is_never_asked_for_through_the_proxy(sandbox, caused):
    sandbox.start_service("web", "cd /etc/ssl && exec python3 -m http.server 8000")
    script = """
    for host in localhost 127.0.0.1 0.0.0.0 "$(hostname)"; do
      for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        URL="http://$host:8000/" EXPLICIT=1 python3 -c "$FETCH" | grep 200 && break
        sleep 0.1
      done
    done
    """

    done = run(sandbox, script)

    assert done.output.split() == ["200"] * 4
    assert caused() == []


def test_a_user_without_privileges_trusts_the_sidecar_too(engine, backend):
    wanted = lanes.spec(engine, lanes.REGISTRY, user="65534:65534")
    with backend.open(wanted, [].append) as sandbox:
        done = run(sandbox, 'id -u; exec python3 -c "$FETCH"', URL="https://pypi.org/simple/six/")

    assert done.output.split() == ["65534", "200"]


def test_a_node_script_with_plain_fetch_needs_no_proxy_setting(engine, backend):
    policy = EgressPolicy(allow=(HostRule(host="registry.npmjs.org"),))
    events = []
    script = """
    exec env -u HTTP_PROXY -u HTTPS_PROXY -u http_proxy -u https_proxy node -e \
      'fetch("https://registry.npmjs.org/is-odd").then(a => console.log(a.status), console.log)'
    """
    wanted = lanes.spec(engine, policy, image=lanes.node_image(engine))
    with backend.open(wanted, events.append) as sandbox:
        done = run(sandbox, script)
        sandbox.drain_egress()

    assert done.output.strip() == "200"
    assert [(e.type, e.host, e.path, e.via) for e in events] == [
        ("egress_allowed", "registry.npmjs.org", "/is-odd", "https")
    ]
