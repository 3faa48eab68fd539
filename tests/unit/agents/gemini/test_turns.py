"""What goes to the Gemini API and what comes back: tools, history, signatures, tokens."""

from __future__ import annotations

import base64

import pytest
from google.genai.types import GenerateContentResponseUsageMetadata

from fakes.gemini_api_replies import Call, Error, Text, Turn, Usage, bash, call, say
from fakes.model_attempts import TASK
from quickstarted.agents.gemini.stream import usage_of


def responses(attempted, n=-1):
    """What the model got back for its calls, in order."""
    parts = [part for one in attempted.requests[n].body["contents"] for part in one["parts"]]
    return [part["functionResponse"] for part in parts if "functionResponse" in part]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Call("shell", {"command": "true"}), "there is no tool of this name"),
        (Call("bash", {}), "command: there is none"),
        (Call("bash", {"command": 5}), "command: Input should be a valid string"),
        (Call("bash", None), "command: there is none"),
        (Call("read_docs", {}), "url: Field required"),
    ],
)
def test_a_call_that_cannot_be_carried_out_is_answered_and_recorded(attempts, asked, why):
    attempted = attempts.run(Turn((asked,)), bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert why in attempted.of_type("tool_call")[0].refused
    assert why in responses(attempted)[0]["response"]["error"]
    assert 1 == attempted.result.commands


def test_5_mb_of_arguments_are_answered(attempts):
    attempted = attempts.run(bash("echo " + "x" * 5_000_000), bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    said = responses(attempted)[0]["response"]["output"]
    assert "[the command was not run: it has 5,000,005 bytes" in said


@pytest.mark.parametrize("has_id", [True, False], ids=["with ids", "without ids"])
def test_calls_of_one_turn_are_answered_together_in_their_order(attempts, has_id):
    both = Turn(
        (
            Text("Both."),
            Call("bash", {"command": "echo one; touch done"}, has_id=has_id),
            Call("bash", {"command": "echo two"}, has_id=has_id),
            Call("read_docs", {"url": "https://docs.example/"}, has_id=has_id),
        )
    )
    attempted = attempts.run(both, bash("true"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    answers = responses(attempted, 1)
    assert ["bash", "bash", "read_docs"] == [answer["name"] for answer in answers]
    assert "one\n[exit code 0]" == answers[0]["response"]["output"]
    assert "two\n[exit code 0]" == answers[1]["response"]["output"]
    assert "Do as you are told." in answers[2]["response"]["output"]
    assert [has_id] * 3 == ["id" in answer for answer in answers]
    known = [event.call_id for event in attempted.of_type("tool_call")]
    assert len(known) == len(set(known)) == 4
    assert "Both." == attempted.of_type("agent_turn")[0].text


def test_only_our_functions_are_offered_and_the_client_calls_none(attempts):
    attempted = attempts.run(bash("touch done"), say("Done."))

    assert 2 == len(attempted.requests)
    for request in attempted.requests:
        (tool,) = request.body["tools"]
        assert ["functionDeclarations"] == list(tool)
        assert ["bash", "read_docs"] == [one["name"] for one in tool["functionDeclarations"]]
        assert request.body["store"] is False


def test_signatures_go_back_on_the_parts_that_they_came_with(attempts):
    first = Turn((Text("I look."), Call("bash", {"command": "echo 1"}), Call("bash", {})))
    second = Turn((Text("Hm.", signed=True), Call("bash", {"command": "touch done"}, signed=False)))

    attempted = attempts.run(first, second, say("Done."))

    assert ("completed", "passed") == attempted.ending
    models = [one for one in attempted.requests[-1].body["contents"] if one["role"] == "model"]
    assert [
        [("text", False), ("functionCall", True), ("functionCall", True)],
        [("text", False), ("text", True), ("functionCall", False)],
    ] == [
        [
            (next(name for name in part if name != "thoughtSignature"), "thoughtSignature" in part)
            for part in one["parts"]
        ]
        for one in models
    ]
    signature = models[0]["parts"][1]["thoughtSignature"]
    assert 32 == len(base64.urlsafe_b64decode(signature))


def test_text_that_came_in_pieces_goes_back_in_one(attempts):
    long = "One sentence, and another one, and a third one after it."

    attempted = attempts.run(
        Turn((Text(long), Call("bash", {"command": "touch done"}))), say("Ok.")
    )

    assert long == attempted.requests[1].body["contents"][1]["parts"][0]["text"]
    assert long == attempted.of_type("agent_turn")[0].text


def test_thoughts_are_no_part_of_what_the_model_says(attempts):
    attempted = attempts.run(
        Turn((Text("Let me think about it for a while.", thought=True), Text("Done.")))
    )

    assert "Done." == attempted.of_type("agent_final")[0].text


def test_a_call_that_the_service_could_not_read_is_asked_for_again(attempts):
    attempted = attempts.run(
        Turn((Text("Now."),), finish="MALFORMED_FUNCTION_CALL"), bash("touch done"), say("Done.")
    )

    assert ("completed", "passed") == attempted.ending
    last = attempted.requests[1].body["contents"][-1]
    assert "user" == last["role"]
    assert "Your call of a tool could not be read" in last["parts"][0]["text"]


def test_a_reply_that_the_service_pauses_is_continued_with_its_token(attempts):
    token = {"continuationToken": base64.b64encode(b"go on").decode()}
    begun = Turn((Text("I will "),), finish="CONTINUATION", more=token)
    rest = Turn((Text("do it."), Call("bash", {"command": "touch done"})))

    attempted = attempts.run(begun, rest, say("Done."))

    assert ("completed", "passed") == attempted.ending
    first, second, third = (request.body for request in attempted.requests)
    assert first["contents"] == second["contents"]
    assert token["continuationToken"] == second["continuationToken"]
    assert "continuationToken" not in third
    assert "I will do it." == third["contents"][1]["parts"][0]["text"]
    assert [1, 2, 3] == [event.turn for event in attempted.of_type("agent_turn")]


def test_a_broken_continuation_is_asked_for_again_from_its_token(attempts):
    from fakes.vendor_streams import Break

    token = {"continuationToken": base64.b64encode(b"go on").decode()}
    begun = Turn((Text("I will "),), finish="CONTINUATION", more=token)
    long = Turn((Text("do it, and then I am done."),), broken=Break("chunk", "rst"))

    attempted = attempts.run(begun, long, Turn((Text("do it."),)))

    assert "I will do it." == attempted.of_type("agent_final")[0].text


def test_turns_say_which_model_answered_and_how_it_ended(attempts):
    attempted = attempts.run(Error(503), bash("touch done", model="gemini-test-001"), say("Done."))

    turns = attempted.of_type("agent_turn")
    assert [(1, "STOP"), (2, "STOP")] == [(one.turn, one.stop_reason) for one in turns]
    assert ["gemini-test-001", "gemini-test"] == [one.model for one in turns]
    (retry,) = attempted.of_type("api_retry")
    assert (1, 1, 503) == (retry.turn, retry.attempt, retry.status)


def test_a_refusal_says_what_the_service_calls_it(attempts):
    attempted = attempts.run(Turn(blocked="PROHIBITED_CONTENT"))

    assert "PROMPT_PROHIBITED_CONTENT" == attempted.of_type("agent_turn")[0].stop_reason


def test_one_connection_serves_the_whole_conversation(attempts):
    attempted = attempts.run(*[bash("true")] * 4, say("Done."))

    assert 1 == len({request.connection for request in attempted.requests})


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param({}, (0, 0, 0, 0), id="nothing"),
        pytest.param(
            {"prompt_token_count": 100, "candidates_token_count": 20}, (100, 20, 0, 0), id="plain"
        ),
        pytest.param(
            {
                "prompt_token_count": 1000,
                "cached_content_token_count": 900,
                "candidates_token_count": 5,
                "thoughts_token_count": 15,
            },
            (100, 20, 0, 900),
            id="cached, and thought",
        ),
        pytest.param(
            {"prompt_token_count": 100, "tool_use_prompt_token_count": 7},
            (107, 0, 0, 0),
            id="what the vendor's own tools added",
        ),
        pytest.param(
            {"prompt_token_count": 5, "cached_content_token_count": 9},
            (0, 0, 0, 9),
            id="more cached than there was",
        ),
    ],
)
def test_no_token_is_counted_twice(counts, expected):
    usage = usage_of(GenerateContentResponseUsageMetadata(**counts))

    assert expected == (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_write_tokens,
        usage.cache_read_tokens,
    )


def test_a_negative_count_cannot_be_read():
    with pytest.raises(ValueError, match="a count of -1 tokens"):
        usage_of(GenerateContentResponseUsageMetadata(prompt_token_count=-1))


def test_the_four_counters_are_those_of_the_service_taken_apart(attempts):
    usage = Usage(1000, 5, cached=900, thoughts=15, tool_use_prompt=7)

    attempted = attempts.run(say("One sentence, and another one.", usage=usage))

    assert {
        "input_tokens": 107,
        "output_tokens": 20,
        "cache_write_tokens": 0,
        "cache_read_tokens": 900,
    } == attempted.result.tokens.model_dump()


def test_the_budget_counts_all_tokens_of_the_service(attempts):
    attempts.body = TASK + "budgets: {max_tokens: 300}\n"

    attempted = attempts.run(bash("touch done", usage=Usage(270, 20, cached=200, thoughts=10)))

    assert ("max_tokens", "passed") == attempted.ending


def test_half_a_character_in_arguments_is_made_plain(attempts):
    attempted = attempts.run(call("bash", {"command": "touch done; : \ud800"}), say("Done."))

    assert ("completed", "passed") == attempted.ending
