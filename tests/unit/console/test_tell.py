import pytest

from fakes.attempts import T0, agent_turn, docs_fetch, run_start, success_check
from quickstarted import events as ev
from quickstarted.console.lines import plain_lines, shown
from quickstarted.console.narrate import Narrator
from quickstarted.console.tell import tell
from quickstarted.events import EVENT_TYPES

SAID = [
    (
        run_start(agent="claude", model="m-1", attempt=2),
        ["0.0s run      flask by claude (m-1)", "attempt 2, affordances all, docker  enforced"],
    ),
    (
        run_start(enforced=False, backend="local"),
        ["0.0s run      flask by replay", "attempt 1, affordances all, local  NOTHING ENFORCED"],
    ),
    (
        ev.SandboxReady(
            ts=T0,
            image="python:3.13-slim",
            image_id="sha256:0123456789abcdef",
            image_digest=None,
            architecture="arm64",
            duration=0.7,
        ),
        ["0.0s sandbox  python:3.13-slim (0123456789ab, arm64)  ready in 0.7 s"],
    ),
    (
        ev.SandboxReady(
            ts=T0,
            image="python:3.13-slim",
            image_id="sha256:0123456789abcdef",
            image_digest=None,
            stand_in="our:one",
            architecture="arm64",
            duration=0.7,
        ),
        ["0.0s sandbox  python:3.13-slim (stand-in our:one, 0123456789ab, arm64)  ready in 0.7 s"],
    ),
    (
        ev.SandboxReady(
            ts=T0,
            image="local",
            image_id="local:linux-amd64",
            image_digest=None,
            architecture="amd64",
            duration=0.1,
            notes=["nothing is enforced", "the image x:1 is ignored"],
        ),
        [
            "0.0s sandbox  local (linux-amd64, amd64)  ready in 0.1 s",
            "note     nothing is enforced",
            "note     the image x:1 is ignored",
        ],
    ),
    (
        ev.Setup(ts=T0, command="git init", exit_code=127, output="sh: git: not found\n"),
        ["0.0s setup    git init  exit 127", "| sh: git: not found"],
    ),
    (
        ev.Setup(ts=T0, command="sleep 9", exit_code=124, output="", timed_out=True),
        ["0.0s setup    sleep 9  ran out of time"],
    ),
    (
        ev.Service(ts=T0, command="redis-server", state="started"),
        ["0.0s service  redis-server  started"],
    ),
    (
        ev.Service(ts=T0, command="redis-server", state="exited", exit_code=1, output="oom\n"),
        ["0.0s service  redis-server  ended, exit 1", "| oom"],
    ),
    (agent_turn(ts=T0), []),
    (agent_turn(ts=T0, text="I will read on."), []),
    (
        ev.ToolCall(ts=T0, tool="python", refused="there is no tool of this name"),
        ["0.0s tool     python  not carried out: there is no tool of this name"],
    ),
    (ev.ToolCall(ts=T0, tool="bash", restart=True), ["0.0s $        (a new shell)"]),
    (
        ev.AgentFinal(ts=T0, text="Done.\nBye."),
        ["0.0s agent    says at the end:", "| Done.", "| Bye."],
    ),
    (
        ev.ApiRetry(ts=T0, turn=1, attempt=2, sleep=4, error="529"),
        ["0.0s retry    529  try 2 failed, again in 4.0 s"],
    ),
    (docs_fetch(ts=T0, chars=8120), ["0.0s read     https://docs.example/  8,120 chars"]),
    (
        docs_fetch(ts=T0, chars=20000, original_chars=31874, truncated=True, from_cache=True),
        ["0.0s read     https://docs.example/  20,000 of 31,874 chars, from the cache"],
    ),
    (
        docs_fetch(ts=T0, chars=11874, original_chars=31874, truncated=True, page=2, pages=2),
        ["0.0s read     https://docs.example/  11,874 of 31,874 chars, page 2 of 2"],
    ),
    (
        docs_fetch(ts=T0, chars=8120, content_type="text/markdown"),
        ["0.0s read     https://docs.example/  8,120 chars, as Markdown"],
    ),
    (
        docs_fetch(ts=T0, chars=8120, content_type="text/markdown", source="/site/index.md"),
        ["0.0s read     https://docs.example/  8,120 chars"],
    ),
    (
        ev.DocsChanged(ts=T0, url="https://docs.example/", content_hash="sha256:1"),
        ["0.0s changed  https://docs.example/  differs from the cached page"],
    ),
    (
        ev.FetchBlocked(
            ts=T0, url="https://x.example/", reason="private_address", detail="10.0.0.1"
        ),
        ["0.0s refused  https://x.example/  private_address: 10.0.0.1"],
    ),
    (
        ev.FetchError(ts=T0, url="https://x.example/", error="404 Not Found"),
        ["0.0s unread   https://x.example/  404 Not Found"],
    ),
    (
        ev.AffordanceWithheld(ts=T0, url="https://x.example/llms.txt"),
        ["0.0s refused  https://x.example/llms.txt  withheld (affordances none)"],
    ),
    (
        ev.Affordances(
            ts=T0,
            entrypoint="https://x.example/",
            found={"llms.txt": {"present": True}, "md": {"present": False}},
        ),
        ["0.0s found    for agents at https://x.example/:  llms.txt"],
    ),
    (
        ev.LeftProcesses(ts=T0, processes=["redis-server", "sh"], action="reaped"),
        ["0.0s left     redis-server, sh  reaped"],
    ),
    (ev.SandboxRestarted(ts=T0, reason="fork bomb"), ["0.0s restart  fork bomb"]),
    (
        ev.Fault(ts=T0, component="engine", error="gone", hint="Start it."),
        ["0.0s fault    engine: gone", "Start it."],
    ),
    (success_check(0, ts=T0, output="fine\n"), ["0.0s check    passed  ok"]),
    (
        success_check(1, ts=T0, duration=2.0, output="check failed: x\n"),
        ["0.0s check    failed  exit 1 (2.0 s)", "| check failed: x"],
    ),
    (
        ev.Teardown(ts=T0, command="rm -r x", exit_code=0, output=""),
        ["0.0s teardown rm -r x  ok"],
    ),
    (
        ev.SandboxSaved(ts=T0, image="quickstarted/kept:1", expires=T0),
        ["0.0s kept     quickstarted/kept:1  for `check --sandbox`"],
    ),
    (
        ev.RunEnd(ts=T0, stop_reason="max_turns", passed=False, classification="budget_exhausted"),
        ["0.0s end      stopped as max_turns  BUDGET budget_exhausted"],
    ),
    (ev.UnknownEvent(ts=T0, type="dream", of="sheep"), []),
]


