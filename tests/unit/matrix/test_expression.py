import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.errors import UsageError
from quickstarted.matrix.expression import expression

NAMES = ("flask-quickstart", "web", "Python", "claude:sonnet-5")


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("flask", True),
        ("FLASK", True),
        ("python", True),
        ("quick", True),
        ("claude:s", True),
        ("sonnet-5", True),
        ("vue", False),
        ("not vue", True),
        ("not not flask", True),
        ("NOT flask", False),
        ("flask and web", True),
        ("flask and vue", False),
        ("vue or web", True),
        ("vue Or web AND Flask", True),
        ("web or vue and vue", True),
        ("(web or vue) and vue", False),
        ("not vue and not (lxml or web)", False),
        ("not(vue)and(web)", True),
        ("web or not web and vue", True),
        ("  web  ", True),
    ],
)
def test_a_word_is_part_of_a_name_and_not_binds_before_and_before_or(text, holds):
    assert holds == expression(text)(NAMES)


@pytest.mark.parametrize("text", ["android", "nothing", "order", "or-else", "not-this"])
def test_a_word_that_begins_like_an_operator_is_a_word(text):
    assert expression(text)([f"x{text}x"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", 'at character 1 it ends: expected a word, "not" or "("'),
        ("  ", 'at character 3 it ends: expected a word, "not" or "("'),
        ("a and", 'at character 6 it ends: expected a word, "not" or "("'),
        ("not", 'at character 4 it ends: expected a word, "not" or "("'),
        ("or a", 'at character 1 there is "or": expected a word, "not" or "("'),
        ("not and a", 'at character 5 there is "and": expected a word, "not" or "("'),
        ("()", 'at character 2 there is ")": expected a word, "not" or "("'),
        ("a and (b or)", 'at character 12 there is ")": expected a word, "not" or "("'),
        ("a b", 'at character 3 there is "b": expected "and", "or" or the end'),
        ("a not b", 'at character 3 there is "not": expected "and", "or" or the end'),
        ("a)", 'at character 2 there is ")": expected "and", "or" or the end'),
        ("(a) (b)", 'at character 5 there is "(b)": expected "and", "or" or the end'),
        ("(a", 'at character 3 it ends: expected "and", "or" or ")"'),
    ],
)
def test_what_is_no_expression_is_refused_with_the_place(text, said):
    with pytest.raises(UsageError) as caught:
        expression(text)

    assert f'-k "{text}": {said}' == str(caught.value)


def test_a_bottomless_expression_is_refused():
    with pytest.raises(UsageError, match=r"^-k: the expression is nested too deep$"):
        expression("(" * 5_000 + "a" + ")" * 5_000)


WORDS = st.sampled_from(["flask", "web", "vue", "nothing"])
TREES = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=8,
)


def written(tree):
    match tree:
        case str():
            return tree
        case (_, inner):
            return f"not ({written(inner)})"
        case (operator, left, right):
            return f"({written(left)}) {operator} ({written(right)})"


def truth(tree):
    match tree:
        case str():
            return any(tree in name.lower() for name in NAMES)
        case (_, inner):
            return not truth(inner)
        case ("and", left, right):
            return truth(left) and truth(right)
        case (_, left, right):
            return truth(left) or truth(right)


@given(TREES)
def test_an_expression_says_what_its_parts_say(tree):
    assert truth(tree) == expression(written(tree))(NAMES)


@given(st.text(alphabet="andort() -\t\"'\\é", max_size=20))
def test_any_text_is_an_expression_or_is_refused(text):
    try:
        said = expression(text)(NAMES)
    except UsageError as exc:
        said = str(exc).partition(" ")[0]

    assert said in (True, False, "-k")
