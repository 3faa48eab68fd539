from pathlib import Path

import pytest

from quickstarted.allowlist import docs_hosts, egress_policy
from quickstarted.registries import DEFAULT_HOSTS, DEFAULT_PATHS, REGISTRIES, registry_of
from quickstarted.task import Task
from quickstarted_proxy.policy import EgressPolicy, decide, may_be_private


def task(**parts) -> Task:
    return Task.model_validate(
        {
            "name": "x",
            "goal": "g",
            "docs": {"path": ["https://docs.example/a"], "allow": ["more.example"]},
            "success": {"script": "python a.py"},
            **parts,
        }
    )


REQUESTS = [
    # host, what its clients request
    ("pypi.org", "/simple/"),
    ("pypi.org", "/simple/six/"),
    ("pypi.org", "/pypi/six/json"),
    ("pypi.org", "/pypi/six/1.16.0/json"),
    ("pypi.org", "/packages/source/s/six/six-1.16.0.tar.gz"),
    ("files.pythonhosted.org", "/packages/b7/ce/14/six-1.17.0-py2.py3-none-any.whl"),
    ("files.pythonhosted.org", "/packages/b7/ce/14/six-1.17.0-py2.py3-none-any.whl.metadata"),
    ("registry.npmjs.org", "/is-odd"),
    ("registry.npmjs.org", "/is-odd/latest"),
    ("registry.npmjs.org", "/@types%2fnode"),
    ("registry.npmjs.org", "/@types/node"),
    ("registry.npmjs.org", "/@types%2fnode/latest"),
    ("registry.npmjs.org", "/is-odd/-/is-odd-3.0.1.tgz"),
    ("registry.npmjs.org", "/@types/node/-/node-22.0.0.tgz"),
    ("registry.npmjs.org", "/-/npm/v1/security/advisories/bulk"),
    ("registry.npmjs.org", "/-/npm/v1/security/audits/quick"),
    ("registry.npmjs.org", "/-/npm/v1/keys"),
    ("registry.npmjs.org", "/-/npm/v1/attestations/@types%2fnode@22.0.0"),
    ("registry.npmjs.org", "/-/package/is-odd/dist-tags"),
    ("registry.npmjs.org", "/-/package/@types%2fnode/dist-tags"),
    ("index.crates.io", "/config.json"),
    ("index.crates.io", "/1/a"),
    ("index.crates.io", "/2/ab"),
    ("index.crates.io", "/3/a/abc"),
    ("index.crates.io", "/se/rd/serde"),
    ("static.crates.io", "/crates/serde/1.0.219/download"),
    ("static.crates.io", "/crates/serde/serde-1.0.219.crate"),
    ("proxy.golang.org", "/golang.org/x/text/@v/list"),
    ("proxy.golang.org", "/github.com/!burnt!sushi/toml/@v/v1.5.0.zip"),
    ("proxy.golang.org", "/golang.org/toolchain/@v/v0.0.1-go1.24.0.linux-amd64.zip"),
    ("proxy.golang.org", "/golang.org/x/text/@latest"),
    ("proxy.golang.org", "/sumdb/sum.golang.org/supported"),
    ("proxy.golang.org", "/sumdb/sum.golang.org/tile/8/0/x001/234"),
    ("sum.golang.org", "/latest"),
    ("sum.golang.org", "/lookup/golang.org/x/text@v0.3.0"),
    ("sum.golang.org", "/tile/8/1/003.p/17"),
    ("deb.debian.org", "/debian/dists/trixie/InRelease"),
    ("deb.debian.org", "/debian/pool/main/g/g++-defaults/g++_4%3a14.2.0-1_amd64.deb"),
    ("deb.debian.org", "/debian-security/dists/trixie-security/InRelease"),
    ("security.debian.org", "/debian-security/pool/updates/main/x/x.deb"),
    ("security.debian.org", "/dists/stable/updates/Release"),
    ("archive.ubuntu.com", "/ubuntu/dists/noble/InRelease"),
    ("security.ubuntu.com", "/ubuntu/pool/main/o/openssl/openssl_3_amd64.deb"),
    ("github.com", "/pallets/flask.git/info/refs?service=git-upload-pack"),
    ("github.com", "/pallets/flask/info/refs?service=git-upload-pack"),
    ("github.com", "/pallets/flask.git/git-upload-pack"),
    ("github.com", "/pallets/flask/archive/refs/tags/3.1.0.tar.gz"),
    ("github.com", "/pallets/flask/archive/3.1.0.zip"),
    ("github.com", "/pallets/flask/tarball/main"),
    ("github.com", "/astral-sh/uv/releases/download/0.9.0/uv.tar.gz"),
    ("github.com", "/astral-sh/uv/releases/latest"),
    ("github.com", "/astral-sh/uv/releases/latest/download/uv-installer.sh"),
    ("codeload.github.com", "/pallets/flask/tar.gz/refs/tags/3.1.0"),
    ("codeload.github.com", "/pallets/flask/zip/main"),
    ("codeload.github.com", "/pallets/flask/legacy.tar.gz/refs/heads/main"),
    ("objects.githubusercontent.com", "/github-production-release-asset-2e65be/1/a?X-Amz-Date=1"),
    ("release-assets.githubusercontent.com", "/github-production-release-asset/1/a?sp=r&sig=x"),
]
PAGES = [
    # host, what a person reads there
    ("pypi.org", "/"),
    ("pypi.org", "/project/six/"),
    ("pypi.org", "/search/?q=six"),
    ("pypi.org", "/help/"),
    ("pypi.org", "/rss/project/six/releases.xml"),
    ("files.pythonhosted.org", "/"),
    ("registry.npmjs.org", "/"),
    ("registry.npmjs.org", "/-/v1/search?text=odd"),
    ("registry.npmjs.org", "/-/user/npm/package"),
    ("static.crates.io", "/readmes/serde/serde-1.0.219.html"),
    ("static.crates.io", "/rss/crates.xml"),
    ("index.crates.io", "/"),
    ("proxy.golang.org", "/"),
    ("proxy.golang.org", "/golang.org/x/text"),
    ("sum.golang.org", "/"),
    ("deb.debian.org", "/"),
    ("deb.debian.org", "/debian/README.html"),
    ("deb.debian.org", "/debian/doc/FAQ/"),
    ("archive.ubuntu.com", "/ubuntu/"),
    ("github.com", "/"),
    ("github.com", "/pallets/flask"),
    ("github.com", "/pallets/flask.git"),
    ("github.com", "/pallets/flask/blob/main/README.md"),
    ("github.com", "/pallets/flask/raw/main/README.md"),
    ("github.com", "/pallets/flask/raw/refs/heads/main/docs/quickstart.rst"),
    ("github.com", "/pallets/flask/tree/main/docs"),
    ("github.com", "/pallets/flask/wiki"),
    ("github.com", "/pallets/flask/issues/1"),
    ("github.com", "/pallets/flask/releases"),
    ("github.com", "/pallets/flask/releases/tag/3.1.0"),
    ("github.com", "/pallets/flask/releases/expanded_assets/3.1.0"),
    ("github.com", "/pallets/flask.git/git-receive-pack"),
    ("github.com", "/search?q=/a/b/info/refs"),
    ("codeload.github.com", "/"),
    ("objects.githubusercontent.com", "/github-production-user-asset-6210df/1/a.png"),
]


