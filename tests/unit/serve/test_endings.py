"""What is stored outlasts whatever ends the server, and nothing is ever half there."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from fakes.golden import golden
from fakes.uploading import (
    API,
    JSON,
    answer,
    connected,
    environment,
    padded,
    request,
    run,
    serving,
)
from quickstarted.cli import run_cli
from quickstarted.formats.trajectory import check_trajectories

COUNT = 400


def lines(prefix, count):
    event = {"event_id": "e", "timestamp": "2026-11-02T09:00:00Z", "output": "x" * 200}
    made = (json.dumps(run(f"{prefix}-{number}", event)) for number in range(count))
    return "".join(f"{line}\n" for line in made).encode()


def connect_for_ever(served):
    while True:
        with connected(served):
            time.sleep(0.01)


def listed(served):
    names, url = set(), f"{API}?limit=200"
    while url is not None:
        page = served.get(url).json()
        names |= {one["id"] for one in page["trajectories"]}
        url = page["next"]
    return names


@pytest.mark.parametrize("moment", ["receiving", "converting", "moving"])
def test_killed_in_the_middle_everything_is_whole_or_not_there(tmp_path, moment):
    body = lines("killed", COUNT)
    with serving(tmp_path) as served:
        served.post(json.dumps(run("before")).encode())
        with connected(served) as sock:
            size = len(body)
            kind = "Content-Type: application/json"
            sent = body[:-1] if moment == "receiving" else body
            sock.sendall(request(served, sent, kind, f"Content-Length: {size}"))
            pattern = {
                "receiving": ".incoming/*/body",
                "converting": ".incoming/*/made/9/trajectory.json",
                "moving": "killed-9-*/upload.json",
            }[moment]
            while not any(served.out.glob(pattern)):
                time.sleep(0.005)
            served.end(signal.SIGKILL)
    whole = served.stored

    with serving(tmp_path) as served:
        assert [] == list(served.out.glob(".incoming/*"))
        assert whole == listed(served)
        assert all((served.out / name / "upload.json").is_file() for name in whole)
        assert all(
            check_trajectories(served.out / name / "trajectory.json").verdict != "invalid"
            for name in sorted(whole)[:50]
        )
        again = served.post(body).json()
        assert COUNT == len(again["stored"]) + len(again["duplicates"])
        assert {"content"} >= {one["same"] for one in again["duplicates"]}
        assert COUNT + 1 == len(served.stored)


def test_a_server_that_is_started_again_has_everything_and_knows_duplicates(tmp_path):
    event = {"event_id": "e", "timestamp": "2026-11-02T09:00:00Z"}
    body = json.dumps(run("kept", event)).encode()
    with serving(tmp_path) as served:
        (first,) = served.post(body).json()["stored"]
        assert 0 == served.end()
    with serving(tmp_path) as served:
        reply = served.post(body)

        assert (200, first["id"]) == (reply.status_code, reply.json()["duplicates"][0]["id"])
        assert {first["id"]} == listed(served)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_an_upload_under_way_end_and_takes_no_other(tmp_path, number):
    body = json.dumps(run("under-way")).encode()
    kind = "Content-Type: application/json"
    with serving(tmp_path) as served, connected(served) as sock:
        raw = request(served, body, kind, f"Content-Length: {len(body)}")
        sock.sendall(raw[:-1])
        while not any(served.out.glob(".incoming/*/body")):
            time.sleep(0.01)
        served.process.send_signal(number)
        with pytest.raises(OSError, match=r"refused|reset"):
            connect_for_ever(served)
        sock.sendall(raw[-1:])
        status, _, _ = answer(sock)

        assert (201, 0) == (status, served.process.wait(timeout=60))
        assert 1 == len(served.stored)


def test_a_second_signal_ends_it_at_once(tmp_path):
    with serving(tmp_path) as served, connected(served) as sock:
        sock.sendall(request(served, b"{", "Content-Length: 99"))
        while not any(served.out.glob(".incoming/*/body")):
            time.sleep(0.01)
        for _ in range(2):
            served.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        status, _, body = answer(sock)
        text = f"{status}\n{body.decode()}"

        assert 0 == served.process.wait(timeout=60)
        assert golden("serve/ending.txt", text) == text
        assert "fault" not in served.log
        assert [] == list(served.out.glob(".incoming/*"))


def test_a_second_server_does_not_touch_the_folder_of_the_first(tmp_path):
    with serving(tmp_path) as served:
        code, err = refused("--port=0", f"--out={served.out}")

    assert (3, f"error: another server stores in {served.out}") == (code, err.splitlines()[0])


def refused(*options, shadow=None):
    env = environment()
    if shadow is not None:
        env["PYTHONPATH"] = f"{shadow}{os.pathsep}{env['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "quickstarted", "serve", *options],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("options", "token", "says"),
    [
        (["--host=0.0.0.0"], "", "--host 0.0.0.0 can be reached from other machines"),
        (["--host=::"], "", "--host :: can be reached from other machines"),
        (["--host=0.0.0.0"], "short", "QUICKSTARTED_SERVE_TOKEN is no token"),
        ([], "with a space in it", "QUICKSTARTED_SERVE_TOKEN has a space in it"),
        (["--host=203.0.113.7"], "t" * 16, "cannot listen on 203.0.113.7 port 0"),
        (["--host=\x1b[2J"], "", '--host "\\u001b[2J" is no address of this machine'),
        (["--out=/dev/null/x"], "", "cannot write /dev/null/x"),
    ],
)
def test_a_call_that_cannot_be_served_says_why(tmp_path, monkeypatch, capsys, options, token, says):
    monkeypatch.setenv("QUICKSTARTED_SERVE_TOKEN", token)
    code = run_cli(["serve", "--port=0", f"--out={tmp_path}", *options])

    assert code in {2, 3}
    assert capsys.readouterr().err.startswith(f"error: {says}")


@pytest.mark.parametrize("name", ["uvicorn", "starlette", "anyio"])
def test_what_is_not_installed_is_named_with_the_command_that_installs_it(tmp_path, name):
    (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError(name={name!r})")
    code, err = refused(f"--out={tmp_path / 'out'}", shadow=tmp_path)

    assert (3, f"error: `quickstarted serve` needs {name}, which is not installed") == (
        code,
        err.splitlines()[0],
    )
    assert "pip install 'quickstarted-harness[serve]'" in err


def test_a_port_that_is_taken_is_named(tmp_path):
    with serving(tmp_path) as served:
        port = served.address[1]
        code, err = refused(f"--port={port}", f"--out={tmp_path / 'other'}")

    assert 3 == code
    assert err.startswith(f"error: cannot listen on 127.0.0.1 port {port}: Address already in use")


def test_uploads_at_the_same_time_of_the_same_are_stored_once(tmp_path):
    body = padded("same", 200_000)
    replies = []
    with serving(tmp_path) as served:
        threads = [
            threading.Thread(target=lambda: replies.append(served.post(body, JSON)))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [200] * 7 + [201] == sorted(reply.status_code for reply in replies)
        assert 1 == len(served.stored)


def test_a_folder_that_cannot_be_written_is_told_until_it_can(tmp_path):
    body = json.dumps(run("one")).encode()
    with serving(tmp_path) as served:
        incoming = served.out / ".incoming"
        incoming.rmdir()
        incoming.touch()
        refused = served.post(body)
        incoming.unlink()
        text = f"{refused.status_code}\n{refused.text}"

        assert golden("serve/storage.txt", text) == text
        assert 201 == served.post(body).status_code
        assert f"storage: cannot write {incoming}/" in served.log
        assert str(tmp_path) not in refused.text
