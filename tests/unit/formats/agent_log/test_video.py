"""A video covers the run within five seconds, which are included."""

import os
import stat

import pytest

from quickstarted.errors import UsageError
from quickstarted.formats.agent_log import Video, probe_seconds
from quickstarted.formats.agent_log.video import video_problems

RUN_S = 250.0


@pytest.mark.parametrize(
    ("video", "expected"),
    [
        (Video(245.0), []),
        (Video(244.999), ["video-too-short"]),
        (Video(1_000.0), []),
        (Video(260.0, 10.0), []),
        (Video(255.0, 10.0), []),
        (Video(254.9, 10.0), ["video-ends-early"]),
        (Video(250.0, -5.0), []),
        (Video(250.0, -5.1), ["video-starts-late"]),
        (Video(100.0, -6.0), ["video-starts-late", "video-ends-early"]),
        (Video(240.0, -5.0), []),
    ],
)
def test_a_video_may_miss_five_seconds_at_either_end(video, expected):
    assert expected == [code for code, _ in video_problems(RUN_S, video)]


def ffprobe(tmp_path, monkeypatch, script):
    """A program of that name that stands in for the real one."""
    program = tmp_path / "bin" / "ffprobe"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def test_ffprobe_is_asked_for_the_length_and_may_open_files_only(tmp_path, monkeypatch):
    told = tmp_path / "told"
    ffprobe(
        tmp_path,
        monkeypatch,
        f"""printf '%s\\n' "$@" > {told}; echo '{{"format": {{"duration": "251.400000"}}}}'""",
    )

    assert 251.4 == probe_seconds(tmp_path / "-run.mp4")
    words = told.read_text().split("\n")
    assert f"file:{tmp_path}/-run.mp4" == words[-2]
    assert "file" == words[words.index("-protocol_whitelist") + 1]


@pytest.mark.parametrize(
    "script",
    [
        "exit 1",
        "echo '{}'",
        "echo '{\"format\": []}'",
        'echo \'{"format": {"duration": "N/A"}}\'',
        'echo \'{"format": {"duration": "nan"}}\'',
        'echo \'{"format": {"duration": "-3"}}\'',
        "printf '\\377'",
    ],
)
def test_a_length_that_ffprobe_cannot_say_is_asked_for(tmp_path, monkeypatch, script):
    ffprobe(tmp_path, monkeypatch, script)
    with pytest.raises(UsageError) as told:
        probe_seconds(tmp_path / "run.mp4")

    assert "Give the length yourself: --video-seconds N." == told.value.hint


def test_a_machine_without_ffprobe_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="there is no ffprobe") as told:
        probe_seconds(tmp_path / "run.mp4")

    assert "Install ffmpeg" in told.value.hint
