"""The OpenAPI document says what the server does; schemathesis looks for where it does not."""

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.uploading import API, run, serving
from quickstarted.serve.openapi import openapi_document
from quickstarted.serve.schema import schema_document

EXAMPLES = 8
CONFIG = Path(__file__).with_name("schemathesis.toml")


def schema_of(name):
    document = openapi_document()
    return {"$ref": f"#/components/schemas/{name}", "components": document["components"]}


def test_the_document_is_served_as_it_is_made(served):
    assert openapi_document() == served.get("/api/v1/openapi.json").json()


@pytest.mark.parametrize("path", openapi_document()["paths"])
def test_every_path_of_the_document_is_there(served, path):
    filled = re.sub(r"\{\w+\}", "x", path)
    codes = {served.get(filled).status_code, served.get(f"{filled}/").status_code}
    with served.client() as client:
        refused = client.request("TRACE", filled)
    methods = {name.upper() for name in openapi_document()["paths"][path]} - {"PARAMETERS"}

    assert codes <= {200, 404}
    assert methods | {"HEAD"} == set(refused.headers["allow"].split(", "))


def test_replies_are_as_the_document_has_them(served):
    reply = served.post(json.dumps([run("documented"), run("documented"), 7]).encode()).json()
    listed = served.get(API).json()
    refused = served.get("/nothing").json()

    for name, value in (("UploadReply", reply), ("ListReply", listed), ("ProblemReply", refused)):
        jsonschema.Draft202012Validator(schema_of(name)).validate(value)


def test_the_limit_in_the_document_is_the_published_one():
    published = json.loads(schema_document())["limits"]["max_upload_bytes"]
    assert f"{published:,} bytes" in openapi_document()["paths"][API]["post"]["summary"]


def test_schemathesis_finds_nothing(tmp_path):
    """The command of docs/serve.md, with fewer examples."""
    command = [
        Path(sys.executable).with_name("schemathesis"),
        f"--config-file={CONFIG}",
        "run",
        f"--max-examples={EXAMPLES}",
        "--seed=1",
        "--no-color",
    ]
    with serving(tmp_path) as served:
        done = subprocess.run(
            [*command, f"{served.url}/api/v1/openapi.json"],
            capture_output=True,
            text=True,
            check=False,
            timeout=150,
            cwd=tmp_path,
        )
        log = served.log

    assert 0 == done.returncode, done.stdout
    assert re.search(r"^  \d{3,} generated, \d{3,} passed$", done.stdout, re.MULTILINE)
    assert "fault:" not in log


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["trace_id", "events", "messages", "type", "event", "id", "role"])
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(
    body=st.binary(max_size=200)
    | JSON_VALUES.map(lambda one: json.dumps(one).encode())
    | st.lists(JSON_VALUES, max_size=4).map(
        lambda several: b"\n".join(json.dumps(one).encode() for one in several)
    )
)
def test_no_body_is_a_fault_of_the_server(served, body):
    status = served.post(body).status_code

    assert status in {200, 201, 400, 409, 422}
