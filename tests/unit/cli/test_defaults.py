"""`quickstarted.yaml`: where it is found, what it may say, and that what is typed wins."""

import json
from textwrap import dedent

import click
import pytest
from click.testing import CliRunner

from fakes.program import write_task
from quickstarted.cli.defaults import NUMBERS, find_defaults, read_defaults
from quickstarted.cli.run import command
from quickstarted.errors import FileInvalid

BODY = "success: {script: 'true'}\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    write_task(tmp_path, BODY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, text):
    path = folder / "quickstarted.yaml"
    path.write_text(dedent(text))
    return path


def problems(path):
    with pytest.raises(FileInvalid) as caught:
        read_defaults(path, command)
    return caught.value.problems


def planned(*flags):
    done = CliRunner().invoke(
        command, ["probe.yaml", "--plan", "--json", *flags], catch_exceptions=False
    )
    assert 0 == done.exit_code, done.output
    return json.loads(done.stdout)


def test_the_nearest_file_is_found_up_to_the_root_of_the_repository(tmp_path, monkeypatch):
    (tmp_path / "above.d").mkdir()
    root = tmp_path / "above.d" / "repository"
    deep = root / "docs" / "deep"
    deep.mkdir(parents=True)
    (root / ".git").mkdir()
    monkeypatch.chdir(deep)
    write(tmp_path / "above.d", "run: {}")
    assert find_defaults(deep) is None

    at_root = write(root, "run: {}")
    assert at_root == find_defaults(deep)

    nearer = write(root / "docs", "run: {}")
    assert nearer == find_defaults(deep)


def test_outside_of_a_repository_only_the_folder_itself_is_looked_at(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write(tmp_path, "run: {}")
    assert find_defaults(folder) is None

    write(folder, "run: {}")
    assert "quickstarted.yaml" == str(find_defaults(folder))


def test_a_task_of_that_name_is_not_meant(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "tasks").mkdir()
    write_task(tmp_path / "tasks", BODY, name="quickstarted")
    monkeypatch.chdir(tmp_path / "tasks")
    assert find_defaults(tmp_path / "tasks") is None

    assert write(tmp_path, "run: {}") == find_defaults(tmp_path / "tasks")


def test_everything_wrong_is_said_at_once_with_its_place(repository):
    path = write(
        repository,
        """\
        run:
          workers: many
          out: [results]
          limits: [anthropic=4]
          quiet: 3
          repeat: 4
          max_spend: 3
          resume: true
          allow-unenforced: true
          retries: -1
          upstream-ca: nothing.pem
          limit: [a=1, [b]]
          image:
          colour: red
        """,
    )

    last = "quickstarted.yaml:14:3 run.colour: no option of `run`: there are affordances, "
    *found, colour = problems(find_defaults(repository))
    assert colour.startswith(last.replace("affordances, ", ""))
    assert path.name == "quickstarted.yaml"
    assert [
        "quickstarted.yaml:2:3 run.workers: 'many' is not a valid integer range",
        "quickstarted.yaml:3:3 run.out: expected a value, got a list",
        "quickstarted.yaml:4:3 run.limits: no option of `run`: did you mean `limit`?",
        "quickstarted.yaml:5:3 run.quiet: expected `true` or `false`, got 3",
        (
            "quickstarted.yaml:6:3 run.repeat: is never a default: numbers would change with no"
            " word of it in the call; type it, or name it in a matrix file"
        ),
        "quickstarted.yaml:7:3 run.max_spend: no option of `run`: did you mean `max-spend`?",
        "quickstarted.yaml:8:3 run.resume: is about one call, and no default: type it",
        (
            "quickstarted.yaml:9:3 run.allow-unenforced: lets commands of tasks run on this"
            " machine, and is no default: type it"
        ),
        "quickstarted.yaml:10:3 run.retries: -1 is not in the range x>=0",
        "quickstarted.yaml:11:3 run.upstream-ca: file 'nothing.pem' does not exist",
        "quickstarted.yaml:12:16 run.limit[1]: expected a value, got a list",
        "quickstarted.yaml:13:3 run.image: expected a value, got nothing",
    ] == found


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_what_an_attempt_is_is_never_a_default(repository, name):
    write(repository, f"run: {{{name}: x}}")

    assert [
        (
            f"quickstarted.yaml:1:7 run.{name}: is never a default: numbers would change with no"
            " word of it in the call; type it, or name it in a matrix file"
        )
    ] == problems(find_defaults(repository))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "",
            (
                "1:1: the file is empty: it is a map with `run:`, and options of `quickstarted run`"
                " below it"
            ),
        ),
        ("workers: 4", "1:1 workers: unknown key: known here are run"),
        ("runs: {}", "1:1 runs: unknown key: did you mean `run`?"),
        ("run: [workers]", "1:1 run: expected a map, got a list"),
        ("run: {workers: 1, workers: 2}", ("1:19 run.workers: this key is given twice; the first is"
         " on line 1")),
    ],
)  # fmt: skip
def test_what_is_no_such_file_is_refused(repository, text, said):
    write(repository, text)

    assert [f"quickstarted.yaml:{said}"] == problems(find_defaults(repository))


