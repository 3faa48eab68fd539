import pytest

from quickstarted.authoring.naming import name_for, usable_url
from quickstarted.errors import UsageError


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (
            "https://flask.palletsprojects.com/en/stable/quickstart/",
            "flask-palletsprojects-quickstart",
        ),
        (
            "https://docs.djangoproject.com/en/5.2/intro/tutorial01/",
            "djangoproject-intro-tutorial01",
        ),
        ("https://requests.readthedocs.io/en/latest/", "requests"),
        ("https://docs.example/quickstart/", "docs-quickstart"),
        ("https://www.example.co.uk/get-started.html", "example-get-started"),
        ("https://github.com/pallets/flask", "github-pallets-flask"),
        ("https://docs.example:8080/v1.2.x/a%20b/", "docs-a-b"),
        ("https://xn--bcher-kva.example/caf%C3%A9/", "xn-bcher-kva-cafe"),
        ("https://x/", "x"),
        ("https://docs.example/%F0%9F%9A%80/", "docs"),
        ("https://example.com/" + "long-" * 40, "example-" + "long-" * 10 + "lo"),
    ],
)
def test_a_name_is_made_of_what_tells_in_host_and_path(url, name):
    assert name == name_for(usable_url(url))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTPS://Docs.Example/Start", "https://docs.example/Start"),
        ("https://bücher.example/café", "https://xn--bcher-kva.example/café"),
        ("http://docs.example:8080/x#install", "http://docs.example:8080/x#install"),
    ],
)
def test_a_url_is_normalised(text, url):
    assert url == usable_url(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the URL is empty"),
        ("docs.example/start", "has no scheme\nWrite https://docs.example/start"),
        ("//docs.example/start", "has no scheme\nWrite https://docs.example/start"),
        ("file:///srv/docs/index.html", "is a file: a task names the URL where readers"),
        ("ftp://docs.example/", "is not an http:// or https:// URL"),
        ("https://10.1.2.3/start", "10.1.2.3 is this machine or an address"),
        ("http://localhost:8000/", "localhost is this machine or an address"),
        ("https://[2001:db8::1]/", "IPv6 addresses are not supported"),
        ("https://docs.example:99999/", "the port is not a number from 0 to 65535"),
        ("https://docs.example/a b", "a URL cannot contain ' '"),
        ("https://docs.example/\x1b[31m", "a URL cannot contain '\\x1b'"),
        ("https:///start", "is not a host name"),
        ("https://docs.example/" + "a" * 2000, "has 2021 characters; a URL has at most 2000"),
    ],
)
def test_a_url_that_no_task_can_name_is_refused_with_what_to_write(text, why):
    with pytest.raises(UsageError) as refused:
        usable_url(text)

    assert why in str(refused.value)


def test_a_password_in_a_url_is_not_repeated():
    with pytest.raises(UsageError) as refused:
        usable_url("https://reader:hunter2@docs.example/")

    assert "a URL may not carry a user name or a password" in str(refused.value)
    assert "hunter2" not in str(refused.value)
