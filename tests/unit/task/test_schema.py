import json

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from quickstarted.task import Task
from quickstarted.task.schema import task_schema

VALIDATOR = Draft202012Validator(task_schema())

VALID = [
    {},
    {"docs": {"path": ["https://a.example/", "http://b.example/c"], "allow": ["c.example"]}},
    {"docs__sites": {"https://docs.example/": "html"}},
    {"docs__headers": {"docs.example": {"X-Key": "$KEY", "X-Other": "${OTHER}"}}},
    {"docs__headers": {"docs.example": {"Authorization": "$KEY", "Cookie": "$C", "Hosts": "$H"}}},
    {"tags": ["a", 3.12], "metadata": {"a": [1, None, {"b": True}]}},
    {"image": "node:22", "platform": "linux/arm64", "user": 1000},
    {"network": {"allow": ["a.example", "a.example:80"], "only": [], "private": ["127.0.0.1"]}},
    {"network": {"paths": {"a.example": ["/x/*", "/", "/**", "/a b"]}}},
    {"network": {"websocket": ["a.example"], "max_upload": "64k", "max_download": "none"}},
    {"network": {"max_upload": 0, "max_download": "1.5g"}},
    {"secrets": {"KEY": {"hosts": ["api.example"]}}},
    {"env": {"A": "b", "B": 1, "C": True}},
    {"setup": ["a", True, 3], "services": ["b"], "teardown": ["c"], "replay": ["d"]},
    {"replay": "from_docs"},
    {"workspace": "start"},
    {"success": {"file": "check.sh"}},
    {"success": {"wait_http": {"path": "/", "json": {"a": 1, "b": None}, "timeout": "1m"}}},
    {"success": {"wait_http": {"url": "http://127.0.0.1:8000/", "status": 404}}},
    {"success": {"expect_output": {"contains": "a"}}},
    {"success": {"expect_output": {"contains": ["a", 3], "matches": "b"}}},
    {"success__leftovers": "keep", "success__timeout": 5, "success__serve": "x"},
    {"budgets": {"max_turns": 1, "max_seconds": 1.5, "max_command_seconds": "2m"}},
    {"budgets": {"max_tokens": 0, "max_cost_usd": 0.5, "max_output_chars": 10}},
    {"resources": {"memory": "512m", "cpus": 1.5, "pids": 10, "disk": "10g", "gpus": 1}},
    {"resources": {"memory": 10485760, "cpus": "all", "disk": "none", "gpus": "all"}},
    {"setup": None, "env": None, "image": None, "docs__allow": None, "budgets": None},
    {"budgets": {"max_turns": None}, "success__wait_http": None, "resources": {"cpus": None}},
]

