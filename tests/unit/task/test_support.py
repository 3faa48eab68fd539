import pytest

from quickstarted.task import not_yet_supported


def test_what_works_is_not_refused(load, tmp_path):
    task = load(
        "tags: [a]\nmetadata: {a: 1}\nimage: x\nplatform: linux/amd64\nuser: root\n"
        "network: {allow: [a.example], only: [], private: [a.example], paths: {a.example: [/x]}, "
        "websocket: [a.example], max_upload: 1m, max_download: none}\n"
        "env: {A: b}\nworkspace: .\nsetup: [a]\nservices: [a]\nreplay: [a]\nteardown: [a]\n"
        "budgets: {max_turns: 1, max_seconds: 1, max_tokens: 1, max_cost_usd: 0.5}\n"
        "resources: {memory: 1g, cpus: 1, pids: 5, disk: 1g}\n",
        docs="docs: {path: [https://d.example/], headers: {d.example: {A: $B}}, sites: "
        f"{{https://d.example/: {tmp_path}, https://d.example/a/: https://p.example/}}}}\n",
        success="success: {script: a, serve: b, wait_http: {path: /}, leftovers: keep}\n",
    )

    assert not_yet_supported(task) == []


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("resources: {gpus: all}", "7:13 resources.gpus: "),
    ],
)
def test_what_does_not_work_yet_is_named_with_its_place(load, extra, expected):
    task = load(extra)

    (line,) = not_yet_supported(task)
    assert line.startswith(f"{task.source.path}:{expected}")
