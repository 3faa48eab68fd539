"""Messages of chat models: what was thought, said and called; results with their call."""

import base64

import pytest

from fakes.imports import imported_bytes, imported_lines, imported_one, of_type, types

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"a": 1}'}}


def talk(*messages, **around):
    return imported_one({"messages": list(messages), **around})


def assistant(**fields):
    return {"role": "assistant", "content": None, **fields}


def test_a_call_is_under_its_answer_and_its_result_under_the_call():
    made = talk(
        {"role": "user", "content": "go"},
        assistant(content="I run it.", tool_calls=[CALL]),
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    )
    _, answer, call, result = made["events"]

    assert ["observation", "llm.response", "tool.call", "tool.result"] == types(made)
    assert (answer["event_id"], call["event_id"]) == (
        call["parent_event_id"],
        result["parent_event_id"],
    )
    assert ({"a": 1}, "done", "bash") == (call["input"], result["output"], result["agent_name"])
    assert "go" == made["goal"]


def test_results_pair_by_id_whatever_their_order():
    other = {**CALL, "id": "c2"}
    made = talk(
        assistant(tool_calls=[CALL, other]),
        {"role": "tool", "tool_call_id": "c2", "content": "2"},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
    )
    calls, results = of_type(made, "tool.call"), of_type(made, "tool.result")

    assert [calls[1]["event_id"], calls[0]["event_id"]] == [
        result["parent_event_id"] for result in results
    ]


def test_results_without_an_id_pair_by_position_and_say_so():
    made = talk(
        assistant(function_call={"name": "bash", "arguments": "{}"}),
        {"role": "function", "name": "bash", "content": "ok"},
    )
    (result,) = of_type(made, "tool.result")

    assert "position" == result["metadata"]["paired_by"]
    assert of_type(made, "tool.call")[0]["event_id"] == result["parent_event_id"]


def test_a_result_of_no_call_has_no_parent_and_says_so():
    (result,) = talk({"role": "tool", "tool_call_id": "c9", "content": "ok"})["events"]

    assert (None, "nothing") == (result["parent_event_id"], result["metadata"]["paired_by"])


def test_a_call_without_a_result_is_named():
    made = talk(assistant(tool_calls=[CALL]))

    assert [of_type(made, "tool.call")[0]["event_id"]] == made["metadata"]["calls_without_result"]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"content": "Error: failed, exception, traceback"}, None),
        ({"content": "x", "is_error": False}, None),
        ({"content": "x", "status": "success"}, None),
        ({"content": "x", "is_error": True}, "x"),
        ({"content": "x", "status": "error"}, "x"),
        ({"content": "", "is_error": True}, "the result is flagged as an error"),
        ({"content": "x", "error": {"type": "timeout", "message": "60 s"}}, "60 s"),
    ],
)
def test_an_error_is_known_by_a_flag_and_never_by_words(message, error):
    made = talk(assistant(tool_calls=[CALL]), {"role": "tool", "tool_call_id": "c1", **message})

    assert error == of_type(made, "tool.result")[0]["error"]


@pytest.mark.parametrize(
    ("arguments", "expected", "is_valid"),
    [
        ('{"a": 1', '{"a": 1', False),
        ("", {}, True),
        ({"a": 0}, {"a": 0}, True),
        ("[1]", [1], True),
        ('{"a": NaN}', '{"a": NaN}', False),
        (None, None, True),
    ],
)
def test_arguments_are_parsed_or_kept_as_they_stand(arguments, expected, is_valid):
    call = {"id": "c1", "function": {"name": "bash", "arguments": arguments}}
    (made,) = of_type(talk(assistant(tool_calls=[call])), "tool.call")

    assert expected == made["input"]
    assert is_valid == ("arguments_invalid" not in made["metadata"])


@pytest.mark.parametrize("nothing", [0, "", [], False])
def test_what_is_false_is_not_left_out(nothing):
    made = imported_one({"events": [{"type": "tool_result", "output": nothing, "call_id": "c"}]})

    assert nothing == made["events"][0]["output"]


def test_a_picture_in_a_message_becomes_a_file():
    data = base64.b64encode(b"pixels").decode()
    url = f"data:image/png;base64,{data}"
    made = talk({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})
    (artifact,) = made["events"][0]["artifacts"]

    assert artifact["uri"].startswith("artifacts/")
    assert artifact["uri"].endswith(".png")
    assert ("image", "image/png") == (artifact["modality"], artifact["media_type"])
    assert data not in str(made)


@pytest.mark.parametrize("url", ["data:image/png;base64,%%%", "data:text/html,<b>", "data:,"])
def test_a_picture_that_cannot_be_read_stays_as_it_is(url):
    part = {"type": "image_url", "image_url": {"url": url}}
    (event,) = talk({"role": "user", "content": [part]})["events"]

    assert ([], [part]) == (event["artifacts"], event["metadata"]["native"]["parts"])


def test_the_address_of_a_picture_is_never_opened():
    source = {"type": "url", "url": "file:///etc/passwd"}
    (event,) = talk({"role": "user", "content": [{"type": "image", "source": source}]})["events"]

    assert "file:///etc/passwd" == event["artifacts"][0]["uri"]


def test_thoughts_are_reflections_and_hidden_ones_say_so():
    made = talk(
        assistant(
            content=[
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "yes"},
            ]
        )
    )
    plain, hidden = of_type(made, "reflection")

    assert ("hm", None, True) == (
        plain["output"],
        hidden["output"],
        hidden["metadata"]["redacted"],
    )
    assert "yes" == of_type(made, "llm.response")[0]["output"]


def test_fields_that_nobody_knows_stay():
    made = talk(
        {"role": "user", "content": "x", "weight": 0.5},
        temperature=0,
        model="m",
        usage={"prompt_tokens": 1},
    )

    assert {"weight": 0.5} == made["events"][0]["metadata"]["native"]
    assert {"temperature": 0} == made["metadata"]["native"]
    assert ("m", {"input_tokens": 1}) == (made["metadata"]["model"], made["metadata"]["usage"])


def test_each_line_may_be_a_list_of_messages():
    message = {"role": "user", "content": "x"}
    made, report = imported_bytes(b'[{"role":"user","content":"x"}]\n' * 2)

    assert (2, 0) == (len(made), report.problem_count)
    assert 1 == len(imported_lines(message, message))


def test_content_alone_is_no_message():
    _, report = imported_bytes(b'{"content":"a page"}\n{"content":"another"}\n')

    assert 2 == report.problem_count


def test_an_image_in_the_system_prompt_is_kept():
    data = base64.b64encode(b"\x89PNG").decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    system = [{"type": "text", "text": "Look."}, {"type": "image", "source": source}]
    made = talk({"role": "user", "content": "go"}, system=system)
    (artifact,) = made["events"][0]["artifacts"]

    assert ("system", "Look.") == (made["events"][0]["agent_name"], made["events"][0]["output"])
    assert ("image", "image/png") == (artifact["modality"], artifact["media_type"])


def test_where_a_message_is_none_is_said_once():
    _, report = imported_bytes(b'{"role": "user", "content": "x"}\n{"content": "y"}\n', "messages")

    assert [("line 2", "is no message with a role")] == [
        (one.where, one.message) for one in report.problems
    ]
