import pytest

from quickstarted.agents.programs.services import access_to, opened_to
from quickstarted.errors import ModelRejected
from quickstarted_proxy.model_apis import ModelApi
from quickstarted_proxy.policy import EgressPolicy, HostRule, decide

KEYS = {"ANTHROPIC_API_KEY": "sk-ant-0123456789", "OPENAI_API_KEY": "sk-0123456789"}


def service(vendor, **environ):
    return access_to(vendor, KEYS | environ).service


@pytest.mark.parametrize(
    ("vendor", "url", "host", "port", "base_path"),
    [
        ("anthropic", "", "api.anthropic.com", 443, ""),
        ("openai", "", "api.openai.com", 443, ""),
        ("anthropic", "https://gw.example/anthropic/", "gw.example", 443, "/anthropic"),
        ("openai", "https://gw.example:8443/x/v1", "gw.example", 8443, "/x"),
        ("anthropic", "http://GW.example", "gw.example", 80, ""),
        ("anthropic", "https://b\u00fccher.example", "xn--bcher-kva.example", 443, ""),
    ],
)
def test_an_address_is_a_host_a_port_and_what_comes_before_the_vendors_paths(
    vendor, url, host, port, base_path
):
    variable = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}[vendor]
    found = service(vendor, **{variable: url})

    assert found.api == ModelApi(host=host, vendor=vendor, base_path=base_path)
    assert (found.port, found.is_own) == (port, bool(url))


@pytest.mark.parametrize(
    ("vendor", "url", "words"),
    [
        ("anthropic", "http://127.0.0.1:8000", "on this machine's loopback"),
        ("anthropic", "http://localhost:8000", "on this machine's loopback"),
        ("anthropic", "http://[::1]:8000", "on this machine's loopback"),
        ("anthropic", "http://10.0.0.7", "reaches hosts by their names"),
        ("openai", "https://gw.example/openai", "does not end in /v1"),
        ("anthropic", "ftp://gw.example", "is not the address of a service"),
    ],
)
def test_an_address_that_no_sandbox_reaches_is_refused_before_anything_starts(vendor, url, words):
    variable = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}[vendor]
    with pytest.raises(ModelRejected) as caught:
        service(vendor, **{variable: url})

    assert words in caught.value.message


def test_a_key_that_would_be_found_everywhere_is_refused_and_not_shown():
    with pytest.raises(ModelRejected) as caught:
        access_to("openai", {"OPENAI_API_KEY": "sk-123"})

    assert "OPENAI_API_KEY cannot be used" in caught.value.message
    assert "sk-123" not in str(caught.value)


def test_the_secret_is_for_the_services_host_alone_and_its_placeholder_is_another_each_time():
    first, second = (access_to("anthropic", KEYS).secret for _ in range(2))

    assert ("api.anthropic.com",) == first.hosts
    assert KEYS["ANTHROPIC_API_KEY"] == first.value
    assert first.placeholder.startswith("sk-ant-")
    assert first.placeholder != second.placeholder


def allowed(policy, host, port, path):
    return decide(policy, host, port, path).allowed


def test_only_the_paths_of_models_are_open_at_their_host():
    policy = opened_to(EgressPolicy(), [service("anthropic")])

    assert allowed(policy, "api.anthropic.com", 443, b"/v1/messages?beta=true")
    assert not allowed(policy, "api.anthropic.com", 443, b"/v1/files")
    assert not allowed(policy, "api.anthropic.com", 80, b"/v1/messages")
    assert not allowed(policy, "docs.api.anthropic.com", 443, b"/v1/messages")
    assert () == policy.private_hosts


def test_an_address_of_the_callers_own_may_be_on_a_private_network():
    gateway = service("anthropic", ANTHROPIC_BASE_URL="https://gw.example")

    assert ("gw.example",) == opened_to(EgressPolicy(), [gateway]).private_hosts


def test_what_the_task_has_opened_itself_stays_open():
    task = EgressPolicy(allow=(HostRule(host="api.anthropic.com", explicit=True),))
    policy = opened_to(task, [service("anthropic")])

    assert allowed(policy, "api.anthropic.com", 443, b"/v1/files")


@pytest.mark.parametrize("docs", ["gw.example", "example"])
def test_a_service_where_the_documentation_is_cannot_be_used(docs):
    gateway = service("anthropic", ANTHROPIC_BASE_URL="https://gw.example")
    with pytest.raises(ModelRejected, match="is a documentation host of the task"):
        opened_to(EgressPolicy(docs_hosts=(docs,)), [gateway])
