from fakes.attempts import result
from fakes.golden import TRACES, golden
from quickstarted.console.tables import suite_markdown
from quickstarted.results import CallFacts, suite_result, summarise
from quickstarted.trace import read_trace


def test_the_tables_of_a_run_read_as_they_were_found_right():
    runs = [
        summarise(read_trace(TRACES / f"{name}.jsonl")).model_copy(
            update={"trace": f"{name}/trace.jsonl"}
        )
        for name in ("passed", "docs_gap", "harness_error", "infra_error")
    ]
    text = suite_markdown(suite_result(runs, created=1.0))

    assert golden("suite.md", text) == text


def test_what_gave_no_evidence_is_said_beside_the_rate():
    runs = [result(name) for name in ("passed", "infra_error", "infra_error", "skipped")]
    text = suite_markdown(suite_result(runs, created=1.0))

    assert "| 1 of 1 | 100% | 21% to 100% | 2 infra_error, 1 skipped |" in text
    assert "4 attempts, 1 gave evidence, 1 passed." in text


def test_no_evidence_is_no_rate():
    text = suite_markdown(suite_result([result("infra_error")], created=1.0))

    assert "| 0 of 0 | none | none | 1 infra_error |" in text


def test_the_tables_say_above_all_figures_that_nothing_was_enforced():
    free = result("passed", enforced=False, backend="local")
    text = suite_markdown(suite_result([free, result("passed")], created=1.0))

    assert "**Nothing enforced** in 1 attempt by backend `local`" in text.split("| task |")[0]
    assert "| PASS, nothing enforced |" in text
    assert "| PASS |" in text


def test_a_call_that_ended_for_want_of_room_says_so():
    facts = CallFacts(planned=3, stopped="no_room")
    text = suite_markdown(suite_result([result("passed")], created=1.0, call=facts))

    assert "**The call was ended for want of disk or memory**; 2 attempts not begun." in text


def test_attempts_that_are_not_made_yet_are_counted():
    facts = CallFacts(planned=3)
    text = suite_markdown(suite_result([result("passed")], created=1.0, call=facts))

    assert "**2 attempts not made yet**: the call goes on, or was killed." in text
    whole = suite_result([result("passed")] * 3, created=1.0, call=facts)
    assert "not made yet" not in suite_markdown(whole)