INVALID = [
    {"name": ...},
    {"name": None},
    {"name": ""},
    {"name": ".."},
    {"name": "a/b"},
    {"name": "a" * 101},
    {"goal": ...},
    {"goal": " \n"},
    {"goal": 3},
    {"unknown": 1},
    {"docs": ...},
    {"docs": {}},
    {"docs": None},
    {"docs": []},
    {"docs": {"path": ["https://a.example/"], "entrypoint": "https://a.example/"}},
    {"docs": {"path": ["https://a.example/", "https://a.example/"]}},
    {"docs": {"path": "https://a.example/"}},
    {"docs": {"entrypoint": "ftp://a.example/"}},
    {"docs__headers": {"docs.example": {"host": "$KEY"}}},
    {"docs__headers": {"docs.example": {"Content-Length": "$KEY"}}},
    {"docs__headers": {"docs.example": {"X Key": "$KEY"}}},
    {"docs__headers": {"docs.example": {"X-Key": "a $KEY"}}},
    {"docs__allow": ["https://a.example"]},
    {"docs__allow": ["a.example/x"]},
    {"docs__allow": ["*.example"]},
    {"docs__allow": "a.example"},
    {"docs__sites": {"docs.example": "html"}},
    {"docs__sites": {"https://docs.example/": ""}},
    {"docs__headers": {"docs.example": {"X-Key": "secret"}}},
    {"docs__unknown": 1},
    {"tags": "a"},
    {"tags": ["a b"]},
    {"metadata": []},
    {"image": "a b"},
    {"network": {"allow": ["https://a.example"]}},
    {"network": {"allow": [1]}},
    {"network": {"only": ["a.example:80"]}},
    {"network": {"paths": {"a.example": []}}},
    {"network": {"paths": {"a.example": ["x"]}}},
    {"network": {"paths": {"a.example": ["/x?y"]}}},
    {"network": {"paths": {"a.example": ["/%2e"]}}},
    {"network": {"paths": {"a.example": "/x"}}},
    {"network": {"websocket": ["a.example:80"]}},
    {"network": {"max_upload": 200}},
    {"network": {"max_upload": -1}},
    {"network": {"max_upload": "much"}},
    {"network": {"max_download": False}},
    {"network": {"max_download_bytes": "1g"}},
    {"secrets": {"KEY": {}}},
    {"secrets": {"KEY": {"hosts": []}}},
    {"secrets": {"A B": {"hosts": ["a.example"]}}},
    {"env": {"QS_X": "1"}},
    {"env": {"A": ["b"]}},
    {"env": {"A": None}},
    {"setup": "a"},
    {"setup": [""]},
    {"setup": [{"a": "b"}]},
    {"setup": [None]},
    {"replay": "docs"},
    {"replay": 3},
    {"workspace": ""},
    {"success": {}},
    {"success": {"serve": "x"}},
    {"success": {"script": "test -f x", "file": "x.sh"}},
    {"success": {"wait_http": {}}},
    {"success": {"wait_http": {"path": "/", "url": "http://a.example/"}}},
    {"success": {"wait_http": {"path": "x"}}},
    {"success": {"wait_http": {"path": "/", "status": 99}}},
    {"success": {"wait_http": {"path": "/", "status": "200"}}},
    {"success": {"wait_http": {"path": "/", "json": {"a": []}}}},
    {"success": {"wait_http": {"path": "/", "contains": ""}}},
    {"success": {"expect_output": {}}},
    {"success": {"expect_output": {"contains": []}}},
    {"success": {"expect_output": {"contains": "a\nb"}}},
    {"success__leftovers": "maybe"},
    {"success__timeout": 0},
    {"success__timeout": "soon"},
    {"budgets": {"max_turns": 0}},
    {"budgets": {"max_turns": "3"}},
    {"budgets": {"max_turns": 1.5}},
    {"budgets": {"max_tokens": -1}},
    {"budgets": {"max_cost_usd": "1"}},
    {"budgets": {"max_seconds": True}},
    {"budgets": {"unknown": 1}},
    {"resources": {"memory": 4}},
    {"resources": {"memory": "four"}},
    {"resources": {"cpus": 0}},
    {"resources": {"cpus": "some"}},
    {"resources": {"pids": 0}},
    {"resources": {"disk": "all"}},
    {"resources": {"gpus": 0}},
    {"resources": {"gpus": "some"}},
    {"resources": {"memory_bytes": "4g"}},
]


def accepts(document) -> bool:
    try:
        Task.model_validate(document)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("changes", VALID, ids=json.dumps)
def test_schema_and_model_accept_the_same_documents(document, changes):
    value = document(**changes)

    assert [error.message for error in VALIDATOR.iter_errors(value)] == []
    assert accepts(value)


@pytest.mark.parametrize("changes", INVALID, ids=str)
def test_schema_and_model_reject_the_same_documents(document, changes):
    value = document(**changes)

    assert not VALIDATOR.is_valid(value)
    assert not accepts(value)


def test_the_schema_is_one():
    Draft202012Validator.check_schema(task_schema())

    assert task_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_key_is_described():
    undescribed = [
        key
        for part in [task_schema(), *task_schema()["$defs"].values()]
        for key, value in part.get("properties", {}).items()
        if not value.get("description")
    ]

    assert undescribed == []


def test_schemas_can_be_printed_as_json():
    assert task_schema() == json.loads(json.dumps(task_schema()))
