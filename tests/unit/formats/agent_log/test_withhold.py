"""What is withheld is gone, and all else is the same to the byte."""

import json

import pytest

from fakes.agent_logs import events, lines, withheld
from quickstarted.formats.agent_log import CannotWithhold

HEAD = b'{"seq":1,"at":"2026-10-22T18:00:01Z","elapsedMs":1.0e3,'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b'"type":"model_request","data":{"messages":[1]}}',
            b'"type":"model_request","data":{"withheld":true}}',
        ),
        (b'"type":"model_request","data":{}}', b'"type":"model_request","data":{"withheld":true}}'),
        (
            b'"type":"model_request","data":{"withheld":true,"x":1}}',
            b'"type":"model_request","data":{"withheld":true}}',
        ),
        (
            b'"type":"model_request","data":{"withheld":1}}',
            b'"type":"model_request","data":{"withheld":true}}',
        ),
        (
            b'"type":"mod\\u0065l_request","d\\u0061ta" : {"a":"}"} }',
            b'"type":"mod\\u0065l_request","d\\u0061ta" : {"withheld":true} }',
        ),
        (
            b'"data":{"a":{"data":{}}},"type":"model_request"}',
            b'"data":{"withheld":true},"type":"model_request"}',
        ),
        (
            b'"type":"model_response","data":{"id":"r","text":"x","model":"m"}}',
            b'"type":"model_response","data":{"id":"r","model":"m"}}',
        ),
        (
            b'"data":{ "text":1, "id" : "\\u00e9", "usage":1.0, "raw":[]},"type":"model_response"}',
            b'"data":{ "id" : "\\u00e9", "usage":1.0},"type":"model_response"}',
        ),
        (
            b'"type":"model_response","data":{"text":"x","reasoning":"y"}}',
            b'"type":"model_response","data":{}}',
        ),
        (
            b'"type":"model_response","data":{"te\\u0078t":"x","\\u0069d":"r"}}',
            b'"type":"model_response","data":{"\\u0069d":"r"}}',
        ),
    ],
)
def test_prompts_and_texts_are_taken_out_and_the_rest_is_as_it_was_spelled(before, after):
    for end in (b"\n", b"\r\n", b" \n", b""):
        made, _ = withheld(HEAD + before + end)

        assert HEAD + after + end == made
        assert (made, []) == withheld(made)


@pytest.mark.parametrize(
    "rest",
    [
        b'"type":"model_request","data":{"withheld" : true} }',
        b'"type":"model_response","data":{"id":"r","model":"m","usage":{},"actions":[{"text":"x"}]}}',
        b'"type":"action","data":{"call":"r","name":"say","args":{"text":"x"}}}',
        b'"type":"observation","data":{"text":"x","reasoning":1E2}}',
        b'"type":"error","data":{"message":"\xe2\x80\xa8"}}',
    ],
)
def test_what_is_public_is_the_same_to_the_byte(rest):
    assert (HEAD + rest + b"\n", []) == withheld(HEAD + rest + b"\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "line 2: is blank"),
        (b'{"type":"model_request"', "line 2: is not JSON"),
        (b"[]", "line 2: is no event with data"),
        (b'{"type":"model_request","data":[]}', "line 2: is no event with data"),
        (b'{"type":"prompt","data":{}}', 'line 2: type is "prompt"; nobody knows'),
        (b'{"type":["action"],"data":{}}', "line 2: type is "),
        (b'{"type":"action","data":{},"data":{}}', 'line 2: has the key "data" twice'),
        (b'{"type":"action","type":"model_request","data":{}}', 'line 2: has the key "type" twice'),
        (b'{"type":"action","data":{"x":"\xff"}}', "line 2: is not UTF-8"),
    ],
)
def test_a_line_that_cannot_be_taken_apart_stops_it(line, message):
    first = json.dumps(events()[0]).encode()
    if not line:
        message = "line 2: is not JSON"
    with pytest.raises(CannotWithhold) as told:
        withheld(first + b"\n" + line + b"\n")

    assert told.value.message.startswith(message)
    assert 1 == told.value.exit_code


def test_what_stays_public_and_repeats_a_prompt_is_named():
    made = events()
    secret = "The way past the second level is the pipe on the far left."
    made[1]["data"] = {"messages": [secret]}
    made[3]["data"]["args"] = {"note": secret}
    made[4]["extra"] = 1
    _, notes = withheld(lines(made))

    assert [
        "4: repeats text of line 2, and stays public",
        '5: has "extra" beside data, which stays as it is',
    ] == notes
