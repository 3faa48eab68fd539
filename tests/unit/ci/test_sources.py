"""Which file, and which line, a failed attempt is about."""

import pytest

from fakes.attempts import docs_fetch, result
from quickstarted.ci.checkout import Checkout
from quickstarted.ci.outcomes import Outcome, TaskFile
from quickstarted.ci.sources import Place, place_of

URL = "https://docs.example/start/"
TASK = "name: start\ngoal: x\nreplay:\n  - pip install flsk\n"


@pytest.fixture
def root(tmp_path):
    for name, text in {
        "tasks/start.yaml": TASK,
        "docs/start.md": "# Start\n\n    $ pip install flsk\n",
        "docs/other.md": "# Other\n",
        "site/start/index.html": "<pre>pip install flsk</pre>",
        "guide/quick.rst": "Quick\n=====\n",
        "guide/_build/html/quick.html": "<p>",
        "handmade/page.html": "<html>\n<pre>pip install flsk</pre>",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def outcome(root, pages, *, command="pip install flsk", kind="docs_gap", metadata=None, sites=None):
    return Outcome(
        run=result(kind, metadata=metadata or {}),
        lines=("x",),
        task_file=TaskFile(path=str(root / "tasks" / "start.yaml"), text=TASK, sites=sites or {}),
        pages=tuple(pages),
        failed_command=command,
    )


def found(root, *args, **more):
    checkout = Checkout(root=root, server="https://github.com", repository="o/n")
    return place_of(outcome(root, *args, **more), checkout)


def edit(path):
    return f"https://github.com/o/n/edit/main/{path}"


def test_a_page_with_an_edit_link_is_the_file_and_the_line_of_the_command(root):
    assert Place("docs/start.md", 3) == found(
        root, [docs_fetch(URL, edit_url=edit("docs/start.md"))]
    )


def test_the_page_that_has_the_command_is_meant_rather_than_the_one_read_last(root):
    pages = [
        docs_fetch(URL, edit_url=edit("docs/start.md")),
        docs_fetch("https://docs.example/other/", edit_url=edit("docs/other.md")),
    ]

    assert Place("docs/start.md", 3) == found(root, pages)
    assert Place("docs/other.md", 1) == found(root, pages, command="make test")


def test_an_edit_link_into_another_repository_leaves_the_task(root):
    pages = [docs_fetch(URL, edit_url="https://github.com/other/n/edit/main/docs/start.md")]

    assert Place("tasks/start.yaml", 4) == found(root, pages)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("docs/start.md", Place("docs/start.md", 3)),
        (["docs/other.md", "docs/start.md"], Place("docs/start.md", 3)),
        ("docs", Place("docs/start.md", 3)),
        (["guide", "docs"], Place("docs/start.md", 3)),
        ("guide", Place("tasks/start.yaml", 4)),
        ({URL: "docs/start.md"}, Place("docs/start.md", 3)),
        (
            {"https://docs.example/": "docs/other.md", URL: "docs/start.md"},
            Place("docs/start.md", 3),
        ),
        ("../docs/start.md", Place("docs/start.md", 3)),
        ("docs/*.md", Place("docs/start.md", 3)),
        ({"https://elsewhere.example/": "docs/other.md"}, Place("tasks/start.yaml", 4)),
        ("gone.md", Place("tasks/start.yaml", 4)),
        ("/etc/passwd", Place("tasks/start.yaml", 4)),
        (7, Place("tasks/start.yaml", 4)),
        ([None, {"a": 1}], Place("tasks/start.yaml", 4)),
    ],
)
def test_a_task_can_say_what_its_pages_are_made_from(root, sources, expected):
    assert expected == found(root, [docs_fetch(URL)], metadata={"sources": sources})


@pytest.mark.parametrize(
    ("source", "site", "expected"),
    [
        ("site/start/index.html", "site", Place("docs/start.md", 3)),
        ("guide/_build/html/quick.html", "guide/_build/html", Place("guide/quick.rst", 1)),
        ("handmade/page.html", "handmade", Place("handmade/page.html", 2)),
    ],
)
def test_a_page_of_a_local_build_is_what_it_was_built_from(root, source, site, expected):
    page = docs_fetch(URL, source=str(root / source))

    assert expected == found(root, [page], sites={"https://docs.example/": str(root / site)})


@pytest.mark.parametrize("source", ["https://preview.example/start/", "/elsewhere/start.html"])
def test_a_page_from_elsewhere_leaves_the_task(root, source):
    assert Place("tasks/start.yaml", 4) == found(root, [docs_fetch(URL, source=source)])


def test_what_is_not_the_documentations_fault_is_the_tasks(root):
    page = docs_fetch(URL, edit_url=edit("docs/start.md"))

    assert Place("tasks/start.yaml", 4) == found(root, [page], kind="harness_error")
    assert Place("tasks/start.yaml", 1) == found(root, [page], kind="infra_error", command="")


def test_a_command_of_a_few_letters_is_not_looked_for(root):
    (root / "docs" / "other.md").write_text("# all\n\nls\n")

    page = docs_fetch(URL, edit_url=edit("docs/other.md"))

    assert Place("docs/other.md", 1) == found(root, [page], command="ls")


def test_without_any_file_of_the_repository_there_is_no_place(root, tmp_path_factory):
    elsewhere = Checkout(root=tmp_path_factory.mktemp("elsewhere"))

    assert None is place_of(outcome(root, [docs_fetch(URL)]), elsewhere)
    assert None is place_of(
        Outcome(run=result("docs_gap"), lines=("x",), task_file=TaskFile()), elsewhere
    )