def test_an_invalid_file_ends_the_call_as_a_usage_error(repository):
    write(repository, "run: {workers: 0}")

    with pytest.raises(FileInvalid) as caught:
        CliRunner().invoke(command, ["probe.yaml", "--plan"], catch_exceptions=False)

    assert 3 == caught.value.exit_code
    assert "quickstarted.yaml:1:7 run.workers: 0 is not in the range x>=1" == str(caught.value)


def test_an_option_that_is_not_typed_is_taken_from_the_file(repository):
    write(repository, "run: {workers: 4, max-spend: 2.50}")

    plan = planned()

    assert (4, 2.5) == (plan["workers"], plan["max_spend_usd"])
    assert {
        "file": "quickstarted.yaml",
        "options": {"workers": "4", "max-spend": "2.50"},
    } == plan["defaults"]


@pytest.mark.parametrize(("typed", "workers"), [("1", 1), ("3", 3), ("4", 4)])
def test_what_is_typed_wins_also_where_it_is_the_programs_default(repository, typed, workers):
    write(repository, "run: {workers: 4, max-spend: 3}")

    plan = planned("--workers", typed)

    assert workers == plan["workers"]
    assert {"max-spend": "3"} == plan["defaults"]["options"]


def test_a_list_that_is_typed_stands_in_place_of_the_files(repository):
    write(repository, "run: {limit: [anthropic=3, openai=3]}")

    assert {"limit": ["anthropic=3", "openai=3"]} == planned()["defaults"]["options"]
    assert {} == planned("--limit", "anthropic=1")["defaults"]["options"]


def test_one_value_stands_for_a_list_of_one(repository):
    write(repository, "run: {limit: anthropic=3}")

    assert {"limit": ["anthropic=3"]} == planned()["defaults"]["options"]


def test_with_no_defaults_the_file_is_not_even_read(repository):
    write(repository, "run: {workers: nonsense")

    plan = planned("--no-defaults")

    assert (1, None) == (plan["workers"], plan["defaults"])


def test_paths_begin_in_the_folder_of_the_file(repository, monkeypatch):
    write(
        repository,
        """\
        run:
          out: build/results
          docs-site: ["https://docs.example/=site", "https://docs.example/b=https://p.example/"]
        """,
    )
    (repository / "deep").mkdir()
    assert {
        "out": "build/results",
        "docs-site": ["https://docs.example/=site", "https://docs.example/b=https://p.example/"],
    } == planned()["defaults"]["options"]

    monkeypatch.chdir(repository / "deep")
    found = read_defaults(find_defaults(repository / "deep"), command)

    assert {
        "out": str(repository / "build/results"),
        "docs-site": [
            f"https://docs.example/={repository}/site",
            "https://docs.example/b=https://p.example/",
        ],
    } == found


def test_verbose_says_which_file_gave_which_defaults(repository):
    write(repository, "run: {workers: 2, offline: true}")

    done = CliRunner().invoke(command, ["probe.yaml", "--plan", "--verbose"])

    assert "defaults from quickstarted.yaml: workers 2, offline true\n" == done.stderr
    assert done.stdout.endswith("defaults from quickstarted.yaml: workers 2, offline true\n")


def test_every_option_of_run_is_a_default_or_is_refused_with_a_reason(repository):
    """A new option has to be thought about: one that makes numbers must not become a default."""
    names = {
        name.lstrip("-")
        for param in command.params
        if isinstance(param, click.Option)
        for name in param.opts
    }
    taken = set()
    # One by one: of one file, no more than so many problems are said.
    for name in sorted(names):
        path = write(repository, f"run:\n  {name}: [[]]\n")
        taken |= {name for line in problems(path) if "expected" in line}

    assert TAKEN == taken


TAKEN = {
    "backend",
    "cache-dir",
    "docs-site",
    "durations",
    "github-annotations",
    "github-summary",
    "ignore-robots",
    "image",
    "junit",
    "keep-sandbox",
    "limit",
    "max-spend",
    "min-free-disk",
    "min-free-memory",
    "no-package-cache",
    "offline",
    "out",
    "prices",
    "probe-affordances",
    "quiet",
    "rate-limit",
    "refresh",
    "refresh-prices",
    "retries",
    "strict-inconclusive",
    "upstream-ca",
    "verbose",
    "workers",
}
