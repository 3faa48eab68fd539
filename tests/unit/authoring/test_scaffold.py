import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.authoring.draft import Draft
from quickstarted.authoring.plain import is_plain, one_line
from quickstarted.authoring.scaffold import task_text
from quickstarted.check import plan_for
from quickstarted.errors import TaskInvalid
from quickstarted.task import parse_task
from quickstarted.task.findings import warnings_for

URL = "https://docs.example/start/"


def made(path, **fields):
    draft = Draft(**({"name": "start", "url": URL} | fields))
    text = task_text(draft, path)
    return text, parse_task(text.encode(), path)


def test_a_scaffold_is_valid_and_warns_of_nothing(tmp_path):
    text, task = made(tmp_path / "start.yaml", title="Quickstart")

    assert text.startswith("# yaml-language-server: $schema=task.schema.json\n")
    assert ("start", (URL,)) == (task.name, task.route)
    assert 'Do what the page "Quickstart" describes' in task.goal
    assert ["no-replay"] == [finding.code for finding in warnings_for(task)]


def test_the_check_fails_with_words_until_it_is_written(tmp_path):
    _, task = made(tmp_path / "it's $HOME.yaml")

    last = plan_for(task).script.splitlines()[-1]

    assert 'qs_fail "the check of this task has not been written yet (it\'s \\$HOME.yaml)"' == last


def test_suggested_commands_take_effect_once_they_are_no_comment(tmp_path):
    commands = ("pip install x", "cat > a <<'E'\n  x: [1]\nE", "echo 'a: b' # c", "true", "1e3")
    text, task = made(tmp_path / "start.yaml", suggested=commands)
    head, _, tail = text.partition("# replay:\n")
    block, _, rest = tail.partition("\n\n")
    uncommented = re.sub("^# ?", "", block, flags=re.MULTILINE)

    again = parse_task(f"{head}replay:\n{uncommented}\n\n{rest}".encode(), tmp_path / "start.yaml")

    assert () == task.replay
    assert commands == again.replay


def test_everything_that_is_known_is_written(tmp_path):
    (tmp_path / "site").mkdir()
    text, task = made(
        tmp_path / "start.yaml",
        goal="Say: hello\n",
        image="node:22-slim",
        docs_allow=("other.example",),
        sites={"https://docs.example/": "site"},
        network_allow=("api.example",),
        network_comments=("asked for by a command",),
        replay=("npm ci",),
        replay_comments=("left out: ls",),
    )

    assert ("Say: hello\n", "node:22-slim") == (task.goal, task.image)
    assert ("other.example",) == task.docs.allow
    assert tmp_path / "site" == task.docs.sites["https://docs.example/"].folder
    assert ["api.example"] == [allowed.host for allowed in task.network.allow]
    assert ("npm ci",) == task.replay
    assert "# asked for by a command\nnetwork:\n" in text
    assert "# left out: ls\nreplay:\n" in text


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"name": "a b"}, "name"),
        ({"sites": {URL: "nowhere"}}, "docs.sites"),
        ({"goal": " "}, "goal"),
    ],
)
def test_what_would_not_be_valid_is_not_written(tmp_path, fields, key):
    with pytest.raises(TaskInvalid) as invalid:
        made(tmp_path / "start.yaml", **fields)

    assert key in str(invalid.value)


anything = st.text(st.characters(exclude_categories=["Cs"]))
commands = st.text(min_size=1).filter(is_plain).filter(str.strip)


@given(title=anything, goal=anything.filter(str.strip), suggested=st.lists(commands))
def test_no_text_of_a_page_or_person_breaks_the_file(tmp_path_factory, title, goal, suggested):
    path = tmp_path_factory.getbasetemp() / "start.yaml"
    title = one_line(title, 120)
    goal = goal.replace("\0", "")

    _, own = made(path, title=title, goal=goal or "g", suggested=tuple(suggested))
    _, from_title = made(path, title=title)

    assert (goal or "g") == own.goal
    assert title in from_title.goal
    assert () == own.replay
