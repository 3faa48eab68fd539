"""
The rules of agent logs, as the format's text has them; docs/agent-log.md lists them from here.

Where the text leaves something open, the rule says which reading is taken.
"""

from __future__ import annotations

from quickstarted.formats.problems import Rule
from quickstarted.formats.strict_json import MAX_DEPTH, MAX_DIGITS, MAX_VALUES

MAX_LINE_BYTES = 16 * 1024 * 1024
DRIFT_MS = 2_000
VIDEO_TOLERANCE_S = 5.0
WINDOW_RESPONSES = 4_096


def _error(code: str, says: str) -> Rule:
    return Rule(code, "error", says)


def _finding(code: str, says: str) -> Rule:
    return Rule(code, "finding", says)


RULES = (
    _error("empty", "A log has at least one line."),
    _error("gzip", "The file is not compressed."),
    _error("utf16", "The file is UTF-8, not UTF-16 or UTF-32."),
    _error("not-utf8", "Every byte is part of UTF-8."),
    _error("bom", "The file does not start with a byte order mark."),
    _error("blank-line", "No line is blank. One line end after the last line is fine, and none."),
    _error("line-too-long", f"A line has at most {MAX_LINE_BYTES // 1024**2} MiB."),
    _error("cr-line-ends", "Lines end in LF or CRLF, not in CR alone."),
    _error("not-json", "Every line is one JSON object."),
    _error("partial-last-line", "The last line is whole."),
    _error("duplicate-key", "No object has a key twice: readers would differ in what they see."),
    _error("number-not-finite", "No NaN, no Infinity, no number beyond a double."),
    _error("number-too-long", f"No whole number has more than {MAX_DIGITS:,} digits."),
    _error("half-surrogate", "No string has half of a surrogate pair."),
    _error("too-deep", f"At most {MAX_DEPTH} lists and objects in one another."),
    _error("too-many-values", f"At most {MAX_VALUES:,} values in a line."),
    _error("not-object", "Every line is an object, not a list, a string or a number."),
    _error("seq-not-integer", '`seq` is a whole number: not `1.0`, `true` or `"1"`.'),
    _error("seq-start", "`seq` is 0 on the first line."),
    _error("seq-gap", "`seq` is exactly one more on each line."),
    _error(
        "at-invalid",
        "`at` is a date and time of ISO 8601 in full: `2026-10-22T18:00:00Z`, with up to nine"
        " digits of a second.",
    ),
    _error("at-not-utc", "`at` says that it is UTC: it ends in `Z` or `+00:00`."),
    _error("at-goes-back", "`at` is never earlier than on the line before."),
    _error("elapsed-not-number", "`elapsedMs` is a number, whole or not, and not below 0."),
    _error("elapsed-goes-back", "`elapsedMs` is never smaller than on the line before."),
    _error(
        "elapsed-drift",
        "`elapsedMs` is within 2 s of `at` minus the `at` of the first line, 2 s included.",
    ),
    _error("type-unknown", "`type` is one of the seven."),
    _error("data-not-object", "`data` is an object, for observations too."),
    _error("no-run-start", "The first line is `run_start`."),
    _error("run-start-not-first", "No other line is `run_start`."),
    _error("run-start-field", "`run_start` names `game`, `category` and `model`, none empty."),
    _error("scaffold-no-name", "`run_start` has a `scaffold` with a `name`."),
    _error(
        "scaffold-field", "`version` and `url` of the scaffold are strings where they are given."
    ),
    _error("withheld-not-exact", 'A withheld request is exactly `{"withheld": true}`.'),
    _error("response-no-id", "`model_response` has an `id`, a string that is not empty."),
    _error("response-duplicate-id", "No two responses have the same `id`."),
    _error("response-no-model", "`model_response` names its `model`."),
    _error(
        "response-field",
        "`usage` is an object and `actions` a list of objects with `name` and `args`, where they"
        " are given. `text` and `reasoning` are of any shape.",
    ),
    _error("action-no-call", "`action` has a `call`."),
    _error("action-no-name", "`action` has a `name`."),
    _error("action-no-args", "`action` has `args`, of any shape."),
    _error("action-unknown-call", "`call` is the `id` of a response."),
    _error("action-call-comes-later", "That response stands on an earlier line."),
    _error("action-not-requested", "The response asked for an action of this `name`."),
    _error(
        "action-args-differ",
        "It asked for these `args`: keys in any order, 1 and 1.0 are the same. With"
        " `--allow-changed-args` a finding, for scaffolds that clamp or complete them.",
    ),
    _error("action-repeated", "Each action that was asked for is sent at most once."),
    _error("error-no-message", "`error` has a `message`."),
    _error("run-end-no-reason", "`run_end` has a `reason`."),
    _error("run-end-not-last", "Nothing comes after `run_end`."),
    _error(
        "no-run-end", "The last line is `run_end`. A run that crashed has none, and is no entry."
    ),
    _error("no-model-response", "There is at least one `model_response`."),
    _error("no-action", "There is at least one `action`."),
    _error("video-too-short", "The video is at most 5 s shorter than the run."),
    _error("video-starts-late", "The video starts at most 5 s after `run_start`."),
    _error("video-ends-early", "The video ends at most 5 s before `run_end`."),
    _finding("elapsed-start", "`elapsedMs` of `run_start` is not 0."),
    _finding("extra-field", "A line has a field that the format has no place for."),
    _finding("scaffold-url", "The scaffold's `url` is not http or https; do not open it."),
    _finding("model-not-named", "`model` of `run_start` is not of the form `provider/model-id`."),
    _finding("model-differs", "A response is of another model than `run_start` names."),
    _finding("response-without-request", "No request stands before a response."),
    _finding("action-not-listed", "The response lists no `actions`, so nothing can be compared."),
    _finding("action-changed-args", "The model asked for other `args` (`--allow-changed-args`)."),
    _finding(
        "action-too-far",
        f"The response lies more than {WINDOW_RESPONSES:,} responses or 8 MiB of them back, which"
        " is as far as actions are compared.",
    ),
    _finding("withheld-partly", "Some prompts or texts are withheld and others are not."),
    _finding(
        "prompt-echoed",
        "A part that always stays public repeats the beginning, 40 characters, of the longest text"
        " in a prompt or in what the model wrote; of the first four and the latest six of them.",
    ),
)
"""All rules, in the order in which a reader meets them."""
