"""Runs of one upload on their way into the store."""

import pytest

from quickstarted.formats.trajectory.importing import NotConvertible
from quickstarted.formats.trajectory.importing.run import Attachment, Run
from quickstarted.serve.limits import FILES_PER_UPLOAD, TRAJECTORIES_PER_UPLOAD
from quickstarted.serve.staging import Outcome, StagingSink, move_in
from quickstarted.serve.store import Store

SOURCE = {"converter": "native", "why": "", "where": "file", "events": 0}


@pytest.fixture(name="store")
def _store(tmp_path):
    with Store.opened(tmp_path / "out") as store:
        yield store


def staged(store, folder, *trace_ids):
    """Empty runs, complete and waiting."""
    folder.mkdir()
    sink = StagingSink(folder, store)
    for trace_id in trace_ids:
        run = Run(trace_id, "native", lambda _: None)
        sink.opened(run)
        sink.closed(run)
    return sink


def moved(store, folder, sink):
    move_in(store, folder, [(one, SOURCE) for one in sink.outcomes])
    return [bool(one.staged) for one in sink.outcomes]


def test_so_many_trajectories_are_taken_of_one_upload_and_no_more(store, tmp_path):
    sink = staged(store, tmp_path / "made")
    sink.outcomes += [Outcome("n", "t", "d", {}, None)] * (TRAJECTORIES_PER_UPLOAD - 1)
    last = Run("last", "native", lambda _: None)
    sink.opened(last)
    sink.closed(last)

    with pytest.raises(NotConvertible, match="is beyond the first 10,000 trajectories"):
        sink.opened(Run("more", "native", lambda _: None))


def test_of_two_uploads_at_once_the_second_to_end_finds_the_name_taken(store, tmp_path):
    first = staged(store, tmp_path / "1", "a", "b")
    second = staged(store, tmp_path / "2", "b", "c")

    assert [True, True] == moved(store, tmp_path / "1", first)
    assert [False, True] == moved(store, tmp_path / "2", second)
    assert first.outcomes[1].content_sha256 == second.outcomes[0].taken_by


def test_a_run_that_is_abandoned_leaves_nothing(store, tmp_path):
    sink = staged(store, tmp_path / "made", "whole")
    sink.opened(Run("half", "native", lambda _: None))
    sink.abandoned()
    moved(store, tmp_path / "made", sink)

    assert ["whole"] == [one.trace_id for one in store.page("", 9)[0]]
    assert [] == list((tmp_path / "made").iterdir())


def test_so_many_files_are_taken_of_one_upload_and_no_more(store, tmp_path):
    sink = staged(store, tmp_path / "made")
    run = Run("t", "native", lambda _: None)
    sink.opened(run)
    same = Attachment(f"artifacts/{'0' * 64}.png", b"x")
    kept = [sink.attachment(same) for _ in range(FILES_PER_UPLOAD)]
    with pytest.raises(NotConvertible, match="beyond the first 10,000 of the upload"):
        sink.attachment(same)
    sink.abandoned()

    assert {True} == set(kept)
    assert [] == list((tmp_path / "made").iterdir())


@pytest.mark.parametrize("uri", ["artifacts/../../x", "artifacts/x.sh", "/etc/passwd", ""])
def test_a_file_whose_name_is_no_hash_is_not_written(store, tmp_path, uri):
    sink = staged(store, tmp_path / "made")
    run = Run("t", "native", lambda _: None)
    sink.opened(run)
    is_kept = sink.attachment(Attachment(uri, b"x"))
    sink.closed(run)

    assert not is_kept
    assert ["trajectory.json"] == [path.name for path in (tmp_path / "made" / "0").iterdir()]
