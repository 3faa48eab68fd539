"""Each rule at its edge: what is just allowed, and what just is not."""

import io
import json

import pytest

from fakes.agent_logs import checked, codes, events, lines
from quickstarted.formats.agent_log import RULES, LogChecker, withhold
from quickstarted.formats.problems import KEPT_PER_CODE


def changed(line, **fields):
    made = events()
    made[line].update(fields)
    return checked(lines(made))


def with_data(line, **fields):
    made = events()
    made[line]["data"].update(fields)
    return checked(lines(made))


def without(line, key):
    made = events()
    del made[line]["data"][key]
    return checked(lines(made))


def errors(report):
    return [one.code for one in report.problems if one.severity == "error"]


def test_a_plain_log_is_accepted():
    report = checked(lines(events()))

    assert ("accept", 5, 1, 1, 4.0) == (
        report.verdict,
        report.lines,
        report.responses,
        report.actions,
        report.run_seconds,
    )


@pytest.mark.parametrize(
    "at",
    [
        "2026-10-22T18:00:01Z",
        "2026-10-22T18:00:01.5Z",
        "2026-10-22T18:00:01.123456789Z",
        "2026-10-22T18:00:01.000+00:00",
    ],
)
def test_times_in_utc_are_taken(at):
    assert [] == codes(changed(1, at=at))


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ("2026-10-22T18:00:01", "at-not-utc"),
        ("2026-10-22T20:00:01+02:00", "at-not-utc"),
        ("2026-10-22T18:00:01-00:00", "at-not-utc"),
        ("2026-10-22", "at-invalid"),
        ("2026-W43-4", "at-invalid"),
        ("20261022T180001Z", "at-invalid"),
        ("2026-10-22T18:00:01,5Z", "at-invalid"),
        ("2026-10-22t18:00:01z", "at-invalid"),
        ("2026-10-22 18:00:01Z", "at-invalid"),
        ("2026-10-22T18:00:60Z", "at-invalid"),
        ("2026-10-22T24:00:00Z", "at-invalid"),
        ("2026-02-30T18:00:01Z", "at-invalid"),
        ("0000-10-22T18:00:01Z", "at-invalid"),
        ("٢026-10-22T18:00:01Z", "at-invalid"),
        ("2026-10-22T18:00:01Z\n", "at-invalid"),
        (1793610000, "at-invalid"),
        (None, "at-invalid"),
    ],
)
def test_times_that_are_not_in_utc_or_are_none_are_errors(at, code):
    assert [code] == codes(changed(1, at=at))


def test_a_step_back_of_a_nanosecond_is_seen():
    made = events()
    made[1]["at"], made[2]["at"] = (
        "2026-10-22T18:00:01.000000002Z",
        "2026-10-22T18:00:01.000000001Z",
    )

    assert ["at-goes-back"] == codes(checked(lines(made)))


def test_two_lines_at_one_time_are_fine():
    made = events()
    for one in made[2:]:
        one.update(at=made[1]["at"], elapsedMs=1_000)

    assert [] == codes(checked(lines(made)))


@pytest.mark.parametrize(
    ("elapsed", "expected"),
    [
        (6_000, []),
        (6_000.001, ["elapsed-drift"]),
        (6_001, ["elapsed-drift"]),
        (4_000.5, []),
        (3_000, []),
        (2_999, ["elapsed-goes-back"]),
        (-1, ["elapsed-not-number"]),
        ("4000", ["elapsed-not-number"]),
        (True, ["elapsed-not-number"]),
        (None, ["elapsed-not-number"]),
        (10**400, ["elapsed-drift"]),
        (1e308, ["elapsed-drift"]),
    ],
)
def test_elapsed_time_stays_within_two_seconds_of_the_clock(elapsed, expected):
    assert expected == codes(changed(4, elapsedMs=elapsed))


@pytest.mark.parametrize(("elapsed", "expected"), [(0, []), (1, ["elapsed-start"]), (0.0, [])])
def test_a_run_that_does_not_start_at_zero_is_a_finding(elapsed, expected):
    assert expected == codes(changed(0, elapsedMs=elapsed))


@pytest.mark.parametrize("seq", [2.0, "2", True, None, [], 10**30])
def test_seq_is_a_whole_number(seq):
    expected = "seq-gap" if type(seq) is int else "seq-not-integer"

    assert [expected] == codes(changed(2, seq=seq))


def test_a_lost_line_is_said_once():
    made = events()
    made.insert(2, {**made[1], "type": "observation", "data": {}})
    for seq, one in enumerate(made):
        one["seq"] = seq if seq < 2 else seq + 5

    assert ["seq-gap"] == codes(checked(lines(made)))


