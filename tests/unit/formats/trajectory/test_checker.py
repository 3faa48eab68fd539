"""Where the trajectory checker's rules end, and how it reads a file."""

import json
import os

import pytest

from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES, check_trajectories


def codes_of(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [one.code for one in check_trajectories(path).problems]


def trajectory(event=None, **fields):
    events = [{"trace_id": "a", **(event or {})}]
    return json.dumps({"trace_id": "a", "events": events, **fields})


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"step_index": 2**53 - 1}, []),
        ({"step_index": 2**53}, ["number-unsafe"]),
        ({"step_index": -(2**63)}, ["number-too-large"]),
        ({"step_index": 3.0}, ["wrong-type"]),
        ({"step_index": "3"}, ["wrong-type"]),
        ({"step_index": True}, ["wrong-type"]),
        ({"duration_ms": 3}, []),
        ({"duration_ms": -0.5}, ["duration-negative"]),
        ({"event_id": None}, ["wrong-type"]),
        ({"parent_event_id": None}, []),
        ({"event_id": "x", "parent_event_id": "x"}, ["parent-cycle"]),
        ({"timestamp": "2026-11-02T09:00:00+05:30"}, []),
        ({"timestamp": "2026-11-02t09:00:00.123456789z"}, []),
        ({"timestamp": "2026-11-02"}, ["timestamp-invalid"]),
        ({"timestamp": "1793610000"}, ["timestamp-invalid"]),
        ({"timestamp": "2026-02-30T09:00:00Z"}, ["timestamp-invalid"]),
        ({"timestamp": 1793610000}, ["timestamp-invalid"]),
        ({"timestamp": None}, ["timestamp-invalid"]),
        ({"tokens": 5}, ["unknown-field"]),
        ({"input": {"any": [1, "thing"]}, "output": False}, []),
        ({"metadata": []}, ["wrong-type"]),
        ({"artifacts": [{"uri": "https://x.example/a.png"}]}, []),
        ({"artifacts": [{"uri": "shots/a..b.png"}]}, []),
        ({"artifacts": [{"uri": "../a.png"}]}, ["artifact-outside"]),
        ({"artifacts": [{"uri": "a\\..\\b"}]}, ["artifact-outside"]),
        ({"artifacts": [{"uri": "/etc/passwd"}]}, ["artifact-outside"]),
        ({"artifacts": [{"uri": "file:///etc/passwd"}]}, ["artifact-outside"]),
        ({"artifacts": [{"uri": "javascript:alert(1)"}]}, ["artifact-outside"]),
        ({"artifacts": [{"uri": "data:text/html,x"}]}, ["artifact-outside"]),
        ({"artifacts": [{"uri": "x", "size": 3}]}, ["unknown-field"]),
    ],
)
def test_a_field_of_an_event_is_held_to_its_rule(tmp_path, event, expected):
    assert expected == codes_of(tmp_path, trajectory(event))


@pytest.mark.parametrize(
    ("started", "ended", "expected"),
    [
        ("2026-11-02T09:00:00Z", "2026-11-02T09:00:00Z", []),
        ("2026-11-02T09:00:00Z", "2026-11-02T10:00:00+02:00", ["ended-before-start"]),
        ("2026-11-02T09:00:00Z", None, []),
    ],
)
def test_a_run_ends_after_it_starts(tmp_path, started, ended, expected):
    assert expected == codes_of(tmp_path, trajectory(started_at=started, ended_at=ended))


def test_a_long_chain_of_parents_is_no_circle(tmp_path):
    events = [
        {"trace_id": "a", "event_id": f"{number}", "parent_event_id": f"{max(number - 1, 0)}"}
        for number in range(1, 20_000)
    ]
    events.insert(0, {"trace_id": "a", "event_id": "0"})

    assert [] == codes_of(tmp_path, json.dumps({"trace_id": "a", "events": events}))


def test_every_circle_is_told_once(tmp_path):
    events = [
        {"trace_id": "a", "event_id": own, "parent_event_id": parent}
        for own, parent in ("ab", "ba", "ca", "de", "ed")
    ]

    assert ["parent-cycle"] * 2 == codes_of(
        tmp_path, json.dumps({"trace_id": "a", "events": events})
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "\n"), ("\n \n", ""), (" ", "\r\n"), ("", "\n\n")],
)
def test_white_space_around_a_trajectory_is_none_of_it(tmp_path, before, after):
    assert [] == codes_of(tmp_path, before + trajectory() + after)
    pretty = json.dumps(json.loads(trajectory()), indent=2)
    assert [] == codes_of(tmp_path, before + pretty + after)


def test_a_broken_line_does_not_lose_the_others(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(f"nonsense\n{trajectory()}\n{{}}x\n")
    report = check_trajectories(path)

    assert 1 == report.trajectories
    assert [("not-json", 1), ("not-json", 3)] == [(one.code, one.line) for one in report.problems]


def test_one_text_may_have_the_bytes_of_an_upload_and_not_one_more(tmp_path):
    start, end = b'{"trace_id":"a","goal":"', b'","events":[]}'
    filling = b"x" * (MAX_UPLOAD_BYTES - len(start) - len(end))

    assert [] == codes_of(tmp_path, start + filling + end)
    assert ["too-large"] == codes_of(tmp_path, start + filling + b"x" + end)
    lines = b"\n".join([start + filling[:-9] + end, trajectory().replace("a", "b").encode()])
    assert "upload-too-large" in codes_of(tmp_path, lines)


def test_nothing_that_a_file_names_is_opened(tmp_path):
    named = tmp_path / "named"
    os.mkfifo(named)

    # To open it would wait for ever.
    assert ["artifact-outside"] == codes_of(
        tmp_path, trajectory({"artifacts": [{"uri": str(named)}]})
    )
