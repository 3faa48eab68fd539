import pytest

from quickstarted.cli import run_cli
from quickstarted.docs.affordances import AGENT_ACCEPT
from quickstarted.docs.store import Store, StoredPage
from quickstarted.task import load_task

PAGE = """\
<main><h1>Start: "a" &amp; {b}</h1><pre><code class="language-sh">pip install x</code></pre></main>
"""


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "start.html").write_text(PAGE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(*args):
    return run_cli(["init", "https://docs.example/start", *args])


SITE = ("--docs-site", "https://docs.example/=site")


def test_a_task_is_written_from_the_page(folder, capsys):
    assert 0 == init(*SITE)

    path = folder / "tasks" / "docs-start.yaml"
    task = load_task(path)
    said = capsys.readouterr()
    assert ("docs-start", ("https://docs.example/start",)) == (task.name, task.route)
    assert 'the page "Start: "a" & {b}"' in task.goal
    assert folder / "site" == task.docs.sites["https://docs.example/"].folder
    assert "#   - pip install x\n" in path.read_text()
    assert 'read "Start: "a" & {b}": 1 shell command' in said.err
    assert "tasks/docs-start.yaml: written" in said.out
    assert "tasks/task.schema.json: written" in said.out
    assert 0 == run_cli(["validate"])


def test_the_schema_stands_where_the_first_line_says(folder):
    assert 0 == init(*SITE, "--out", "deep/er/x.yaml")

    first = (folder / "deep" / "er" / "x.yaml").read_text().splitlines()[0]
    assert (folder / "deep" / "er" / first.partition("$schema=")[2]).is_file()


def test_a_page_that_cannot_be_read_is_said_and_the_task_is_written(folder, capsys):
    assert 0 == init("--docs-site", "https://docs.example/start/=site")

    assert "note: the page could not be read: " in capsys.readouterr().err
    text = (folder / "tasks" / "docs-start.yaml").read_text()
    assert "# The page could not be read when this file was made: " in text


def test_a_page_that_is_kept_is_read_offline(folder, capsys):
    html = (("content-type", "text/html"),)
    page = StoredPage(status=200, headers=html, body=PAGE.encode())
    Store(folder / "kept", 1_000_000).put((AGENT_ACCEPT, "https://docs.example/start"), page)

    assert 0 == init("--offline", "--cache-dir", "kept")

    assert 'read "Start: "a" & {b}": 1 shell command' in capsys.readouterr().err


def test_how_the_page_is_fetched_is_said_without_contradiction(folder, capsys):
    assert 3 == init("--offline", "--refresh")

    assert "--offline and --refresh contradict each other" in capsys.readouterr().err


def test_name_goal_and_image_can_be_given(folder):
    assert 0 == init(*SITE, "--name", "mine", "--goal", "Do: it", "--image", "node:22-slim")

    task = load_task(folder / "tasks" / "mine.yaml")
    assert ("mine", "Do: it", "node:22-slim") == (task.name, task.goal, task.image)


def test_an_existing_file_is_left_as_it_is(folder, capsys):
    assert 0 == init(*SITE)
    path = folder / "tasks" / "docs-start.yaml"
    path.write_text("mine")

    assert 3 == init(*SITE)
    assert "docs-start.yaml is there already" in capsys.readouterr().err
    assert "mine" == path.read_text()


def test_a_registry_as_documentation_is_warned_about(folder, capsys):
    assert 0 == run_cli(
        ["init", "https://pypi.org/project/x/", "--docs-site", "https://pypi.org/=site"]
    )

    assert "installs from it would be refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--name", "a b"], "would not be a valid task: name: expected letters"),
        (["--goal", " "], "would not be a valid task: goal: is empty"),
        (["--out", "site"], "site is a folder"),
        (["--out", "x.txt"], "does not end in .yaml"),
        (["--out", "site/start.html/x.yaml"], "site/start.html is a file, and no folder"),
        (["--docs-site", "site"], "write it as PREFIX=DIR"),
        (["--docs-site", "https://docs.example/=missing"], "there is no folder"),
        (["--docs-site", "docs.example=site"], "is not an http:// or https:// URL"),
        (["--yes"], "--yes goes with --record"),
        (["--allow", "a.example"], "--allow goes with --record"),
    ],
)
def test_a_wrong_call_ends_with_3_and_writes_nothing(folder, capsys, args, why):
    assert 3 == init(*args)

    assert why in capsys.readouterr().err
    assert [] == list(folder.glob("**/*.yaml"))
