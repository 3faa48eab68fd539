import pytest

from quickstarted.task.source import Position
from quickstarted.task.yaml_nodes import YamlBroken
from quickstarted.task.yaml_reader import read_yaml, resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-12", -12),
        ("20_000", 20000),
        ("1.5", 1.5),
        ("3.10", 3.1),
        ("1e3", 1000.0),
        (".5", 0.5),
    ],
)
def test_plain_scalars_follow_the_core_schema(text, value):
    assert value == resolve(text)
    assert type(value) in type(resolve(text)).__mro__


@pytest.mark.parametrize(
    "text",
    [
        "on", "off", "yes", "no", "y", "On", "YES",
        "12:30", "1:30:00", "2024-01-01", "2024-01-01T00:00:00Z",
        "010", "0o17", "0x1F", "0b11", "1_", "_1", "1__", ".inf", ".nan", "-", ".", "e5", "1.2.3",
        "9" * 5000, "<<", "=",
    ],
)  # fmt: skip
def test_what_yaml_versions_disagree_about_stays_text(text):
    assert text == resolve(text)


@pytest.mark.parametrize("text", ["3.10", "1_000", "1e3", "+5"])
def test_numbers_remember_how_they_were_written(text):
    assert text == resolve(text).text


def test_quoted_scalars_are_text():
    document = read_yaml("a: '1'\nb: \"true\"\nc: !!str null")

    assert document.value == {"a": "1", "b": "true", "c": "null"}


def test_keys_are_text_as_written():
    assert list(read_yaml("on: a\n3.10: b\ntrue: c\nnull: d").value) == [
        "on",
        "3.10",
        "true",
        "null",
    ]


def test_positions_are_those_of_keys_and_of_items():
    document = read_yaml("a:\n  b: 1\n  c:\n    - x\n    -   y: 2\n")

    assert {
        ("a",): Position(1, 1),
        ("a", "b"): Position(2, 3),
        ("a", "c"): Position(3, 3),
        ("a", "c", 0): Position(4, 7),
        ("a", "c", 1): Position(5, 9),
        ("a", "c", 1, "y"): Position(5, 9),
    } == document.positions


def test_columns_count_characters_and_not_bytes():
    assert Position(1, 8) == read_yaml("{ö: 1, b: 2}").positions["b",]


def test_a_key_given_twice_is_a_flaw_and_the_first_counts():
    document = read_yaml("a: 1\nb: 2\na: 3\n")

    assert document.value == {"a": 1, "b": 2}
    (flaw,) = document.flaws
    assert (Position(3, 1), ("a",)) == (flaw.position, flaw.key)
    assert flaw.message == "this key is given twice; the first is on line 1"


def test_a_key_that_is_no_text_is_a_flaw():
    (flaw,) = read_yaml("a: 1\n? [b]\n: 2\n").flaws

    assert (Position(2, 3), "a key must be text: quote it if it starts with [ or {") == (
        flaw.position,
        flaw.message,
    )


def test_aliases_stand_for_the_value_of_their_anchor():
    document = read_yaml("a: &x [1, 2]\nb: *x\n")

    assert document.value == {"a": [1, 2], "b": [1, 2]}
    assert Position(2, 1) == document.positions["b",]


def test_merge_keys_add_what_the_map_does_not_have():
    document = read_yaml("base: &b {x: 1, y: 2}\na:\n  <<: *b\n  y: 3\n")

    assert document.value["a"] == {"x": 1, "y": 3}
    assert Position(4, 3) == document.positions["a", "y"]
    assert Position(1, 11) == document.positions["a", "x"]


def test_a_merge_key_takes_maps_only():
    (flaw,) = read_yaml("a:\n  <<: 3\n").flaws

    assert flaw.message == "<< takes a map or a list of maps"


BILLION_LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        (BILLION_LAUGHS, (5, 23), "too many values, aliases written out"),
        ("[" + "a," * 100_000 + "]", None, "too many values, aliases written out"),
        ("a: &x [*x]", (1, 8), "*x stands inside the value that it refers to"),
        ("a: *x", (1, 4), None),
        ("[" * 5000, None, "nested deeper than 40 levels"),
        ("{a: " * 5000, None, "nested deeper than 40 levels"),
        ("a: 1\n---\nb: 2\n", (2, 1), "a second document starts here: a file holds one"),
        ("a: !!python/object:os.system x", (1, 4), None),
        ("a: !secret x", (1, 4), 'tags are not used: remove "!secret"'),
        ("a:\n\tb: 1\n", (2, 1), "a tab is used for indentation: YAML wants spaces"),
        ("a:\n  b: 1\n \t c: 1\n", (3, 2), "a tab is used for indentation: YAML wants spaces"),
        ("a: [1, 2", None, None),
        ("a: 'x", None, None),
        ("a: b: c", (1, 5), None),
        ("a: @x", (1, 4), None),
        ("%YAML 3.0\n---\na: 1", (1, 1), None),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, position, message):
    with pytest.raises(YamlBroken) as caught:
        read_yaml(text)

    flaw = caught.value.flaw
    assert position is None or position == tuple(flaw.position)
    assert message is None or message == flaw.message


def test_depth_is_counted_through_aliases():
    deep = "[" * 30 + "]" * 30
    with pytest.raises(YamlBroken) as caught:
        read_yaml(f"a: &a {deep}\nb: {'[' * 30}*a{']' * 30}\n")

    assert caught.value.flaw.message == "nested deeper than 40 levels"


def test_tabs_inside_a_block_of_text_are_kept():
    assert read_yaml("a: |\n  x:\n  \tmake\n").value == {"a": "x:\n\tmake\n"}


@pytest.mark.parametrize("text", ['a: "\\0"', '"\\0": a'])
def test_characters_that_no_command_can_hold_are_flaws(text):
    (flaw,) = read_yaml(text).flaws

    assert flaw.message == "contains U+0000, which no text or command can hold"


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file_has_no_value(text):
    assert read_yaml(text).value is None