@pytest.mark.parametrize(("event", "lines"), SAID, ids=lambda value: getattr(value, "type", ""))
def test_what_an_event_says(event, lines):
    entries = shown(Narrator().hear(event), verbose=False)

    assert lines == [line.strip() for entry in entries for line in plain_lines(entry)]


def test_every_event_type_has_its_own_words():
    counted = {"egress_allowed", "egress_blocked", "egress_error", "tool_result"}
    unknown = tell.dispatch(ev.EventBase)

    assert counted == {
        name for name, model in EVENT_TYPES.items() if tell.dispatch(model) is unknown
    }


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (
            agent_turn(3, ts=T0, cache_read_tokens=1000),
            ["0.0s turn     3 model-a  1,010 tokens in, 5 out, tool_use"],
        ),
        (
            agent_turn(3, ts=T0, text="First the page,\nthen the shell."),
            [
                "0.0s turn     3 model-a  10 tokens in, 5 out, tool_use",
                "| First the page,",
                "| then the shell.",
            ],
        ),
        (
            ev.Affordances(
                ts=T0,
                entrypoint="https://x.example/",
                found={
                    "llms.txt": {"present": True, "bytes": 3400, "note": "redirects to /x"},
                    "page.md": {"present": False, "note": "HTTP 404"},
                    "of another version": True,
                },
            ),
            [
                "0.0s found    for agents at https://x.example/:  llms.txt, of another version",
                "llms.txt  3.4 kB, redirects to /x",
                "page.md  absent: HTTP 404",
                "of another version  present",
            ],
        ),
        (ev.UnknownEvent(ts=T0, type="dream", of="sheep"), ['0.0s dream    {"of": "sheep"}']),
        (success_check(0, ts=T0, output="fine\n"), ["0.0s check    passed  ok", "| fine"]),
    ],
)
def test_those_who_want_everything_get_more(event, lines):
    entries = shown(Narrator(verbose=True).hear(event), verbose=True)

    assert lines == [line.strip() for entry in entries for line in plain_lines(entry)]
