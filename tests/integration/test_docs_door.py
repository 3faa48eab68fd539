"""Programs in a real sandbox read documentation through the harness's own host there."""

import threading

import pytest

from fakes import lanes
from quickstarted.agents.model.vendor import ToolAnswer
from quickstarted.agents.programs.door import HOST, READ_URL, Door, shell_command
from quickstarted.sandbox.protocol import SandboxSpec
from quickstarted_proxy.policy import EgressPolicy

pytestmark = pytest.mark.docker

PAGE = "# Install\n\n    pip install x\n\nGr\u00fc\u00dfe, `$HOME`, 100 %\n\n" + "long " * 8000
WITHOUT = {
    "python3": (),
    "node": ("python3",),
    "bash": ("python3", "node", "curl"),
}
"""What asks, and what has to be out of its way."""


@pytest.fixture(scope="module")
def engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="module")
def backend(engine):
    with lanes.docker_backend(engine) as made:
        yield made


class Reader:
    """Notes what it is asked for."""

    def __init__(self):
        self.asked = []
        self.threads = set()

    def __call__(self, use):
        self.asked.append(use.arguments)
        self.threads.add(threading.current_thread())
        missing = use.arguments["url"].endswith("missing")
        text = "[Could not be read: HTTP 404 Not Found]" if missing else PAGE
        return ToolAnswer(call_id=use.call_id, text=text, is_error=missing)


@pytest.fixture(scope="module", params=["python:3.13-slim", "node:20-slim"])
def place(backend, request):
    """A sandbox with the command, who answers, and the events."""
    reader, events = Reader(), []
    spec = SandboxSpec(
        run_id=lanes.new_run_id(),
        image=request.param,
        policy=EgressPolicy(),
        door_host=HOST,
        doorkeeper=Door(reader).answer,
    )
    with backend.open(spec, events.append) as sandbox:
        sandbox.put_file("/.quickstarted/bin/read_docs", shell_command(), mode=0o755)
        yield sandbox, reader, events


def run(place, command, *, without=()):
    sandbox, reader, _ = place
    reader.asked.clear()
    hide = (
        "mkdir -p /tmp/hide; for f in /usr/bin/* /usr/local/bin/* /bin/*; do"
        ' ln -sf "$f" /tmp/hide/; done; ' + " ".join(f"rm -f /tmp/hide/{name};" for name in without)
    )
    path = "/tmp/hide" if without else "$PATH"
    script = f"{hide if without else ':;'} PATH=/.quickstarted/bin:{path}; {command}"
    return sandbox.run_clean(script, lanes.QUICK, env={"_QS_DOOR": READ_URL})


@pytest.mark.parametrize("tool", WITHOUT)
def test_a_page_is_printed_as_it_is(place, tool):
    result = run(place, "read_docs https://docs.example.org/ | cat", without=WITHOUT[tool])

    assert result.exit_code == 0
    assert result.output.rstrip("\n")[:200] == PAGE[:200]
    assert result.output_bytes == len(PAGE.encode()) + 1
    assert place[1].asked == [{"url": "https://docs.example.org/"}]


@pytest.mark.parametrize("tool", WITHOUT)
def test_a_page_that_is_not_there_is_exit_code_1_with_the_reason(place, tool):
    result = run(place, "read_docs https://docs.example.org/missing 2", without=WITHOUT[tool])

    assert (result.exit_code, result.output) == (1, "[Could not be read: HTTP 404 Not Found]\n")
    assert place[1].asked == [{"url": "https://docs.example.org/missing", "page": 2}]


@pytest.mark.parametrize("call", ["read_docs", "read_docs ''", "read_docs --help"])
def test_a_call_without_a_url_is_told_how(place, call):
    result = run(place, call)

    assert result.exit_code == 2
    assert "usage: read_docs URL [PAGE]" in result.output
    assert place[1].asked == []


def test_nothing_of_it_is_on_record_as_egress_and_no_thread_of_the_attempt_reads(place):
    sandbox, reader, events = place
    run(place, "read_docs https://docs.example.org/")
    sandbox.drain_egress()

    assert events == []
    assert threading.current_thread() not in reader.threads