@pytest.mark.parametrize(("host", "target"), REQUESTS)
def test_registries_serve_what_package_managers_request(host, target):
    assert decide(egress_policy(task()), host, 443, target.encode()).allowed


@pytest.mark.parametrize(("host", "target"), PAGES)
def test_registries_serve_no_pages(host, target):
    decision = decide(egress_policy(task()), host, 443, target.encode())

    assert (decision.reason, decision.detail) == ("not_allowlisted", "path")


def test_every_registry_has_a_request_and_patterns_of_its_own():
    assert {host for host, _ in REQUESTS} == set(DEFAULT_HOSTS)
    assert all(DEFAULT_PATHS[host] for host in DEFAULT_HOSTS)


NETWORKS = [
    # network, host, target, allowed
    ({"allow": ["pypi.org"]}, "pypi.org", b"/project/six/", True),
    ({"allow": ["pypi.org:8443"]}, "pypi.org", b"/project/six/", False),
    ({"allow": ["github.com"]}, "github.com", b"/a/b", True),
    ({"allow": ["github.com"]}, "codeload.github.com", b"/", True),
    ({"only": ["pypi.org"]}, "pypi.org", b"/project/six/", False),
    ({"only": ["pypi.org"]}, "pypi.org", b"/simple/six/", True),
    ({"only": ["pypi.org"]}, "docs.pypi.org", b"/any", True),
    ({"paths": {"pypi.org": ["/project/**"]}}, "pypi.org", b"/project/six/", True),
    ({"paths": {"pypi.org": ["/project/**"]}}, "pypi.org", b"/simple/six/", False),
    ({"paths": {"pypi.org": ["/**"]}}, "pypi.org", b"/", True),
    ({"paths": {"pypi.org": ["/**"]}}, "github.com", b"/a/b", False),
    ({"allow": ["a.example"]}, "a.example", b"/any/../thing", True),
    ({"allow": ["a.example"], "paths": {"a.example": ["/v1/*"]}}, "a.example", b"/v1/x", True),
    ({"allow": ["a.example"], "paths": {"a.example": ["/v1/*"]}}, "a.example", b"/v2/x", False),
    ({"allow": ["a.example"], "paths": {"a.example": ["/v1/*"]}}, "b.a.example", b"/v2/x", False),
    ({"allow": ["a.example"], "paths": {"b.a.example": ["/v1/*"]}}, "a.example", b"/v2/x", True),
    ({"allow": ["pypi.org"], "paths": {"pypi.org": ["/x"]}}, "pypi.org", b"/simple/six/", False),
]


