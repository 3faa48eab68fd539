"""`--changed-since`, with a real git."""

import subprocess
from textwrap import dedent

import pytest

from quickstarted.agents import agent_named
from quickstarted.arms import Arm
from quickstarted.condition import Condition
from quickstarted.errors import UsageError
from quickstarted.matrix import Cell
from quickstarted.matrix.changes import changes_since
from quickstarted.task import load_task

TASK = """\
name: {name}
goal: Do as the page says.
docs:
  path: [https://docs.example/]
  sites: {{"https://docs.example/": ../site/{name}}}
workspace: start/{name}
success: {{file: checks/{name}.sh}}
metadata: {{sources: {sources}}}
"""


class Checkout:
    """A repository with the tasks a and b, committed as `before`."""

    def __init__(self, root):
        self.root = root
        self.git("init", "--quiet", "--initial-branch", "main")
        self.write(".gitignore", "*.log\n")
        for name in "ab":
            self.task(name)
        self.commit("before")
        self.git("tag", "before")

    def git(self, *arguments):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    def write(self, name, text="x"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, message):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def task(self, name, sources=""):
        self.write(f"site/{name}/index.html")
        self.write(f"tasks/start/{name}/main.py")
        self.write(f"tasks/checks/{name}.sh", "true")
        return self.write(f"tasks/{name}.yaml", TASK.format(name=name, sources=sources))

    def cells(self, **arms):
        folders = [
            Arm(name=name, folder=folder, content_hash="sha256:x") for name, folder in arms.items()
        ] or [Arm()]
        return [
            Cell(
                task=load_task(path),
                agent=agent_named("claude"),
                condition=Condition(arm=arm.name),
                arm=arm,
                repeat=1,
            )
            for path in sorted((self.root / "tasks").glob("*.yaml"))
            for arm in folders
        ]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    root = tmp_path / "repository"
    root.mkdir()
    monkeypatch.chdir(root)
    return Checkout(root)


def changed(cells, revision="before"):
    changes = changes_since(revision, cells)
    kept = [f"{cell.task.name} {cell.arm.name}" for cell in cells if changes.concerns(cell)]
    return kept, changes.untold


def test_where_nothing_has_changed_no_task_has(checkout):
    assert ([], {}) == changed(checkout.cells())


@pytest.mark.parametrize(
    "name",
    [
        "tasks/a.yaml",
        "tasks/checks/a.sh",
        "tasks/start/a/main.py",
        "tasks/start/a/new/file.py",
        "site/a/index.html",
        "site/a/deep/new.html",
    ],
)
@pytest.mark.parametrize("how", ["committed", "staged", "in the folder only"])
def test_a_changed_input_concerns_its_task_alone(checkout, name, how):
    text = TASK.format(name="a", sources="") + "# changed\n" if name == "tasks/a.yaml" else "y"
    checkout.write(name, text)
    if how != "in the folder only":
        checkout.git("add", "--all")
    if how == "committed":
        checkout.commit("after")

    assert (["a docs"], {}) == changed(checkout.cells())


def test_a_removed_input_is_a_changed_one(checkout):
    checkout.write("site/b/other.html")
    checkout.commit("more")
    checkout.git("tag", "more")
    (checkout.root / "site/b/other.html").unlink()

    assert (["b docs"], {}) == changed(checkout.cells(), "more")


def test_other_files_concern_no_task(checkout):
    checkout.write("README.md")
    checkout.write("site/c/index.html")
    checkout.write("tasks/start/a/trace.log")

    assert ([], {}) == changed(checkout.cells())


def test_what_the_other_branch_has_changed_meanwhile_is_no_change_of_this_one(checkout):
    checkout.git("checkout", "--quiet", "-b", "mine")
    checkout.write("site/a/index.html", "mine")
    checkout.commit("mine")
    checkout.git("checkout", "--quiet", "main")
    checkout.write("site/b/index.html", "theirs")
    checkout.commit("theirs")
    checkout.git("checkout", "--quiet", "mine")

    assert (["a docs"], {}) == changed(checkout.cells(), "main")


def test_branches_without_a_common_commit_differ_in_all_that_differs(checkout):
    checkout.git("checkout", "--quiet", "--orphan", "alone")
    checkout.write("site/b/index.html", "alone")
    checkout.commit("alone")

    assert (["b docs"], {}) == changed(checkout.cells())


def test_the_folder_of_an_arm_concerns_its_cells(checkout):
    checkout.write("skill/AGENTS.md")

    assert (["a skill", "b skill"], {}) == changed(
        checkout.cells(docs=None, skill=checkout.root / "skill")
    )


@pytest.mark.parametrize(
    "sources",
    [
        "guide/start.md",
        "[guide/start.md, guide/other.md]",
        "{https://docs.example/: guide/start.md}",
        "guide",
        "guide/*.md",
        "../guide/start.md",
        "[{x: [guide/start.md]}]",
    ],
)
def test_what_the_pages_are_made_from_concerns_the_task(checkout, sources):
    checkout.write("guide/start.md")
    checkout.write("guide/other.md")
    checkout.task("a", sources)
    checkout.commit("sources")
    checkout.git("tag", "sources")
    assert ([], {}) == changed(checkout.cells(), "sources")

    checkout.write("guide/start.md", "changed")

    assert (["a docs"], {}) == changed(checkout.cells(), "sources")


