import pytest

from quickstarted.errors import FileInvalid
from quickstarted.matrix.file import load_matrix
from quickstarted.matrix.product import cells_of, task_paths
from quickstarted.task import load_task


@pytest.fixture
def product(make_task, write_matrix, tmp_path):
    """The cells of a matrix file over the tasks flask and lxml, or what is wrong with it."""
    make_task("flask", folder=tmp_path / "tasks")
    make_task("lxml", folder=tmp_path / "tasks")
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "AGENTS.md").write_text("hints")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "AGENTS.md").write_text("other hints")

    def make(text):
        matrix = load_matrix(write_matrix(text))
        tasks = [load_task(path) for path in task_paths(matrix)]
        return cells_of(matrix, tasks, matrix.file.repeat)

    return make


@pytest.fixture
def named(product):
    def make(text):
        return [(" ".join(cell.key), cell.repeat) for cell in product(text)]

    return make


@pytest.fixture
def flaws(product, tmp_path):
    def make(text):
        with pytest.raises(FileInvalid) as caught:
            product(text)
        return [line.replace(f"{tmp_path}/", "") for line in caught.value.problems]

    return make


def test_the_cells_are_the_product_of_the_lists(named):
    assert [
        ("flask claude all docs", 2),
        ("flask claude all no-docs", 2),
        ("flask claude none docs", 2),
        ("lxml claude all docs", 2),
        ("lxml claude all no-docs", 2),
        ("lxml claude none docs", 2),
    ] == named("""\
        agents: [claude]
        affordances: [all, none]
        arms: [docs, no-docs]
        repeat: 2
        """)


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        ("{task: flask}", ["lxml claude all docs", "lxml replay all docs"]),
        ("{task: f*}", ["lxml claude all docs", "lxml replay all docs"]),
        ("{agent: claude}", ["flask replay all docs", "lxml replay all docs"]),
        (
            "{agent: 'cl?ude', task: lxml}",
            ["flask claude all docs", "flask replay all docs", "lxml replay all docs"],
        ),
        ("{arm: docs, task: '[fx]*'}", ["lxml claude all docs", "lxml replay all docs"]),
        ("{affordances: all, agent: replay}", ["flask claude all docs", "lxml claude all docs"]),
    ],
)
def test_an_exclude_leaves_out_what_matches_all_of_its_keys(named, exclude, left):
    cells = named(f"agents: [claude, replay]\nexclude: [{exclude}]")

    assert left == [name for name, _ in cells]


@pytest.mark.parametrize(
    ("exclude", "said"),
    [
        (
            "{task: vue}",
            'exclude[0].task: matches nothing: no cell has task "vue"; there are flask, lxml',
        ),
        (
            "{agent: claud}",
            (
                'exclude[0].agent: matches nothing: no cell has agent "claud"; there'
                " are claude, replay"
            ),
        ),
        (
            "{arm: no-docs, task: flask}",
            'exclude[0].arm: matches nothing: no cell has arm "no-docs"; there are docs',
        ),
        (
            "{affordances: none}",
            (
                "exclude[0].affordances: matches nothing: no cell has affordances"
                ' "none"; there are all'
            ),
        ),
    ],
)
def test_an_exclude_that_matches_nothing_is_an_error_that_says_which_key(flaws, exclude, said):
    (line,) = flaws(f"agents: [claude, replay]\nexclude: [{exclude}]")

    assert said == line.partition(" ")[2]


def test_an_exclude_whose_keys_match_no_cell_together_is_an_error(flaws):
    assert [
        (
            'matrix.yaml:4:11 exclude[0]: matches nothing: no cell has affordances "none" and arm'
            ' "no-docs"'
        )
    ] == flaws("""\
        agents: [claude]
        affordances: [all, none]
        arms: [docs, no-docs]
        exclude: [{affordances: none, arm: no-docs}]
        """)


def test_excludes_may_overlap(named):
    assert [("lxml claude all docs", 1)] == named("""\
        agents: [claude, replay]
        exclude: [{task: flask}, {agent: replay}]
        """)


def test_a_file_that_leaves_out_every_cell_is_an_error(flaws):
    assert ["matrix.yaml:2:1 exclude: leaves out every cell"] == flaws("""\
        agents: [claude]
        exclude: [{agent: claude}]
        """)