@pytest.mark.parametrize(("network", "host", "target", "allowed"), NETWORKS)
def test_the_tasks_own_path_rules_stand_in_for_a_registrys(network, host, target, allowed):
    assert decide(egress_policy(task(network=network)), host, 443, target).allowed == allowed


def test_websocket_hosts_and_budgets_are_passed_on():
    network = {"allow": ["a.example"], "websocket": ["a.example"], "max_upload": "1m"}
    policy = egress_policy(task(network={**network, "max_download": "none"}))

    assert policy.websocket_hosts == ("a.example",)
    assert (policy.max_upload_bytes, policy.max_download_bytes) == (1024**2, None)


@pytest.mark.parametrize("host", DEFAULT_HOSTS)
def test_default_registries_are_allowed_as_they_are(host):
    policy = egress_policy(task())

    assert decide(policy, host, 443).allowed
    assert decide(policy, host, 80).allowed
    assert not decide(policy, host, 22).allowed
    assert not decide(policy, f"other.{host}", 443).allowed


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("docs.example", "docs_host_requires_read_docs"),
        ("sub.docs.example", "docs_host_requires_read_docs"),
        ("more.example", "docs_host_requires_read_docs"),
        ("example", "not_allowlisted"),
        ("raw.githubusercontent.com", "not_allowlisted"),
        ("gist.github.com", "not_allowlisted"),
    ],
)
def test_documentation_and_everything_else_is_refused(host, reason):
    decision = decide(egress_policy(task()), host, 443)

    assert (decision.allowed, decision.reason) == (False, reason)


def test_the_tasks_own_hosts_mean_their_subdomains_too():
    policy = egress_policy(task(network={"allow": ["api.example", "db.example:5432"]}))

    assert decide(policy, "api.example", 443).allowed
    assert decide(policy, "eu.api.example", 80).allowed
    assert decide(policy, "db.example", 5432).allowed
    assert not decide(policy, "db.example", 443).allowed
    assert decide(policy, "pypi.org", 443).allowed


def test_the_tasks_own_hosts_beat_the_docs_rule():
    decision = decide(egress_policy(task(network={"allow": ["docs.example"]})), "docs.example", 443)

    assert (decision.allowed, decision.reason) == (True, "explicit_network_override")


def test_only_stands_in_for_the_default_registries():
    policy = egress_policy(task(network={"only": ["mirror.example"], "allow": ["api.example"]}))

    assert decide(policy, "mirror.example", 443).allowed
    assert decide(policy, "a.mirror.example", 443).allowed
    assert decide(policy, "api.example", 443).allowed
    assert not decide(policy, "pypi.org", 443).allowed


def test_only_does_not_beat_the_docs_rule():
    decision = decide(egress_policy(task(network={"only": ["docs.example"]})), "docs.example", 443)

    assert decision.reason == "docs_host_requires_read_docs"


def test_only_may_be_nothing_at_all():
    assert egress_policy(task(network={"only": []})).allow == ()


def test_private_hosts_are_passed_on():
    policy = egress_policy(task(network={"private": ["intra.example"]}))

    assert may_be_private(policy, "a.intra.example")


def test_a_preview_is_closed_to_the_shell_and_no_host_that_read_docs_may_be_asked_for():
    sites = {"https://docs.example/": "https://preview.example/", "https://docs.example/a/": "html"}
    previewed = task(docs={"path": ["https://docs.example/a"], "sites": sites})
    policy = egress_policy(previewed)

    assert policy.docs_hosts == ("docs.example", "preview.example")
    assert docs_hosts(previewed) == ("docs.example",)
    assert decide(policy, "preview.example", 443).reason == "docs_host_requires_read_docs"


def test_a_policy_survives_the_way_to_the_sidecar():
    policy = egress_policy(
        task(network={"allow": ["münchen.example", "a.example:1"], "private": ["a.example"]})
    )

    assert EgressPolicy.from_json(policy.to_json()) == policy


def test_no_registry_is_named_twice():
    assert len(set(DEFAULT_HOSTS)) == len(DEFAULT_HOSTS)
    assert all(registry_of(host) == name for name, hosts in REGISTRIES.items() for host in hosts)


def test_registries_are_named_in_one_file_only():
    package = Path(egress_policy.__code__.co_filename).parent
    naming = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(f'"{host}"' in path.read_text(encoding="utf-8") for host in DEFAULT_HOSTS)
    }

    assert naming == {"registries.py"}
