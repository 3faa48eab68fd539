"""From the caller's environment to the headers of `read_docs`, and out of every record."""

import base64

import pytest

from quickstarted.errors import SecretFault
from quickstarted.events import FetchError
from quickstarted.task import load_task
from quickstarted.task_headers import header_secrets, header_values, telling_texts
from quickstarted.task_secrets import scrubbed_event, scrubber_for

TASK = (
    "name: x\ngoal: g\nsuccess: {script: 'true'}\ndocs:\n  entrypoint: https://docs.example/\n"
    "  headers: {Docs.example: {Authorization: $ONE, X-Two: '${TWO}'}, p.example: {A: $ONE}}\n"
)
VALUES = {"ONE": "Bearer canary-value-one", "TWO": "canary-value-two"}


@pytest.fixture
def task(tmp_path):
    (tmp_path / "x.yaml").write_text(TASK)
    return load_task(tmp_path / "x.yaml")


def test_each_host_has_its_headers_with_the_values_of_the_environment(task):
    assert {
        "docs.example": (("Authorization", VALUES["ONE"]), ("X-Two", VALUES["TWO"])),
        "p.example": (("A", VALUES["ONE"]),),
    } == header_values(task, VALUES)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "docs.headers needs ONE, TWO, and no such variables are set"),
        ({"ONE": VALUES["ONE"], "TWO": ""}, "docs.headers needs TWO, and no such variable is set"),
        ({**VALUES, "TWO": "short"}, "the header value TWO cannot be used: it has fewer than 8"),
        ({**VALUES, "TWO": "canary\r\nX-Evil: 1"}, "the header value TWO cannot be used"),
        ({**VALUES, "TWO": "canary ünicode"}, "the header value TWO cannot be used"),
    ],
)
def test_what_is_missing_or_unusable_is_named_and_never_quoted(task, environ, said):
    with pytest.raises(SecretFault, match=said) as caught:
        header_values(task, environ)

    assert not [value for value in environ.values() if value and value in str(caught.value)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("canary-value", ("canary-value",)),
        ("Bearer canary-value", ("Bearer canary-value", "canary-value")),
        ("Bearer short", ("Bearer short",)),
        (
            f"Basic {base64.b64encode(b'reader:canary-value').decode()}",
            (
                f"Basic {base64.b64encode(b'reader:canary-value').decode()}",
                base64.b64encode(b"reader:canary-value").decode(),
                "reader:canary-value",
                "canary-value",
            ),
        ),
        ("Basic not-base64!", ("Basic not-base64!", "not-base64!")),
    ],
)
def test_a_value_is_told_by_its_parts_too(value, expected):
    assert expected == telling_texts(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sent Bearer canary-value-one", "sent $ONE"),
        ("token canary-value-one", "token $ONE"),
        ("at ?t=Bearer%20canary-value-one", "at ?t=%24ONE"),
        ("canary-value-two!", "$TWO!"),
    ],
)
def test_records_have_the_variable_in_place_of_its_value(task, text, expected):
    scrubber = scrubber_for(header_secrets(task, VALUES))
    event = FetchError(ts=1, url="https://docs.example/", error=text)

    assert expected == scrubbed_event(event, scrubber).error
