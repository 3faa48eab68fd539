"""
The scripts that set a machine up, without changing this one.

Where a script would install or start something, the programs that it would call are stand-ins on
PATH; the engine that it asks is real.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.docker

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "docker" / "engine.sh"
DEBIAN = "ID=debian\n"

ANSWERING_ENGINE = f"""\
#!{sys.executable}
import http.server, json, socketserver, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({{"Version": "99.9"}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "unix"

path = sys.argv[sys.argv.index("--host") + 1].removeprefix("unix://")
socketserver.UnixStreamServer(path, Handler).serve_forever()
"""


@pytest.fixture
def machine(tmp_path):
    """Environment of a Debian on which this user is root and no engine answers."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "os-release").write_text(DEBIAN)
    put(programs / "id", "#!/bin/sh\necho 0\n")
    put(programs / "iptables", "#!/bin/sh\nexit 0\n")
    return {
        **{key: value for key, value in os.environ.items() if key != "DOCKER_HOST"},
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHON": sys.executable,
        "OS_RELEASE": str(tmp_path / "os-release"),
        "ENGINE_SOCKET": str(tmp_path / "engine.sock"),
        "ENGINE_STATE": str(tmp_path / "state"),
        "ENGINE_ARGS": "--iptables=false",
        "ENGINE_WAIT_S": "5",
    }


def put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def programs_of(environ: dict[str, str]) -> Path:
    return Path(environ["PATH"].split(":")[0])


def run(command: list[str], environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environ, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )


def run_engine(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return run(["sh", str(ENGINE)], environ)


def test_an_engine_that_answers_is_left_alone():
    done = run_engine({**os.environ, "PYTHON": sys.executable})

    assert done.returncode == 0
    assert re.fullmatch(r"engine: engine \S+ answers( at \S+)?\n", done.stdout)


def test_an_engine_that_docker_host_names_is_asked_and_never_started(machine):
    put(programs_of(machine) / "dockerd", "#!/bin/sh\ntouch started\n")
    done = run_engine({**machine, "DOCKER_HOST": "tcp://127.0.0.1:1"})

    assert done.returncode == 1
    assert "no engine answers at DOCKER_HOST=tcp://127.0.0.1:1" in done.stderr
    assert not Path(machine["ENGINE_STATE"]).exists()


@pytest.mark.parametrize(
    ("os_release", "advice"),
    [
        ("ID=fedora\n", "dnf install moby-engine"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install moby-engine"),
        ("ID=arch\n", "https://docs.docker.com/engine/install/"),
        ("", "https://docs.docker.com/engine/install/"),
    ],
)
def test_other_systems_are_told_what_to_install(machine, os_release, advice):
    Path(machine["OS_RELEASE"]).write_text(os_release)
    done = run_engine(machine)

    assert done.returncode == 1
    assert advice in done.stderr


@pytest.mark.parametrize("os_release", [DEBIAN, 'ID=ubuntu\nID_LIKE="debian"\n'])
def test_who_is_not_root_is_told_so(machine, os_release):
    Path(machine["OS_RELEASE"]).write_text(os_release)
    put(programs_of(machine) / "id", "#!/bin/sh\necho 1000\n")
    done = run_engine(machine)

    assert done.returncode == 1
    assert "needs root" in done.stderr


def test_a_started_engine_outlives_the_script_and_is_found_again(machine):
    put(programs_of(machine) / "dockerd", ANSWERING_ENGINE)
    first = run_engine(machine)
    pid = int((Path(machine["ENGINE_STATE"]) / "engine.pid").read_text())
    again = run_engine(machine)
    own_session = os.getsid(pid) == pid
    os.kill(pid, signal.SIGTERM)

    assert first.returncode == 0
    assert "engine 99.9 answers, after" in first.stdout
    assert own_session
    assert again.stdout == "engine: engine 99.9 answers\n"


@pytest.mark.parametrize(
    ("dockerd", "reason"),
    [
        pytest.param("#!/bin/sh\necho no space left >&2\nexit 1\n", "no space left", id="ends"),
        pytest.param("#!/bin/sh\necho still busy >&2\nexec sleep 600\n", "still busy", id="hangs"),
    ],
)
def test_an_engine_that_does_not_come_up_is_ended_and_its_log_shown(machine, dockerd, reason):
    pid_file = Path(machine["ENGINE_STATE"]).parent / "dockerd.pid"
    script = dockerd.replace("#!/bin/sh\n", f"#!/bin/sh\necho $$ > {pid_file}\n")
    put(programs_of(machine) / "dockerd", script)
    done = run_engine({**machine, "ENGINE_WAIT_S": "1"})

    assert done.returncode == 1
    assert reason in done.stderr
    assert not (Path(machine["ENGINE_STATE"]) / "engine.pid").exists()
    assert wait_until_gone(int(pid_file.read_text()))


def wait_until_gone(pid: int) -> bool:
    """Whether the process ends; whoever adopted it may need a moment to notice."""
    for _ in range(50):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return True
        time.sleep(0.1)
    return False


def test_a_package_that_cannot_be_installed_is_said_with_apts_words(machine):
    programs = programs_of(machine)
    put(
        programs / "apt-get",
        "#!/bin/sh\necho 'E: Unable to locate package docker.io' >&2\nexit 100\n",
    )
    tools = Path(machine["ENGINE_STATE"]).parent / "tools"
    tools.mkdir()
    for name in ("cat", "date", "flock", "grep", "mkdir", "sed", "sh", "tail", "tr", "uname"):
        (tools / name).symlink_to(
            f"/usr/bin/{name}" if Path(f"/usr/bin/{name}").exists() else f"/bin/{name}"
        )
    done = run_engine({**machine, "PATH": f"{programs}:{tools}"})

    assert done.returncode == 1
    assert "Unable to locate package docker.io" in done.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["true"], 0, r"== a step: done in \d+ s\n"),
        (["sh", "-c", "exit 7"], 7, r"== a step: FAILED with exit code 7 after \d+ s\n"),
    ],
)
def test_a_step_says_its_time_and_passes_its_exit_code_on(command, code, said):
    done = run(["sh", ".ci/step", "a step", *command], dict(os.environ))

    assert code == done.returncode
    assert re.fullmatch(said, done.stdout + done.stderr)


def test_an_environment_without_a_python_that_is_new_enough_says_what_to_do(tmp_path):
    for name in ("python3", "python3.11", "python3.12", "python3.13"):
        put(tmp_path / name, "#!/bin/sh\nexit 1\n")
    put(tmp_path / "id", "#!/bin/sh\necho 1000\n")
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": ""}
    done = run(["sh", ".ci/venv", str(tmp_path / "venv")], environ)

    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_make_without_a_target_lists_every_target():
    rules = re.findall(r"^([a-z]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    done = run(["make"], dict(os.environ))

    assert rules == re.findall(r"^  make ([a-z]+) ", done.stdout, re.MULTILINE)


def test_every_script_is_one_that_a_plain_sh_can_read():
    scripts = [*ROOT.glob("docker/*.sh"), ROOT / ".ci/step", ROOT / ".ci/venv"]
    refused = [script.name for script in scripts if run(["sh", "-n", str(script)], {}).returncode]

    assert refused == []
    assert len(scripts) > 3
