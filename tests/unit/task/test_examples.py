import pytest

from quickstarted.errors import UsageError
from quickstarted.resources import tasks_dir
from quickstarted.task import find_tasks, load_task
from quickstarted.task.examples import copy_example, find_example, list_examples
from quickstarted.task.findings import warnings_for


def test_examples_have_a_line_about_them():
    examples = list_examples()

    assert "demo" in [example.name for example in examples]
    assert all(example.about for example in examples)


@pytest.mark.parametrize("path", find_tasks([str(tasks_dir())]), ids=lambda path: path.stem)
def test_examples_are_valid_named_as_their_file_and_give_no_warning(path):
    task = load_task(path)

    assert path.stem == task.name
    assert [one for one in warnings_for(task) if one.severity == "warning"] == []


def test_a_copied_example_is_whole(tmp_path):
    copied = copy_example("demo", tmp_path / "mine")

    task = load_task(copied.task)
    assert all(path.exists() for path in copied.files)
    assert [
        site.folder.is_relative_to(tmp_path) for site in task.docs.sites.values() if site.folder
    ] == [True] * len(task.docs.sites)


def test_a_copy_overwrites_nothing(tmp_path):
    (tmp_path / "demo.yaml").write_text("mine")

    with pytest.raises(UsageError, match="nothing was copied"):
        copy_example("demo", tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["demo.yaml"]
    assert (tmp_path / "demo.yaml").read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match="cannot be written"):
        copy_example("demo", tmp_path / "file" / "below")


def test_an_unknown_example_is_answered_with_those_there_are():
    with pytest.raises(UsageError) as caught:
        find_example("nope")

    assert "demo" in caught.value.hint
