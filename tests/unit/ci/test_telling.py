"""Everything that is wanted is written, and what cannot be takes nothing from the rest."""

import pytest
from lxml import etree

from fakes.ci_results import ResultsFolder
from quickstarted.ci.checkout import Checkout
from quickstarted.ci.github import SUMMARY_BYTES, Job
from quickstarted.ci.markdown import Surroundings
from quickstarted.ci.telling import Place, Told, Wanted, tell


class Call:
    """A call with one failure, and all that it said."""

    def __init__(self, folder):
        results = ResultsFolder(folder / "results")
        results.gap(record={"task_path": str(folder / "tasks" / "flask.yaml")})
        self.folder = folder
        self.told = Told.of(results.suite, results.out, Surroundings())
        self.notes = []
        self.commands = []

    def tell(self, *, junit, summary, is_gitlab=False):
        place = Place(
            job=Job.of({"GITHUB_STEP_SUMMARY": str(summary)} if summary else {}),
            checkout=Checkout(root=self.folder),
            is_gitlab=is_gitlab,
        )
        wanted = Wanted(junit=junit, summary=True, annotations=True)
        tell(self.told, wanted, place, note=self.notes.append, command=self.commands.append)


@pytest.fixture
def call(tmp_path):
    return Call(tmp_path)


def test_report_summary_and_annotations_are_written(call, tmp_path):
    call.tell(junit=tmp_path / "new" / "junit.xml", summary=tmp_path / "summary.md")

    assert [] == call.notes
    assert "1" == etree.parse(tmp_path / "new" / "junit.xml").getroot().get("failures")
    assert "### What to look at" in (tmp_path / "summary.md").read_text()
    assert ["::error file=tasks/flask.yaml"] == [one.split(",")[0] for one in call.commands]


def test_a_summary_is_appended_to_what_is_there(call, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("# Earlier step\n")
    call.tell(junit=tmp_path / "junit.xml", summary=summary)

    assert summary.read_text().startswith("# Earlier step\n## quickstarted\n")


def test_a_summary_that_earlier_steps_have_filled_is_left_alone(call, tmp_path):
    summary = tmp_path / "summary.md"
    with summary.open("wb") as stream:
        stream.truncate(SUMMARY_BYTES - 10)
    call.tell(junit=tmp_path / "junit.xml", summary=summary)

    assert ["note: no job summary: other steps have left no room in it"] == call.notes
    assert SUMMARY_BYTES - 10 == summary.stat().st_size


def test_a_report_that_cannot_be_written_is_noted_and_the_rest_is_written(call, tmp_path):
    (tmp_path / "file").write_text("")
    call.tell(junit=tmp_path / "file" / "junit.xml", summary=tmp_path / "summary.md")

    assert [f"note: cannot write {tmp_path}/file/junit.xml: File exists"] == call.notes
    assert (tmp_path / "summary.md").exists()
    assert 1 == len(call.commands)


def test_a_full_disk_is_noted_and_the_rest_is_written(call, tmp_path):
    """/dev/full takes no byte, as a disk does that has no room."""
    call.tell(junit=tmp_path / "junit.xml", summary="/dev/full")

    assert ["note: cannot write /dev/full: No space left on device"] == call.notes
    assert (tmp_path / "junit.xml").exists()
    assert 1 == len(call.commands)


def test_a_folder_in_the_place_of_the_report_is_noted(call, tmp_path):
    call.tell(junit=tmp_path, summary=tmp_path / "summary.md")

    assert [f"note: cannot write {tmp_path}: Is a directory"] == call.notes


def test_without_the_variable_of_github_there_is_a_note_and_no_summary(call, tmp_path):
    call.tell(junit=tmp_path / "junit.xml", summary=None)

    assert 1 == len(call.notes)
    assert "GITHUB_STEP_SUMMARY is not set" in call.notes[0]


def test_in_gitlab_cases_name_their_file(call, tmp_path):
    call.tell(junit=tmp_path / "junit.xml", summary=tmp_path / "s", is_gitlab=True)

    (case,) = etree.parse(tmp_path / "junit.xml").iter("testcase")
    assert "tasks/flask.yaml" == case.get("file")
