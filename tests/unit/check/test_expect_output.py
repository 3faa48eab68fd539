import pytest

from quickstarted.check import ExpectOutput
from quickstarted.verdict import CheckEnding

PRINTED = b'Server on port 3000\nit\'s "$5" -e [x] a*b \\n\ntail of it\n'
PASSED, FAILED, BROKEN = CheckEnding.PASSED, CheckEnding.FAILED, CheckEnding.BROKEN


@pytest.mark.parametrize(
    ("contains", "matches", "ending"),
    [
        (("port 3000",), (), PASSED),
        (("port 3000", "tail of it"), (), PASSED),
        (("port 3000", "absent"), (), FAILED),
        (('it\'s "$5"',), (), PASSED),
        (("-e [x]",), (), PASSED),
        (("--contains",), (), FAILED),
        (("a*b \\n",), (), PASSED),
        (("3000\\nit",), (), FAILED),
        ((), ("^tail( of)? it$",), PASSED),
        ((), ("port [0-9]+$",), PASSED),
        ((), ("^port",), FAILED),
        ((), ("-e .x",), PASSED),
        (("tail",), ("^nothing",), FAILED),
        ((), ("(open",), BROKEN),
    ],
)
def test_what_was_printed_decides(checker, contains, matches, ending):
    expect = ExpectOutput(contains=contains, matches=matches)

    assert ending == checker.run(expect_output=expect, outputs=PRINTED).ending


def test_the_message_has_the_pattern_and_the_end_of_the_output(bash_checker):
    outcome = bash_checker.run(
        expect_output=ExpectOutput(contains=("it's not",)), outputs=b"x\n" * 50 + b"the end\n"
    )

    shown = "x\n" * 19
    assert (
        "check failed: no line that the agent's commands printed contains: it's not\n"
        f"it ends:\n{shown}the end\n"
    ) == outcome.output


def test_the_message_says_when_nothing_was_printed(bash_checker):
    outcome = bash_checker.run("qs_expect_output --matches '^x'")

    assert outcome.output == (
        "check failed: no line that the agent's commands printed matches: ^x\n"
        "(no command that succeeded printed anything)\n"
    )


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("qs_expect_output", "needs --contains or --matches"),
        ("qs_expect_output --contains", "--contains needs a value"),
        ("qs_expect_output --contains ''", "needs a text that is not empty"),
        ("qs_expect_output --contains 'a\nb'", "takes one line"),
        ("qs_expect_output --has x", "unknown option --has"),
    ],
)
def test_a_call_that_makes_no_sense_is_broken_and_not_failed(checker, call, why):
    outcome = checker.run(f"{call}\ntrue")

    assert outcome.ending == BROKEN
    assert why in outcome.output


def test_without_grep_a_text_is_still_found(bash_checker, tmp_path):
    script = "PATH=/nowhere\nqs__path=/nowhere\nqs_expect_output --contains '$5\" -e'\n"

    assert bash_checker.run(script, outputs=PRINTED).ending == PASSED
    assert (
        bash_checker.run(f"{script}qs_expect_output --contains no", outputs=b"x").ending == FAILED
    )
