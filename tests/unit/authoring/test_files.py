import json

import pytest

from quickstarted.authoring.files import make_folder, refuse_taken, write_new, write_schema
from quickstarted.errors import UsageError


def test_a_file_that_is_there_is_never_written_over(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("mine")

    for refusal in (lambda: refuse_taken(path), lambda: write_new(path, "new")):
        with pytest.raises(UsageError, match=r"x\.yaml is there already, and is left as it is"):
            refusal()
    assert "mine" == path.read_text()


def test_a_link_to_nothing_is_there_too(tmp_path):
    path = tmp_path / "x.yaml"
    path.symlink_to("nowhere")

    with pytest.raises(UsageError, match="is there already"):
        refuse_taken(path)


@pytest.mark.parametrize(
    ("name", "why"), [("folder", "is a folder"), ("x.txt", "does not end in .yaml")]
)
def test_what_cannot_be_a_task_file_is_refused(tmp_path, name, why):
    (tmp_path / "folder").mkdir()

    with pytest.raises(UsageError, match=why):
        refuse_taken(tmp_path / name)


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match=r"file/tasks cannot be written: Not a directory"):
        make_folder(tmp_path / "file" / "tasks" / "x.yaml")


def test_the_schema_is_written_once_and_stays_as_it_is(tmp_path):
    path = write_schema(tmp_path)
    assert path is not None
    assert "quickstarted task" == json.loads(path.read_text())["title"]

    path.write_text("{}")

    assert write_schema(tmp_path) is None
    assert "{}" == path.read_text()
