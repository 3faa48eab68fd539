from quickstarted.authoring.draft import Draft
from quickstarted.authoring.recorded import WITH_KEY, with_recording
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.remains import Server
from quickstarted.authoring.scaffold import task_text
from quickstarted.task import parse_task
from quickstarted.task.findings import warnings_for


class Left:
    files = ("app.py",)
    entries = ("app.py",)
    servers = (Server(5000, 200),)


DRAFT = Draft(name="x", url="https://docs.example/", network_allow=("a.example",))
COMMANDS = [
    Done(command="ls", exit_code=0),
    Done(command="curl https://b.example/", exit_code=22),
    Done(command="touch app.py", exit_code=0),
    Done(command="printf '\x1b[31m' > x", exit_code=0),
    Done(command="flask run &", exit_code=0),
]


def test_keys_are_pointed_at_where_they_stay_and_not_repeated_where_they_do_not():
    typed = [
        Done(command="export TOKEN=hunter2", exit_code=0),
        Done(command="tool login --token hunter2", exit_code=1),
    ]

    draft = with_recording(DRAFT, typed, Left(), [])

    assert ("export TOKEN=hunter2",) == draft.replay
    assert WITH_KEY in draft.replay_comments
    assert "  tool ... (there may be a key in it)  (exit 1)" in draft.replay_comments
    assert "hunter2" not in "".join(draft.replay_comments)


def test_a_recording_becomes_a_valid_task_that_says_what_is_left_out(tmp_path):
    draft = with_recording(DRAFT, COMMANDS, Left(), ["a.example", "b.example"])
    text = task_text(draft, tmp_path / "x.yaml")
    task = parse_task(text.encode(), tmp_path / "x.yaml")

    assert ("touch app.py", "flask run &") == task.replay
    assert ["a.example"] == [allowed.host for allowed in task.network.allow]
    assert "keep" == task.success.leftovers
    assert "http://127.0.0.1:5000/" == task.success.wait_http.url
    assert "there is no app.py" in task.success.script
    assert [] == warnings_for(task)
    for line in (
        "#   ls  (only looks)\n",
        "#   curl https://b.example/  (exit 22)\n",
        "#   printf '[31m' > x  (has characters that do not show themselves)\n",
        "# Refused while this was recorded; add what the documentation asks for:\n#   b.example\n",
    ):
        assert line in text


def test_a_recording_of_nothing_is_a_scaffold(tmp_path):
    class Nothing:
        files, entries, servers = (), (), ()

    draft = with_recording(DRAFT, [], Nothing(), [])
    text = task_text(draft, tmp_path / "x.yaml")
    task = parse_task(text.encode(), tmp_path / "x.yaml")

    assert () == task.replay
    assert "has not been written yet" in task.success.script
    assert "# No command is left: write the documented ones here.\n" in text