def test_a_source_that_is_not_there_is_said_and_the_task_is_run(checkout):
    checkout.task("a", "guide/missing.md")
    checkout.commit("sources")

    assert (
        ["a docs"],
        {"a": "metadata.sources names guide/missing.md, and there is no such file"},
    ) == changed(checkout.cells(), "HEAD")


def test_metadata_that_names_no_files_is_left_alone(checkout):
    checkout.task("a", "[3, null, true, '']")
    checkout.commit("sources")

    assert ([], {}) == changed(checkout.cells(), "HEAD")


def test_a_build_that_git_ignores_cannot_be_told_unless_its_sources_are_named(checkout):
    checkout.write(".gitignore", "/site/a/\n")
    checkout.git("rm", "-r", "--quiet", "--cached", "site/a")
    checkout.commit("ignored")

    assert (["a docs"], {"a": f"git ignores {checkout.root / 'site/a'}"}) == changed(
        checkout.cells(), "HEAD"
    )

    checkout.write("guide.md")
    checkout.task("a", "guide.md")
    checkout.commit("sources")
    assert ([], {}) == changed(checkout.cells(), "HEAD")


def test_a_task_outside_of_the_repository_cannot_be_told(checkout, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    path = folder / "c.yaml"
    path.write_text(
        dedent("""\
            name: c
            goal: x
            docs: {path: [https://docs.example/]}
            success: {script: 'true'}
            """)
    )
    (cell, *_) = checkout.cells()
    outside = Cell(
        task=load_task(path),
        agent=cell.agent,
        condition=cell.condition,
        arm=cell.arm,
        repeat=1,
    )

    assert (["c docs"], {"c": f"{path} lies outside of the repository"}) == changed([outside])


def test_a_linked_task_changes_with_what_it_leads_to(checkout):
    path = checkout.write("far/real.yaml", TASK.format(name="linked", sources=""))
    for name in ("far/start/linked/x", "site/linked/x", "tasks/start/linked/x"):
        checkout.write(name)
    checkout.write("far/checks/linked.sh", "true")
    checkout.write("tasks/checks/linked.sh", "true")
    (checkout.root / "tasks/linked.yaml").symlink_to(path)
    checkout.commit("linked")
    checkout.git("tag", "linked")
    assert ([], {}) == changed(checkout.cells(), "linked")

    path.write_text(path.read_text() + "# changed\n")

    assert (["linked docs"], {}) == changed(checkout.cells(), "linked")


def test_a_file_with_an_odd_name_is_found(checkout):
    checkout.write('site/a/page with\nnewline \u00e9 and "quotes".html')

    assert (["a docs"], {}) == changed(checkout.cells())


def test_a_submodule_is_changed_as_a_whole(checkout, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    inner = Checkout(other)
    checkout.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(other), "m")
    checkout.task("a", "m/README.md")
    (checkout.root / "m/README.md").write_text("x")
    subprocess.run(["git", "add", "--all"], cwd=checkout.root / "m", check=True)
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, "commit", "-q", "-m", "x"], cwd=checkout.root / "m", check=True)
    checkout.commit("submodule")
    checkout.git("tag", "submodule")
    assert ([], {}) == changed(checkout.cells(), "submodule")

    (checkout.root / "m/README.md").write_text("changed")

    assert (["a docs"], {}) == changed(checkout.cells(), "submodule")
    assert inner.root == other


@pytest.mark.parametrize("revision", ["nowhere", "", "--help", "-1", "HEAD..main", "HEAD:README"])
def test_what_is_no_commit_is_refused(checkout, revision):
    with pytest.raises(UsageError) as caught:
        changes_since(revision, [])

    assert (
        f"--changed-since {revision}: git knows no such commit here\n"
        "In CI, fetch it first: a shallow checkout has one commit (fetch-depth: 0)."
    ) == str(caught.value)


def test_outside_of_a_repository_nothing_can_be_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(UsageError) as caught:
        changes_since("HEAD", [])

    assert caught.value.message.startswith(
        f"--changed-since: {tmp_path} is in no git repository: not a git repository"
    )


def test_without_git_it_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UsageError, match="asks git, and there is none on this machine"):
        changes_since("HEAD", [])


def test_nothing_that_the_repository_configures_is_run(checkout):
    mark = checkout.root / "mark"
    for name in ("diff.external", "core.fsmonitor", "diff.x.textconv"):
        checkout.git("config", name, f"touch {mark}; true")
    checkout.write(".gitattributes", "*.html diff=x\n")
    checkout.write("site/a/index.html", "changed")

    assert (["a docs"], {}) == changed(checkout.cells())
    assert not mark.exists()