@pytest.mark.parametrize(
    ("include", "cells"),
    [
        # Those that are there are made so often.
        (
            "{task: flask, repeat: 5}",
            [
                ("flask claude all docs", 5),
                ("flask replay all docs", 5),
                ("lxml claude all docs", 1),
            ],
        ),
        (
            "{agent: claude, repeat: 2}",
            [
                ("flask claude all docs", 2),
                ("flask replay all docs", 1),
                ("lxml claude all docs", 2),
            ],
        ),
        # There is none such, so it is added.
        (
            "{task: lxml, agent: replay}",
            [
                ("flask claude all docs", 1),
                ("flask replay all docs", 1),
                ("lxml claude all docs", 1),
                ("lxml replay all docs", 1),
            ],
        ),
        (
            "{task: flask, affordances: none, repeat: 3}",
            [
                ("flask claude all docs", 1),
                ("flask claude none docs", 3),
                ("flask replay all docs", 1),
                ("flask replay none docs", 3),
                ("lxml claude all docs", 1),
            ],
        ),
        (
            "{task: flask, agent: 'claude:x', arm: no-docs}",
            [
                ("flask claude all docs", 1),
                ("flask replay all docs", 1),
                ("flask claude:x all no-docs", 1),
                ("lxml claude all docs", 1),
            ],
        ),
        (
            "{task: l*, agent: 'claude:x', arm: skill=skill}",
            [
                ("flask claude all docs", 1),
                ("flask replay all docs", 1),
                ("lxml claude all docs", 1),
                ("lxml claude:x all skill", 1),
            ],
        ),
    ],
)
def test_an_include_sets_how_often_cells_are_made_or_adds_them(named, include, cells):
    made = named(f"""\
        agents: [claude, replay]
        exclude: [{{task: lxml, agent: replay}}]
        include: [{include}]
        """)

    assert sorted(cells) == sorted(made)


def test_added_cells_stand_beside_those_of_their_task_and_agent(named):
    assert [
        "flask claude all docs",
        "flask claude none docs",
        "flask replay all docs",
        "lxml claude all docs",
        "lxml replay all docs",
    ] == [
        name
        for name, _ in named("""\
            agents: [claude, replay]
            include: [{task: flask, agent: claude, affordances: none}]
            """)
    ]


def test_without_agents_there_are_only_the_cells_of_include(named):
    assert [("flask replay all docs", 1), ("lxml claude all docs", 4)] == named("""\
        include:
          - {task: flask, agent: replay}
          - {task: lxml, agent: claude, repeat: 4}
        """)


@pytest.mark.parametrize(
    ("include", "said"),
    [
        ("{task: vue}", 'include[0].task: no task is called "vue"; there are flask, lxml'),
        (
            "{task: flask}",
            "include[0]: adds nothing: the matrix has 1 such cell; give a `repeat`, or remove it",
        ),
        (
            "{agent: claude}",
            (
                "include[0]: adds nothing: the matrix has 2 such cells; give a"
                " `repeat`, or remove it"
            ),
        ),
        (
            "{arm: nowhere}",
            (
                "include[0].arm: nowhere: there is no arm 'nowhere'. There are docs and"
                " no-docs; one of your own is written nowhere=FOLDER"
            ),
        ),
        (
            "{task: flask, agent: replay, arm: no-docs}",
            (
                "include[0]: replay runs what the"
                " documentation says, and knows nothing without it: exclude agent replay with arm"
                " no-docs"
            ),
        ),
    ],
)
def test_an_include_that_cannot_be_is_an_error(flaws, include, said):
    (line,) = flaws(f"agents: [claude]\ninclude: [{include}]")

    assert said == line.partition(" ")[2]


def test_an_include_without_an_agent_needs_agents(flaws):
    assert ["matrix.yaml:1:11 include[0]: needs an `agent`: the file has no `agents`"] == flaws(
        "include: [{task: flask}]"
    )


def test_one_arm_is_one_folder(flaws):
    assert [
        "matrix.yaml:3:31 include[0].arm: the arm skill is another folder elsewhere: skill"
    ] == flaws("""\
        agents: [claude]
        arms: [skill=skill]
        include: [{agent: 'claude:x', arm: skill=other}]
        """)