@pytest.mark.parametrize(
    ("line", "key", "code"),
    [
        (0, "game", "run-start-field"),
        (0, "category", "run-start-field"),
        (0, "model", "run-start-field"),
        (0, "scaffold", "scaffold-no-name"),
        (2, "model", "response-no-model"),
        (3, "call", "action-no-call"),
        (3, "name", "action-no-name"),
        (3, "args", "action-no-args"),
        (4, "reason", "run-end-no-reason"),
    ],
)
def test_what_an_event_must_have_it_has(line, key, code):
    assert [code] == errors(without(line, key))


@pytest.mark.parametrize(
    ("line", "fields", "code"),
    [
        (0, {"game": ""}, "run-start-field"),
        (0, {"game": 7}, "run-start-field"),
        (0, {"scaffold": {"name": "x", "version": 1}}, "scaffold-field"),
        (0, {"scaffold": {"name": "x", "url": []}}, "scaffold-field"),
        (0, {"scaffold": {"name": "x", "url": "javascript:alert(1)"}}, "scaffold-url"),
        (0, {"model": "tiny-1"}, "model-not-named"),
        (2, {"model": "acme/other"}, "model-differs"),
        (2, {"usage": 5}, "response-field"),
        (2, {"actions": {}}, "response-field"),
        (2, {"actions": [{"name": "press"}]}, "response-field"),
        (2, {"actions": ["press"]}, "response-field"),
    ],
)
def test_what_stands_in_an_event_is_of_its_kind(line, fields, code):
    assert code in codes(with_data(line, **fields))


def test_text_and_reasoning_are_of_any_shape():
    made = events()
    made[1]["data"] = {}
    made[2]["data"].update(text=[{"type": "text"}], reasoning={"summary": None})

    assert [] == codes(checked(lines(made)))


@pytest.mark.parametrize("kind", ["thought", "RUN_END", None, 5, ["action"], {}])
def test_a_type_that_there_is_not_is_an_error(kind):
    assert "type-unknown" in codes(changed(3, type=kind))


@pytest.mark.parametrize("data", [None, [], "x", 1, True])
def test_data_is_an_object(data):
    assert "data-not-object" in codes(changed(3, data=data))


def test_a_field_beside_data_is_a_finding():
    report = changed(3, note="x")

    assert ("look", ["extra-field"]) == (report.verdict, codes(report))


@pytest.mark.parametrize(
    ("asked", "sent", "code"),
    [
        ([{"a": 1, "b": 2}], [{"b": 2, "a": 1}], None),
        ([{"a": 1}], [{"a": 1.0}], None),
        ([{"a": [1, {"b": None}]}], [{"a": [1, {"b": None}]}], None),
        ([None], [None], None),
        (["A", "B"], ["B", "A"], None),
        (["A", "A"], ["A", "A"], None),
        ([{"a": 1}], [{"a": True}], "action-args-differ"),
        ([{"a": 0}], [{"a": False}], "action-args-differ"),
        ([[0]], [[False]], "action-args-differ"),
        ([{"a": 1}], [{"a": "1"}], "action-args-differ"),
        (["A"], ["B"], "action-args-differ"),
        (["A"], ["A", "A"], "action-repeated"),
        (["A"], ["A", "B"], "action-repeated"),
        (["A", "B"], ["A", "A"], "action-args-differ"),
        ([], ["A"], "action-not-requested"),
    ],
)
def test_an_action_is_one_that_the_model_asked_for(asked, sent, code):
    made = events()
    made[2]["data"]["actions"] = [{"name": "press", "args": args} for args in asked]
    end = made.pop()
    made.pop()
    for args in sent:
        data = {"call": "r1", "name": "press", "args": args}
        made.append({**end, "seq": len(made), "type": "action", "data": data})
    made.append({**end, "seq": len(made)})

    assert ([code] if code else []) == codes(checked(lines(made)))


def test_changed_args_are_a_finding_where_the_moderator_says_so():
    made = events()
    made[3]["data"]["args"] = {"n": 2}
    report = checked(lines(made), allow_changed_args=True)

    assert ("look", ["action-changed-args"]) == (report.verdict, codes(report))


def test_a_response_that_lists_no_actions_cannot_be_compared_and_is_a_finding():
    assert ["action-not-listed"] == codes(without(2, "actions"))


