"""Where a key comes from, and that it is not shown."""

from __future__ import annotations

import pytest

from quickstarted.agents.keys import KEY_VARIABLES, ApiKey, api_key
from quickstarted.errors import ModelRejected

OWN, VENDORS = "QUICKSTARTED_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({OWN: "a", VENDORS: "b"}, (OWN, "a")),
        ({VENDORS: "b"}, (VENDORS, "b")),
        ({OWN: "", VENDORS: "b"}, (VENDORS, "b")),
        ({OWN: " \n", VENDORS: "b"}, (VENDORS, "b")),
        ({OWN: " a\r\n"}, (OWN, "a")),
    ],
)
def test_the_first_variable_that_holds_something_counts(environ, expected):
    key = api_key("anthropic", environ)

    assert expected == (key.variable, key.value)


def test_without_a_key_both_variables_are_named():
    with pytest.raises(ModelRejected, match=f"neither {OWN} nor {VENDORS} is set") as caught:
        api_key("anthropic", {})
    assert f"export {OWN}=" in caught.value.hint


@pytest.mark.parametrize("value", ["two words", "sk-\nnext", "schlüssel", "sk-\x7f"])
def test_what_cannot_be_sent_in_a_header_is_refused_without_being_shown(value):
    with pytest.raises(ModelRejected, match=f"{VENDORS} holds something") as caught:
        api_key("anthropic", {VENDORS: value})
    assert value not in str(caught.value)


def test_a_key_is_not_shown_by_its_repr_and_is_cut_out_of_texts():
    key = ApiKey(variable=VENDORS, value="sk-secret")

    assert "sk-secret" not in repr(key)
    assert f"bad key [{VENDORS}]!" == key.scrubbed("bad key sk-secret!")


@pytest.mark.parametrize(
    ("vendor", "expected"),
    [
        ("anthropic", (OWN, VENDORS)),
        ("openai", ("QUICKSTARTED_OPENAI_API_KEY", "OPENAI_API_KEY")),
        ("gemini", ("QUICKSTARTED_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")),
    ],
)
def test_each_vendors_variables_are_asked_in_order_our_own_first(vendor, expected):
    assert expected == KEY_VARIABLES[vendor]
    for n, name in enumerate(expected):
        left = dict.fromkeys(expected[n:], "k")
        assert name == api_key(vendor, left).variable
