import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.attempts import agent_turn, docs_fetch, run_end, run_start
from quickstarted.errors import TraceInvalid
from quickstarted.events import DocsFetch, FetchBlocked, FetchError, UnknownEvent, plain
from quickstarted.trace import encode, parse_event, read_trace
from quickstarted.trace.reader import MAX_LINE_BYTES

EVENTS = [run_start(), docs_fetch(), agent_turn(), run_end()]
WHOLE = b"".join(map(encode, EVENTS))


def _written(tmp_path, content):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content)
    return path


def test_events_are_read_back_in_the_order_of_the_lines(tmp_path):
    assert list(read_trace(_written(tmp_path, WHOLE))) == EVENTS


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + WHOLE,
        WHOLE.replace(b"\n", b"\r\n"),
        WHOLE.replace(b"\n", b"\n\n"),
        WHOLE.rstrip(b"\n"),
    ],
    ids=["byte order mark", "windows line ends", "empty lines", "no last line end"],
)
def test_what_editors_do_to_a_file_changes_nothing(tmp_path, content):
    assert list(read_trace(_written(tmp_path, content))) == EVENTS


@given(st.integers(min_value=1, max_value=len(encode(EVENTS[-1])) - 2))
def test_a_torn_last_line_ends_the_trace_and_is_reported(tmp_path_factory, kept):
    path = tmp_path_factory.mktemp("torn") / "trace.jsonl"
    path.write_bytes(b"".join(map(encode, EVENTS[:-1])) + encode(EVENTS[-1])[:kept])
    torn: list[TraceInvalid] = []

    assert EVENTS[:-1] == list(read_trace(path, on_torn=torn.append))
    assert [f"{path}:4: the last line is torn after {kept} bytes"] == [one.message for one in torn]


def test_a_torn_line_is_an_error_where_nobody_listens(tmp_path):
    with pytest.raises(TraceInvalid, match=r"trace\.jsonl:4: not JSON"):
        list(read_trace(_written(tmp_path, WHOLE[:-5])))


def test_a_bad_line_in_the_middle_is_an_error_for_everybody(tmp_path):
    path = _written(tmp_path, encode(EVENTS[0]) + b'{"ts": 1,\n' + encode(EVENTS[1]))
    torn: list[TraceInvalid] = []

    with pytest.raises(TraceInvalid, match=r"trace\.jsonl:2: not JSON"):
        list(read_trace(path, on_torn=torn.append))
    assert torn == []


DEEP = b'{"type":"x","ts":1,"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[]", "no object with a `type`"),
        (b'"x"', "no object with a `type`"),
        (b'{"ts": 1}', "no object with a `type`"),
        (b'{"ts": 1, "type": 7}', "no object with a `type`"),
        (b'{"ts": NaN, "type": "x"}', "NaN is no JSON"),
        (b'{"ts": -Infinity, "type": "x"}', "-Infinity is no JSON"),
        (b'{"ts": 1e999, "type": "x"}', "1e999 is too large a number"),
        (b'{"ts": 1, "type": "x", "a": [-1e400]}', "-1e400 is too large a number"),
        (b'{"ts": ' + b"9" * 5000 + b', "type": "x"}', "not JSON"),
        (b'{"ts": "later", "type": "agent_final", "text": ""}', "agent_final.ts: "),
        (b'{"ts": 1, "type": "agent_final"}', "agent_final.text: Field required"),
        (b'{"ts": 1, "type": "docs_read", "url": "u"}', "docs_read.chars: Field required"),
        (b"\xff", "byte 1 is not UTF-8"),
        (DEEP, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_event_is_named_with_its_place(line, message):
    with pytest.raises(TraceInvalid) as caught:
        parse_event(line, "t.jsonl:7")

    assert caught.value.message.startswith("t.jsonl:7: ")
    assert message in caught.value.message


def test_a_line_without_end_does_not_take_all_memory(tmp_path):
    path = tmp_path / "trace.jsonl"
    with path.open("wb") as stream:
        stream.truncate(MAX_LINE_BYTES * 4)

    with pytest.raises(TraceInvalid, match=r":1: a line of more than"):
        list(read_trace(path, on_torn=lambda _: None))


def test_what_other_writers_spell_as_lone_surrogates_is_spelled_out():
    event = parse_event(
        rb'{"ts":1,"type":"agent_final","text":"a\udcff\ud83d\ude00","x":["\uDC80"]}', "t:1"
    )

    assert event.model_dump() == {
        "ts": 1.0,
        "type": "agent_final",
        "text": "a\\udcff😀",
        "x": ["\\udc80"],
    }


def test_events_of_a_newer_version_are_kept_with_their_fields():
    line = {"ts": 1.5, "type": "dream", "of": ["sheep"]}
    event = parse_event(json.dumps(line).encode(), "t:1")

    assert isinstance(event, UnknownEvent)
    assert line == event.model_dump(mode="json")


@pytest.mark.parametrize(
    ("later", "fields", "model", "name"),
    [
        (
            "docs_read",
            {
                "chars": 1,
                "original_chars": 1,
                "truncated": False,
                "from_cache": False,
                "content_hash": "ab",
                "resolved_to": "",
            },
            DocsFetch,
            "docs_fetch",
        ),
        ("docs_read_blocked", {"reason": "robots_disallowed"}, FetchBlocked, "fetch_blocked"),
        ("docs_read_error", {"error": "404"}, FetchError, "fetch_error"),
    ],
)
def test_later_spellings_of_the_predecessor_are_read(later, fields, model, name):
    line = {"ts": 1, "type": later, "url": "https://docs.example/", **fields}
    event = parse_event(json.dumps(line).encode(), "t:1")

    assert (model, name) == (type(event), event.type)


def test_a_page_of_the_predecessor_without_a_redirect_is_where_it_was_asked_for():
    line = docs_fetch().model_dump(mode="json") | {"type": "docs_read"}
    del line["resolved_to"]
    event = parse_event(json.dumps(line).encode(), "t:1")

    assert isinstance(event, DocsFetch)
    assert event.url == event.resolved_to


def test_a_trace_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(TraceInvalid, match="No such file"):
        list(read_trace(tmp_path / "trace.jsonl"))


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(line):
    said = ""
    try:
        parse_event(line, "t:1")
    except TraceInvalid as exc:
        said = exc.message

    assert said == "" or said.startswith("t:1: ")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**320), 10**320)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, st.booleans())
def test_a_value_is_read_as_the_standard_library_reads_it(value, as_escapes):
    text = json.dumps({"ts": 1, "type": "x", "of": value}, ensure_ascii=as_escapes)
    line = text.encode("utf-8", "surrogatepass")
    try:
        read = json.loads(line.decode("utf-8"))["of"]
    except UnicodeDecodeError:
        with pytest.raises(TraceInvalid, match="is not UTF-8"):
            parse_event(line, "t:1")
        return

    assert plain(read) == parse_event(line, "t:1").model_dump()["of"]