def test_a_call_of_a_response_far_back_is_known_and_not_compared():
    made = events()
    responses = [
        {**made[2], "data": {"id": f"x{number}", "model": "acme/tiny-1", "actions": []}}
        for number in range(5_000)
    ]
    made[3:3] = responses
    for seq, one in enumerate(made):
        one["seq"] = seq
    report = checked(lines(made))

    assert {"response-without-request": 5_000, "action-too-far": 1} == report.counts


@pytest.mark.parametrize("chars", [40, 120, 200])
def test_a_prompt_that_an_observation_repeats_is_a_finding_with_its_line(chars):
    made = events()
    prompt = f"You play a falling-block game; think before you press a button. {'Think. ' * 20}"
    made[1]["data"] = {"messages": [{"role": "system", "content": prompt}]}
    shown = f"prompt was: {prompt[:chars]}"
    made[3:3] = [{**made[3], "type": "observation", "data": {"log": shown}}]
    for seq, one in enumerate(made):
        one["seq"] = seq
    (problem,) = checked(lines(made)).problems

    assert ("prompt-echoed", 4) == (problem.code, problem.line)
    assert "repeats text of line 2, and always stays public" == problem.message


@pytest.mark.parametrize("field", ["usage", "actions"])
def test_a_prompt_in_what_stays_public_of_a_response_is_a_finding(field):
    made = events()
    prompt = "You play a falling-block game; think before you press a button."
    made[1]["data"] = {"messages": [{"role": "system", "content": prompt}]}
    if field == "usage":
        made[2]["data"]["usage"] = {"note": prompt}
    else:
        made[2]["data"]["actions"].append({"name": "say", "args": [prompt]})
    made[2]["data"]["text"] = "Another text of the model, which has nothing of the prompt in it."
    notes = []
    source = io.BufferedReader(io.BytesIO(lines(made)))
    withhold(source, io.BytesIO(), lambda *note: notes.append(note))
    found = [one for one in checked(lines(made)).problems if one.code == "prompt-echoed"]

    assert [(3, "repeats text of line 2 in its usage or actions, which always stay public")] == [
        (one.line, one.message) for one in found
    ]
    assert [(3, "repeats text of line 2, and stays public")] == notes


def test_what_a_response_says_and_does_is_no_echo():
    made = events()
    words = "I press the button that is to the left of the hole, twice."
    made[2]["data"] |= {"text": words, "actions": [{"name": "press", "args": {"button": words}}]}
    made[3]["data"]["args"] = {"button": "left"}

    assert "prompt-echoed" not in codes(checked(lines(made)))


def test_an_observation_that_the_prompt_repeats_is_none():
    made = events()
    board = "The board has a hole in the third column, and the next piece is long."
    seen = {**made[1], "type": "observation", "data": {"board": board}}
    made[1]["data"] = {"messages": [{"role": "user", "content": board}]}
    made[1:1] = [seen]
    made[4:4] = [dict(seen, at=made[4]["at"], elapsedMs=made[4]["elapsedMs"])]
    for seq, one in enumerate(made):
        one["seq"] = seq

    assert [] == codes(checked(lines(made)))


def test_a_thousand_wrong_lines_are_counted_and_a_few_are_kept():
    report = checked(b"[]\n" * 1_000)

    assert {"not-object": 1_000} == report.counts
    assert KEPT_PER_CODE == len(report.problems)
    assert 1_000 == report.errors


def test_a_log_of_other_line_ends_is_told_so():
    report = checked(b"".join(json.dumps(one).encode() + b"\r" for one in events()))

    assert ["cr-line-ends"] == codes(report)


def test_line_separators_of_unicode_do_not_end_a_line():
    made = events()
    made[4]["data"]["reason"] = "a\u2028b\u2029c\u0085d\x0be\x1cf"
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made)

    assert [] == codes(checked(text.encode()))


def test_a_log_that_is_cut_is_not_asked_for_its_end():
    whole = lines(events())

    assert ["partial-last-line"] == codes(checked(whole[:-10]))
    assert ["no-run-end"] == codes(checked(b"".join(whole.splitlines(keepends=True)[:-1])))


def test_no_message_grows_with_what_the_log_holds():
    made = events()
    made[3]["data"]["call"] = "x" * 100_000
    made[4].update({f"field {number}": number for number in range(10_000)})
    report = checked(lines(made))

    assert ["action-unknown-call", "extra-field"] == codes(report)
    assert max(len(one.message) for one in report.problems) < 500


def test_every_message_is_of_a_rule_that_there_is():
    checker = LogChecker()
    with pytest.raises(KeyError):
        checker.problems.add("no-such-rule", 1, "x")
    assert {"error", "finding"} == {rule.severity for rule in RULES}
