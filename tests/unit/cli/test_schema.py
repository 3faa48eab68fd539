import json

import pytest
from jsonschema import Draft202012Validator

from quickstarted.cli import run_cli


@pytest.mark.parametrize("args", [[], ["--trace"], ["--progress"]])
def test_printed_schemas_are_valid(capsys, args):
    assert run_cli(["schema", *args]) == 0

    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_trace_schema_accepts_an_event_and_rejects_another(capsys):
    run_cli(["schema", "--trace"])
    validator = Draft202012Validator(json.loads(capsys.readouterr().out))

    assert validator.is_valid(
        {"ts": 1.0, "type": "egress_blocked", "host": "a.example", "method": "GET",
         "reason": "not_allowlisted"}
    )  # fmt: skip
    assert not validator.is_valid({"ts": 1.0, "type": "egress_blocked", "host": "a.example"})


def test_the_trace_schema_says_what_fields_mean(capsys):
    run_cli(["schema", "--trace"])

    blocked = json.loads(capsys.readouterr().out)["$defs"]["EgressBlocked"]["properties"]
    assert blocked["method"]["description"] == "`DNS` for a name lookup."


@pytest.mark.parametrize(
    "args", [["--trace", "--progress"], ["matrix", "--trace"], ["task", "--progress"]]
)
def test_one_schema_is_printed_at_a_time(capsys, args):
    assert run_cli(["schema", *args]) == 3

    assert "is another schema than" in capsys.readouterr().err
