"""Results are read from their folder, or by the name of their file."""

import pytest

from fakes.ci_results import ResultsFolder
from quickstarted.ci.reading import read_results
from quickstarted.errors import UsageError


def test_a_folder_and_its_document_are_the_same_results(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.gap()
    folder.write()

    assert read_results(tmp_path) == read_results(tmp_path / "results.json")
    assert (1, tmp_path) == (len(read_results(tmp_path).suite.runs), read_results(tmp_path).folder)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "No such file"),
        ("{", "Invalid JSON"),
        ("[]", "not results of this version"),
        ('{"a": 1}', "harness_version: Field required"),
    ],
)
def test_what_is_no_document_is_refused_with_the_reason(tmp_path, content, expected):
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    with pytest.raises(UsageError, match=r"results\.json") as refused:
        read_results(tmp_path)

    assert expected in str(refused.value)
