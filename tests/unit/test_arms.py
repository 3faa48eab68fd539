"""Arms: how a call names them, what their content is known by, and how they go with affordances."""

import os

import pytest

from quickstarted.arms import DEFAULT_ARM, Arm, arms_of, crossed
from quickstarted.condition import Condition
from quickstarted.contents import content_hash
from quickstarted.errors import ArmFault, UsageError

NO_DOCS = Arm(name="no-docs")


@pytest.fixture(name="folder")
def _folder(tmp_path):
    folder = tmp_path / "arm"
    (folder / ".claude" / "skills").mkdir(parents=True)
    (folder / "AGENTS.md").write_text("Use uv.\n")
    (folder / ".claude" / "skills" / "SKILL.md").write_text("A skill.\n")
    return folder


@pytest.mark.parametrize(
    ("given", "arms"),
    [
        ([], (DEFAULT_ARM,)),
        (["docs"], (DEFAULT_ARM,)),
        (["no-docs"], (NO_DOCS,)),
        (["no-docs", "docs"], (NO_DOCS, DEFAULT_ARM)),
    ],
)
def test_a_call_has_its_arms_in_its_own_order(given, arms):
    assert arms == arms_of(given)


def test_a_folder_is_an_arm_by_its_name_and_content(folder):
    (arm,) = arms_of([f"skill={folder}"])

    assert Arm(name="skill", folder=folder, content_hash=content_hash(folder)) == arm


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["nodocs"], "there is no arm 'nodocs'"),
        ([""], "there is no arm ''"),
        (["docs={folder}"], "docs is an arm of its own, and takes no folder"),
        (["no-docs={folder}"], "no-docs is an arm of its own, and takes no folder"),
        (["={folder}"], "'' cannot be the name of an arm"),
        (["a/b={folder}"], "'a/b' cannot be the name of an arm"),
        (["../x={folder}"], "'../x' cannot be the name of an arm"),
        ([".x={folder}"], "'.x' cannot be the name of an arm"),
        (["a+b={folder}"], "'a+b' cannot be the name of an arm"),
        (["affordances-none={folder}"], "'affordances-none' cannot be the name of an arm"),
        ([f"{'a' * 41}={{folder}}"], "cannot be the name of an arm"),
        (["a={folder}/none"], "there is no such folder"),
        (["a={folder}/AGENTS.md"], "is not a folder"),
        (["a={folder}", "a={folder}"], "--arm a is given more than once"),
        (["docs", "docs"], "--arm docs is given more than once"),
    ],
)
def test_what_cannot_be_an_arm_is_refused(folder, given, why):
    with pytest.raises(UsageError) as caught:
        arms_of([one.format(folder=folder) for one in given])

    assert why in caught.value.message


def test_an_empty_folder_is_no_arm(tmp_path):
    with pytest.raises(UsageError, match="the folder is empty"):
        arms_of([f"a={tmp_path}"])


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "AGENTS.md").write_text("Use pip.\n"),
        lambda folder: (folder / "AGENTS.md").rename(folder / "CLAUDE.md"),
        lambda folder: (folder / "AGENTS.md").chmod(0o755),
        lambda folder: (folder / "more").mkdir(),
        lambda folder: (folder / "link").symlink_to("AGENTS.md"),
        lambda folder: (folder / ".claude" / "skills" / "SKILL.md").unlink(),
    ],
    ids=["content", "name", "right to execute", "folder", "link", "gone"],
)
def test_any_change_of_the_folder_makes_another_arm(folder, change):
    (arm,) = arms_of([f"skill={folder}"])
    arm.check()
    change(folder)

    assert arm.content_hash != content_hash(folder)
    with pytest.raises(ArmFault, match="has changed since the call began"):
        arm.check()


def test_where_and_when_the_folder_is_does_not_count(folder, tmp_path):
    before = content_hash(folder)
    moved = folder.rename(tmp_path / "elsewhere")
    os.utime(moved / "AGENTS.md", (1, 1))

    assert before == content_hash(moved)


def test_links_are_not_followed_out_of_the_folder(folder, tmp_path):
    (tmp_path / "secret").write_text("a")
    (folder / "link").symlink_to(tmp_path / "secret")
    before = content_hash(folder)
    (tmp_path / "secret").write_text("b")

    assert before == content_hash(folder)


def test_what_stands_in_two_files_is_not_what_stands_in_one(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, files in ((first, {"x": "1", "y": "2"}), (second, {"x": "1y2"})):
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)

    assert content_hash(first) != content_hash(second)


def test_the_arms_that_need_no_folder_never_change():
    DEFAULT_ARM.check()
    NO_DOCS.check()

    assert (None, None) == (DEFAULT_ARM.content_hash, NO_DOCS.content_hash)


def test_each_policy_is_run_in_each_arm_but_for_the_one_without_documentation():
    policies = [Condition(), Condition(affordances="none")]
    skill = Arm(name="skill", content_hash="sha256:1")

    assert (
        Condition(),
        Condition(arm="no-docs"),
        Condition(arm="skill", arm_hash="sha256:1"),
        Condition(affordances="none"),
        Condition(affordances="none", arm="skill", arm_hash="sha256:1"),
    ) == crossed(policies, [DEFAULT_ARM, NO_DOCS, skill])


def test_a_policy_makes_no_difference_where_there_is_no_documentation():
    assert (Condition(arm="no-docs"),) == crossed([Condition(affordances="none")], [NO_DOCS])
