"""What is wrong with a matrix file, in its exact words and places, and what its schema takes."""

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from quickstarted.errors import FileInvalid
from quickstarted.matrix.file import MatrixFile, load_matrix, matrix_schema

VALIDATOR = Draft202012Validator(matrix_schema())


def problems(path, folder):
    with pytest.raises(FileInvalid) as caught:
        load_matrix(path)
    return [line.replace(f"{folder}/", "") for line in caught.value.problems]


def test_everything_wrong_with_a_file_is_said_at_once_with_its_place(
    tmp_path, write_matrix, make_task
):
    make_task("flask")
    path = write_matrix("""\
        tasks: [nothing.yaml, flask.yaml, 'x*.yaml']
        examples: [nowhere]
        agents: [claude, nobody, 3]
        affordance: [all]
        affordances: [some]
        arms: [skill=nowhere, else]
        repeat: 0
        workers: two
        limits: {anthropic: 0}
        exclude:
          - {}
          - {agnet: x}
        include:
          - {taks: x, agent: codex, repeat: many}
        """)

    examples = problems(path, tmp_path)
    assert examples[2].startswith(
        "matrix.yaml:2:12 examples[0]: there is no example called nowhere. There are: "
    )
    assert [
        'matrix.yaml:1:9 tasks[0]: there is no task file at "nothing.yaml"',
        'matrix.yaml:1:35 tasks[2]: there is no task file at "x*.yaml"',
        (
            "matrix.yaml:3:18 agents[1]: there is no agent 'nobody'. There is: replay, claude,"
            " openai, gemini, claude-code, codex, exec"
        ),
        "matrix.yaml:3:26 agents[2]: expected text",
        "matrix.yaml:4:1 affordance: unknown key: did you mean `affordances`?",
        'matrix.yaml:5:15 affordances[0]: expected `all` or `none`, got "some"',
        (
            "matrix.yaml:6:8 arms[0]: skill=nowhere: there is no such folder. Its content is copied"
            " into the workspace: put the file into a folder"
        ),
        (
            "matrix.yaml:6:23 arms[1]: else: there is no arm 'else'. There are docs and no-docs;"
            " one of your own is written else=FOLDER"
        ),
        "matrix.yaml:7:1 repeat: expected a number from 1 to 10,000, `auto` or `auto:MOST`, got 0",
        'matrix.yaml:8:1 workers: expected an integer, got "two"',
        "matrix.yaml:9:10 limits.anthropic: must be at least 1, got 0",
        (
            "matrix.yaml:11:5 exclude[0]: would leave out every cell: name a task, agent,"
            " affordances or arm"
        ),
        "matrix.yaml:12:6 exclude[1].agnet: unknown key: did you mean `agent`?",
        "matrix.yaml:14:6 include[0].taks: unknown key: did you mean `task`?",
        (
            "matrix.yaml:14:15 include[0].agent: there is no model that it would take by itself."
            " Name one: --agent codex:MODEL"
        ),
        'matrix.yaml:14:29 include[0].repeat: expected an integer, got "many"',
    ] == [*examples[:2], *examples[3:]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "matrix.yaml:1:1: the file is empty: a matrix is a map with `tasks:` and `agents:`"),
        (
            "- a",
            "matrix.yaml:1:1: the file is a list: a matrix is a map with `tasks:` and `agents:`",
        ),
        ("tasks: []", "matrix.yaml:1:1: has no cells: give it `agents`, or cells under `include`"),
        (
            "agents: [replay, claude, replay]",
            "matrix.yaml:1:1 agents: replay is given more than once",
        ),
        (
            "agents: [claude]\naffordances: [all, all]",
            "matrix.yaml:2:1 affordances: all is given more than once",
        ),
        ("agents: [claude]\naffordances: []", "matrix.yaml:2:1 affordances: needs at least 1 item"),
        (
            "agents: [claude]\narms: [docs, no-docs, docs]",
            "matrix.yaml:2:1 arms: docs is given more than once",
        ),
        (
            "agents: claude",
            (
                'matrix.yaml:1:1 agents: expected a list, got "claude": write it as an'
                ' item, "- " before it'
            ),
        ),
        (
            "agents: [claude]\nrepeat: auto\ninclude: [{agent: replay, repeat: 3}]",
            (
                "matrix.yaml:3:1 include: has a `repeat`, and the file's `repeat` is auto: attempts"
                " end where a rate is decided"
            ),
        ),
        (
            "agents: [claude]\nagents: [replay]",
            "matrix.yaml:2:1 agents: this key is given twice; the first is on line 1",
        ),
        (
            "agents: [claude]\n---\n",
            "matrix.yaml:2:1: a second document starts here: a file holds one",
        ),
        (
            "agents: [claude",
            (
                "matrix.yaml:2:1: not YAML: did not find expected ',' or ']' (while"
                " parsing a flow sequence)"
            ),
        ),
        (
            "agents: [claude]\nrepeat: 1.5",
            (
                "matrix.yaml:2:1 repeat: expected a number from 1 to 10,000, `auto` or `auto:MOST`,"
                " got 1.5"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path, write_matrix, text, said):
    assert [said] == problems(write_matrix(text), tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [("nothing.yaml", "nothing.yaml: there is no file"), ("", ": is not a file")],
)
def test_what_is_no_file_is_said(tmp_path, name, said):
    assert [f"{tmp_path}/{said}" if name else f"{tmp_path}{said}"] == problems(
        tmp_path / name, "/nowhere"
    )


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "matrix.yaml"
    path.write_bytes(b"#" * (1024 * 1024 + 1))

    assert ["matrix.yaml: is larger than 1 MB: a matrix file is a page of text"] == problems(
        path, tmp_path
    )


@pytest.mark.parametrize(
    "text",
    [
        "{agents: [replay]}",
        "{tasks: [a.yaml, tasks, '*.yaml'], examples: [demo], agents: ['claude:x', 'exec:./a b']}",
        "{agents: [claude], affordances: [all, none], arms: [docs, no-docs], repeat: 3}",
        "{agents: [claude], limits: {anthropic: 3}, workers: 2}",
        "{agents: [claude], repeat: auto, min_pass_rate: 0.9}",
        "{agents: [claude], repeat: 'auto:40', min_pass_rate: 1}",
        "{agents: [claude], exclude: [{task: 'a*', agent: x, affordances: none, arm: docs}]}",
        "{include: [{task: a, agent: claude, affordances: none, arm: docs, repeat: 4}]}",
        "{agents: [claude], tasks: , repeat: , include: , exclude: , workers: , limits: }",
    ],
)
def test_schema_and_model_both_take_what_is_valid(text, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    document = yaml.safe_load(text)

    assert VALIDATOR.is_valid(document)
    assert MatrixFile.model_validate(document)


@pytest.mark.parametrize(
    "text",
    [
        "{agents: [claude], unknown: 1}",
        "{agents: [3]}",
        "{agents: claude}",
        "{agents: [claude], repeat: 0}",
        "{agents: [claude], repeat: '3'}",
        "{agents: [claude], repeat: 'auto:0'}",
        "{agents: [claude], repeat: true}",
        "{agents: [claude], min_pass_rate: 0}",
        "{agents: [claude], min_pass_rate: 90}",
        "{agents: [claude], affordances: [some]}",
        "{agents: [claude], affordances: []}",
        "{agents: [claude], include: [{agents: claude}]}",
        "{agents: [claude], exclude: [{repeat: 3}]}",
        "{agents: [claude], limits: {a: x}}",
        "{agents: [claude], workers: 0}",
        "{agents: [claude], tasks: ['']}",
    ],
)
def test_schema_and_model_both_refuse_what_is_not_valid(text):
    document = yaml.safe_load(text)

    assert not VALIDATOR.is_valid(document)
    with pytest.raises(ValidationError):
        MatrixFile.model_validate(document)


def test_every_key_has_a_description_in_the_schema():
    schema = matrix_schema()
    parts = [schema, *schema["$defs"].values()]

    assert [] == [
        name
        for part in parts
        for name, key in part.get("properties", {}).items()
        if not key.get("description")
    ]
