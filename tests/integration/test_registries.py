"""Real package managers under the default policy: installs work, pages of registries do not."""

import pytest

from fakes import lanes
from quickstarted.allowlist import egress_policy
from quickstarted.sandbox.protocol import Limits
from quickstarted.task import Task

pytestmark = pytest.mark.docker

INSTALL = Limits(timeout_s=240)
TASK = {
    "name": "x",
    "goal": "g",
    "docs": {"entrypoint": "https://docs.example/"},
    "success": {"script": "true"},
}
FETCH = """
import os, urllib.error, urllib.request
for url in os.environ["URLS"].split():
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            print(answer.status)
    except urllib.error.HTTPError as error:
        print(error.code, error.headers["X-Quickstarted-Detail"], error.read().decode())
"""
PIP = """
set -e
cd "$(mktemp -d)"
python3 -m venv v
v/bin/pip install -q --no-cache-dir six
v/bin/pip index versions six
v/bin/pip install -q --no-cache-dir uv
v/bin/uv --no-cache pip install -q --python v/bin/python packaging
v/bin/python -c "import packaging, six"
"""
NPM = """
set -e
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --no-fund is-odd @types/estree
npm view is-odd version
npm view @types/estree@latest version
npm dist-tag ls is-odd
npm audit >/dev/null 2>&1 || true  # some mirrors do not answer it
test -f node_modules/@types/estree/package.json
"""
APT = """
set -e
apt-get -q update
apt-get -q install -y --no-install-recommends hello
hello
"""


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module")
def backend(engine):
    with lanes.docker_backend(engine) as made:
        yield made


@pytest.fixture
def ran(engine, backend):
    """Runs a script in a sandbox of its own; its result, and what it caused."""

    def run(script, *, network=None, image=None, root=False, **env):
        task = Task.model_validate({**TASK, "network": network or {}})
        events = []
        wanted = lanes.spec(engine, egress_policy(task), **({"image": image} if image else {}))
        with backend.open(wanted, events.append) as sandbox:
            done = sandbox.run_clean(script, INSTALL, env={"FETCH": FETCH, **env}, root=root)
            sandbox.drain_egress()
        return done, events

    return run


def refused(events):
    return [(e.host, e.method, e.path) for e in events if e.type == "egress_blocked"]


def passed(events):
    return {e.host for e in events if e.type == "egress_allowed" and e.status == 200}


def test_pip_and_uv_need_nothing_that_is_refused(ran):
    done, events = ran(PIP)

    assert done.exit_code == 0, done.output
    assert refused(events) == []
    assert passed(events) == {"pypi.org", "files.pythonhosted.org"}


def test_npm_needs_nothing_that_is_refused(engine, ran):
    done, events = ran(NPM, image=lanes.node_image(engine))

    assert done.exit_code == 0, done.output
    assert refused(events) == []
    assert {"/@types%2festree", "/-/npm/v1/security/advisories/bulk"} <= {e.path for e in events}


def test_apt_needs_nothing_that_is_refused(ran):
    done, events = ran(APT, root=True)

    assert done.exit_code == 0, done.output
    assert "Hello, world!" in done.output
    assert refused(events) == []


PAGES = [
    ("pypi.org", "/project/six/"),
    ("pypi.org", "/"),
    ("registry.npmjs.org", "/-/v1/search?text=odd"),
    ("github.com", "/pallets/flask"),
    ("github.com", "/pallets/flask/blob/main/README.md"),
    ("static.crates.io", "/readmes/serde/serde-1.0.219.html"),
    ("deb.debian.org", "/debian/README"),
]


def test_pages_of_registries_are_refused_with_the_reason(ran):
    urls = [f"https://{host}{path}" for host, path in PAGES]
    done, events = ran('exec python3 -c "$FETCH"', URLS=" ".join(urls))

    assert done.output.count("403 path") == len(PAGES), done.output
    assert done.output.count("network.paths") == len(PAGES)
    assert [(e.host, e.path, e.reason, e.detail) for e in events] == [
        (host, path, "not_allowlisted", "path") for host, path in PAGES
    ]


def test_a_task_opens_other_paths_of_a_registry(ran):
    network = {"paths": {"pypi.org": ["/simple/six", "/stats"]}}
    urls = "https://pypi.org/simple/six/ https://pypi.org/simple/toml/"
    done, events = ran('exec python3 -c "$FETCH"', network=network, URLS=urls)

    assert [line.split()[0] for line in done.output.splitlines()[:2]] == ["200", "403"]
    assert [event.type for event in events] == ["egress_allowed", "egress_blocked"]


def test_an_install_that_receives_more_than_it_may_is_cut_and_told(ran):
    done, events = ran(
        "python3 -m pip install -q --retries 0 --no-cache-dir --target /tmp/x numpy",
        network={"max_download": "1m"},
    )

    assert done.exit_code != 0
    errors = [event for event in events if event.type == "egress_error"]
    assert {event.detail for event in errors} == {"download_budget"}
    assert sum(event.bytes_in or 0 for event in events if hasattr(event, "bytes_in")) < 1024**2
