"""`quickstarted agent-log` and `quickstarted trajectory`, as a moderator calls them."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from fakes.agent_logs import LOG, SAMPLES, events, lines, sample
from fakes.golden import GOLDEN, golden
from quickstarted.cli import run_cli

TRAJECTORIES = GOLDEN / "formats" / "agenttrajectory"
EVIL = "\x1b[31mred\x1b]0;title\x07\u202e\x9b1m\x7f"


def call(capsys, *args):
    code = run_cli([str(arg) for arg in args])
    return code, *capsys.readouterr()


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    """Three submissions."""
    monkeypatch.chdir(tmp_path)
    for kind, name in (("valid", "withheld"), ("valid", "full"), ("invalid", "seq-gap")):
        place = tmp_path / "submissions" / name
        place.mkdir(parents=True)
        shutil.copy(sample(kind, name), place / LOG)
    return tmp_path / "submissions"


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("valid/*/*")), ids=lambda p: p.parent.name)
def test_a_valid_log_ends_with_0(capsys, path):
    assert 0 == call(capsys, "agent-log", "check", path)[0]


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("invalid/*/*")), ids=lambda p: p.parent.name)
def test_an_invalid_log_ends_with_1(capsys, path):
    assert 1 == call(capsys, "agent-log", "check", path)[0]


def test_one_log_is_told_in_lines(folder, capsys):
    _, out, _ = call(capsys, "agent-log", "check", f"submissions/seq-gap/{LOG}")

    assert (
        f"submissions/seq-gap/{LOG}: reject (11 lines, 2 responses, 3 actions)\n"
        "  error: line 5: seq is 9, and must be 4, one more than on the line before [seq-gap]\n"
        "  finding: line 2: shows a prompt or a text, and line 8 withholds its own"
        " [withheld-partly]\n"
        "  note: no video was compared (--video, --video-seconds)\n"
    ) == out


def test_a_folder_is_a_table_and_the_texts_to_send(folder, capsys):
    code, out, err = call(capsys, "agent-log", "check", "submissions")

    assert (1, "") == (code, err)
    assert golden("formats/told/folder.txt", out) == out


def test_several_logs_are_a_table_too(folder, capsys):
    logs = sorted(folder.rglob(LOG))
    code, out, _ = call(capsys, "agent-log", "check", *logs)
    mixed = call(capsys, "agent-log", "check", logs[0], folder, "--json")[1]

    assert (1, 3) == (code, out.count(f"/{LOG}\n"))
    assert 1 == out.count("To send for ")
    assert 4 == len(json.loads(mixed)["logs"])
    assert 3 == call(capsys, "agent-log", "check", *logs, "--video-seconds", "60")[0]


def test_a_folder_is_one_document_for_machines(folder, capsys):
    code, out, _ = call(capsys, "agent-log", "check", "submissions", "--json")
    logs = json.loads(out)["logs"]

    assert 1 == code
    assert ["look", "reject", "accept"] == [one["verdict"] for one in logs]
    assert [None, "Your agent log", None] == [
        (one["reply"] or None) and one["reply"][:14] for one in logs
    ]


def test_what_is_no_file_is_not_taken_for_a_log(folder, capsys):
    (folder / "dir.jsonl").mkdir()
    (folder / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.jsonl")
    code, out, _ = call(capsys, "agent-log", "check", "submissions")

    assert (1, 3) == (code, out.count(f"/{LOG}\n"))


def test_a_log_that_cannot_be_read_does_not_lose_the_others(folder, capsys):
    # Reading it fails, whoever reads.
    (folder / "mem.jsonl").symlink_to("/proc/self/mem")
    code, out, err = call(capsys, "agent-log", "check", "submissions")

    assert (3, 3) == (code, out.count(f"/{LOG}\n"))
    assert err.startswith("error: cannot read submissions/mem.jsonl")


def test_a_folder_without_logs_is_a_wrong_call(tmp_path, capsys):
    assert 3 == call(capsys, "agent-log", "check", tmp_path)[0]


@pytest.mark.parametrize(("offset", "code", "said"), [("10", 0, ""), ("40", 1, "video-ends-early")])
def test_a_video_is_compared_by_what_ffprobe_says_of_it(
    tmp_path, capsys, monkeypatch, offset, code, said
):
    ffprobe = tmp_path / "bin" / "ffprobe"
    ffprobe.parent.mkdir()
    ffprobe.write_text('#!/bin/sh\necho \'{"format": {"duration": "70.0"}}\'\n')
    ffprobe.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ffprobe.parent}:{os.environ['PATH']}")
    video = tmp_path / "run.mp4"
    video.write_bytes(b"")
    log = sample("valid", "full")
    found, out, _ = call(
        capsys, "agent-log", "check", log, "--video", video, "--video-offset", offset
    )

    assert (code, True) == (found, said in out)


def test_a_log_is_not_written_to_a_terminal_which_it_could_drive(tmp_path):
    path = tmp_path / LOG
    path.write_bytes(sample("valid", "full").read_bytes())
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "quickstarted", "agent-log", "withhold", path],
            stdout=theirs,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        os.set_blocking(ours, False)
        with pytest.raises(BlockingIOError):
            os.read(ours, 1)
    finally:
        os.close(ours)
        os.close(theirs)

    assert 3 == done.returncode
    assert "would drive the terminal" in done.stderr


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--video-seconds", "55"], 0),
        (["--video-seconds", "54.9"], 1),
        (["--video-seconds", "70", "--video-offset", "10"], 0),
        (["--video-seconds", "64", "--video-offset", "10"], 1),
        (["--video-seconds", "70", "--video-offset", "-6"], 1),
        (["--video-seconds", "nan"], 3),
        (["--video-seconds", "-1"], 3),
        (["--video-seconds", "70", "--video-offset", "inf"], 3),
        (["--video-offset", "1"], 3),
        (["--video", __file__, "--video-seconds", "1"], 3),
        (["--video", "no-such-file"], 3),
    ],
)
def test_the_video_is_held_against_the_run_of_a_minute(capsys, flags, expected):
    code, out, _ = call(capsys, "agent-log", "check", sample("valid", "full"), *flags)

    assert expected == code
    assert "no video was compared" not in out


def test_a_video_goes_with_one_log(folder, capsys):
    assert 3 == call(capsys, "agent-log", "check", folder, "--video-seconds", "9")[0]


def test_changed_args_can_be_allowed(capsys):
    path = sample("invalid", "action-args-differ")

    assert 1 == call(capsys, "agent-log", "check", path)[0]
    assert 0 == call(capsys, "agent-log", "check", path, "--allow-changed-args")[0]


def evil_log(tmp_path):
    """One whose every string drives a terminal."""
    made = events()
    made[0]["data"]["model"] = EVIL
    made[2]["data"].update(id=EVIL, model=f"acme/{EVIL}")
    made[3]["data"].update(call=f"not {EVIL}", name=EVIL)
    made[4].update({EVIL: EVIL, "type": EVIL, "at": EVIL, "seq": EVIL})
    path = tmp_path / f"a{EVIL.replace('/', '')}.jsonl"
    path.write_bytes(lines(made))
    return path


@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.parametrize("of", ["file", "folder"])
def test_nothing_of_a_log_drives_the_terminal(tmp_path, capsys, flags, of):
    path = evil_log(tmp_path)
    _, out, err = call(capsys, "agent-log", "check", tmp_path if of == "folder" else path, *flags)

    assert set() == {char for char in out + err if not char.isprintable()} - {"\n"}
    assert "red" in out


def test_withhold_prints_the_bytes_and_nothing_else(capfdbinary):
    code = run_cli(["agent-log", "withhold", str(sample("valid", "crlf"))])
    out, _ = capfdbinary.readouterr()
    full = sample("valid", "withheld").read_bytes()

    assert (0, full.replace(b"\n", b"\r\n")) == (code, out)


def test_withhold_writes_a_file(tmp_path, capsys):
    out = tmp_path / "public.jsonl"
    code, printed, err = call(
        capsys, "agent-log", "withhold", sample("valid", "full"), "--out", out
    )

    assert (0, "", "withheld prompts and texts in 2 lines\n") == (code, printed, err)
    assert sample("valid", "withheld").read_bytes() == out.read_bytes()


def test_withhold_leaves_nothing_of_a_log_that_it_cannot_read(tmp_path, capsys):
    out = tmp_path / "public.jsonl"
    path = sample("invalid", "partial-last-line")
    code, printed, err = call(capsys, "agent-log", "withhold", path, "--out", out)

    assert (1, "", False) == (code, printed, out.exists())
    assert err.startswith("error: line 11: is not JSON")
    assert (1, "") == call(capsys, "agent-log", "withhold", path)[:2]


def test_withhold_may_take_the_place_of_its_log(tmp_path, capsys):
    path = tmp_path / LOG
    shutil.copy(sample("valid", "full"), path)

    assert 0 == call(capsys, "agent-log", "withhold", path, "--out", path)[0]
    assert sample("valid", "withheld").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "expected", "words"),
    [
        ("single-full.json", 0, "valid (1 trajectory, 16 events)"),
        ("two.jsonl", 0, "valid (2 trajectories, 32 events)"),
        ("questionable/event-trace-id-mismatch.json", 1, "invalid (1 trajectory, 1 event)"),
        ("no-such-file", 3, ""),
    ],
)
def test_trajectories_are_checked(capsys, name, expected, words):
    code, out, _ = call(capsys, "trajectory", "check", TRAJECTORIES / name)

    assert expected == code
    assert words in out


def test_trajectories_are_told_to_machines(capsys):
    path = TRAJECTORIES / "questionable" / "no-events.json"
    _, out, _ = call(capsys, "trajectory", "check", path, "--json")

    assert {
        "path": str(path),
        "verdict": "invalid",
        "trajectories": 1,
        "events": 0,
        "counts": {"events-missing": 1},
        "problems": [
            {
                "severity": "error",
                "code": "events-missing",
                "line": None,
                "message": "has no events",
            }
        ],
    } == json.loads(out)


def test_all_that_an_import_has_written_is_checked_in_one_call(tmp_path, capsys):
    call(capsys, "trajectory", "import", TRAJECTORIES / "two.jsonl", "--out", tmp_path / "out")
    good = sorted((tmp_path / "out").glob("*.json"))
    bad = TRAJECTORIES / "questionable" / "no-events.json"
    code, out, _ = call(capsys, "trajectory", "check", *good)
    worse, told, _ = call(capsys, "trajectory", "check", good[0], bad, good[1])
    _, as_json, _ = call(capsys, "trajectory", "check", *good, "--json")

    assert (0, 2, 2) == (code, len(good), out.count(": valid (1 trajectory, 16 events)"))
    assert (1, 2, 1) == (worse, told.count(": valid ("), told.count(": invalid ("))
    assert [str(path) for path in good] == [one["path"] for one in json.loads(as_json)["files"]]


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_checked(capsys):
    good, bad = TRAJECTORIES / "single-full.json", "/proc/self/mem"
    code, out, err = call(capsys, "trajectory", "check", bad, good)

    assert 3 == code
    assert f"{good}: valid" in out
    assert f"error: cannot read {bad}: " in err


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_nothing_of_a_trajectory_drives_the_terminal(tmp_path, capsys, flags):
    path = tmp_path / "run.json"
    event = {EVIL: 1, "trace_id": EVIL, "event_type": EVIL, "timestamp": EVIL, "error": [EVIL]}
    path.write_text(json.dumps({"trace_id": "a", EVIL: 1, "events": [event]}))
    _, out, err = call(capsys, "trajectory", "check", path, *flags)

    assert set() == {char for char in out + err if not char.isprintable()} - {"\n"}
    assert "red" in out
