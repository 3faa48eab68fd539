"""Which file of a repository a path or an address is."""

import pytest

from quickstarted.ci.checkout import MAX_SOURCE_BYTES, Checkout

HERE = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/n"}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("one\ntwo\n")
    (tmp_path / "docs" / "with space.md").write_text("")
    return tmp_path


def github(root, **more):
    return Checkout.of({"GITHUB_WORKSPACE": str(root), **HERE, **more}, root)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ("", "")),
        ({"GITHUB_WORKSPACE": "", **HERE}, ("", "")),
        ({"GITHUB_WORKSPACE": "{root}", **HERE}, ("https://github.com", "o/n")),
        (
            {
                "CI_PROJECT_DIR": "{root}",
                "CI_SERVER_URL": "https://gitlab.example",
                "CI_PROJECT_PATH": "g/s/n",
            },
            ("https://gitlab.example", "g/s/n"),
        ),
    ],
)
def test_the_repository_is_the_one_that_the_ci_system_names(root, environ, expected):
    environ = {name: value.format(root=root) for name, value in environ.items()}
    checkout = Checkout.of(environ, root)

    assert (root.resolve(), *expected) == (checkout.root, checkout.server, checkout.repository)


def test_a_checkout_in_a_folder_of_the_workspace_is_the_repository(root):
    for name in ("one/.git", "one/docs", "two/docs"):
        (root / name).mkdir(parents=True)
    environ = {"GITHUB_WORKSPACE": str(root)}

    assert [root / "one", root, root] == [
        Checkout.of(environ, cwd).root for cwd in (root / "one" / "docs", root / "two", root)
    ]
    (root / ".git").mkdir()
    assert root == Checkout.of(environ, root / "one").root


def test_without_a_ci_system_it_is_the_one_around_the_working_directory(root):
    (root / ".git").mkdir()

    assert root.resolve() == Checkout.of({}, root / "docs").root


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/o/n/edit/main/docs/a.md", "docs/a.md"),
        ("https://github.com/O/N/blob/main/docs/a.md?plain=1#L3", "docs/a.md"),
        ("https://github.com/o/n/edit/release/1.0/docs/a.md", "docs/a.md"),
        ("https://github.com/o/n/edit/main/docs/with%20space.md", "docs/with space.md"),
        ("https://github.com/o/n/edit/main/docs/gone.md", "docs/gone.md"),
        ("https://github.com/other/n/edit/main/docs/a.md", None),
        ("https://github.example/o/n/edit/main/docs/a.md", None),
        ("https://github.com/o/n/edit/main", None),
        ("https://github.com/o/n/edit/main/../../etc/passwd", None),
        ("https://github.com/o/n/issues/new", None),
        ("", None),
    ],
)
def test_an_address_is_a_file_where_it_is_of_this_very_repository(root, url, expected):
    assert expected == github(root).from_url(url)


def test_addresses_of_gitlab_are_read_as_well(root):
    environ = {
        "CI_PROJECT_DIR": str(root),
        "CI_SERVER_URL": "https://gitlab.example",
        "CI_PROJECT_PATH": "g/s/n",
    }

    assert "docs/a.md" == Checkout.of(environ, root).from_url(
        "https://gitlab.example/g/s/n/-/edit/main/docs/a.md"
    )


def test_no_address_is_a_file_of_an_unknown_repository(root):
    assert None is Checkout(root=root).from_url("https://github.com/o/n/edit/main/docs/a.md")


def test_what_lies_outside_has_no_name_and_is_not_there(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.md").write_text("")
    (root / "link.md").symlink_to(outside / "x.md")
    checkout = github(root)

    assert [None, None, "docs/a.md"] == [
        checkout.named(path)
        for path in (outside / "x.md", root / "link.md", root / "docs" / "a.md")
    ]
    assert [False, False, True] == [
        checkout.has(name) for name in ("../x.md", "link.md", "docs/a.md")
    ]


def test_lines_of_what_cannot_be_read_or_is_too_large_are_none(root):
    with (root / "large.md").open("wb") as stream:
        stream.truncate(MAX_SOURCE_BYTES + 1)
    checkout = github(root)

    assert [["one", "two"], [], [], []] == [
        checkout.lines(name) for name in ("docs/a.md", "docs", "gone.md", "large.md")
    ]