def test_an_include_may_name_an_arm_of_the_list(product, tmp_path):
    cells = product("""\
        agents: [claude]
        arms: [skill=skill, docs]
        include: [{agent: 'claude:x', arm: skill}]
        """)

    assert {tmp_path / "skill"} == {
        cell.arm.folder for cell in cells if cell.agent.name == "claude:x"
    }


def test_replay_without_documentation_is_an_error_that_says_what_to_exclude(flaws, named):
    text = "agents: [claude, replay]\narms: [docs, no-docs]\n"

    assert [
        (
            "matrix.yaml:2:1 arms: replay runs what the documentation says, and knows nothing"
            " without it: exclude agent replay with arm no-docs"
        )
    ] == flaws(text)
    assert 6 == len(named(f"{text}exclude: [{{agent: replay, arm: no-docs}}]"))


def test_a_limit_that_no_cell_can_reach_is_an_error(flaws, named):
    text = "agents: [claude]\nlimits: {anthropic: 1, docs.example: 2"

    assert 2 == len(named(f"{text}}}"))
    assert [
        "matrix.yaml:2:41 limits.antropic: no cell uses antropic; there are anthropic, docs.example"
    ] == flaws(f"{text}, antropic: 3}}")


def test_all_entries_that_are_wrong_are_said_at_once(flaws):
    assert 3 == len(
        flaws("""\
            agents: [claude]
            exclude: [{task: a}, {task: b}]
            include: [{task: c}]
            """)
    )


def test_an_agent_whose_name_has_what_globs_are_made_of_can_be_excluded(named):
    assert ["flask claude all docs", "lxml claude all docs"] == [
        name
        for name, _ in named("""\
            agents: [claude, 'exec:./agent [a-z]*']
            exclude: [{agent: 'exec:./agent [a-z]*'}]
            """)
    ]


def test_tasks_are_found_from_the_folder_of_the_file(make_task, write_matrix, tmp_path):
    make_task("a", folder=tmp_path / "x")
    make_task("b", folder=tmp_path / "x")
    make_task("c", folder=tmp_path / "y")
    path = write_matrix("{tasks: ['x/*.yaml', y, x/a.yaml], agents: [replay]}")

    paths = task_paths(load_matrix(path))

    assert [tmp_path / "x/a.yaml", tmp_path / "x/b.yaml", tmp_path / "y/c.yaml"] == paths


def test_tasks_below_the_working_directory_are_named_from_there(
    make_task, write_matrix, tmp_path, monkeypatch
):
    make_task("a", folder=tmp_path / "tasks")
    (tmp_path / "ci").mkdir()
    path = write_matrix("{tasks: [../tasks], agents: [replay]}", "ci/matrix.yaml")
    monkeypatch.chdir(tmp_path)

    assert ["tasks/a.yaml"] == [str(one) for one in task_paths(load_matrix(path))]


def test_a_link_upwards_is_followed_where_it_leads(make_task, tmp_path):
    make_task("a", folder=tmp_path / "far" / "tasks")
    (tmp_path / "far" / "ci").mkdir()
    (tmp_path / "ci").symlink_to(tmp_path / "far" / "ci")
    path = tmp_path / "ci" / "matrix.yaml"
    path.write_text("{tasks: [../tasks/a.yaml], agents: [replay]}")

    (found,) = task_paths(load_matrix(path))

    assert (tmp_path / "far/tasks/a.yaml").resolve() == found.resolve()


def test_examples_are_tasks_too(write_matrix):
    matrix = load_matrix(write_matrix("{examples: [demo], agents: [replay]}"))

    assert ["demo.yaml"] == [path.name for path in task_paths(matrix)]


def test_without_tasks_those_beside_the_file_are_meant(flaws, tmp_path, write_matrix):
    assert [] == [*(tmp_path / "empty").glob("*")]
    (tmp_path / "empty").mkdir()
    path = write_matrix("{agents: [replay]}", "empty/matrix.yaml")

    with pytest.raises(FileInvalid) as caught:
        task_paths(load_matrix(path))

    assert [f"{path}:1:1: there is no task file in tasks/: name `tasks`"] == caught.value.problems
