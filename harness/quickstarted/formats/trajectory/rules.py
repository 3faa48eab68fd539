"""
The rules of AgentTrajectory files; docs/trajectory.md lists them from here.

The published schema and the text beside it do not agree; where they differ the text is taken.
"""

from __future__ import annotations

from quickstarted.formats.problems import Rule
from quickstarted.formats.strict_json import MAX_DEPTH, MAX_DIGITS, MAX_VALUES
from quickstarted.formats.trajectory.model import MAX_UPLOAD_BYTES

MAX_SAFE_INTEGER = 2**53 - 1
MAX_INTEGER = 2**63 - 1


def _error(code: str, says: str) -> Rule:
    return Rule(code, "error", says)


def _finding(code: str, says: str) -> Rule:
    return Rule(code, "finding", says)


RULES = (
    _error("empty", "There is at least one trajectory."),
    _error("gzip", "The file is not compressed."),
    _error("utf16", "The file is UTF-8, not UTF-16 or UTF-32."),
    _error("not-utf8", "Every byte is part of UTF-8."),
    _error(
        "not-json",
        "The file is one JSON object, one array of objects, or JSON Lines: one object a line.",
    ),
    _error("json-seq", "Records are not separated by 0x1e (RFC 7464)."),
    _error("several-documents", "An object over several lines is the only one in its file."),
    _error("partial-last-line", "The last line is whole."),
    _error("duplicate-key", "No object has a key twice: readers would differ in what they see."),
    _error("number-not-finite", "No NaN, no Infinity, no number beyond a double."),
    _error("number-too-long", f"No whole number has more than {MAX_DIGITS:,} digits."),
    _error("half-surrogate", "No string has half of a surrogate pair."),
    _error("too-deep", f"At most {MAX_DEPTH} lists and objects in one another."),
    _error("too-many-values", f"At most {MAX_VALUES:,} values in one JSON text."),
    _error("too-large", f"A JSON text has at most {MAX_UPLOAD_BYTES:,} bytes."),
    _error("not-object", "A trajectory is an object."),
    _error("trace-id-missing", "A trajectory has a `trace_id`. The schema would make one up."),
    _error("events-missing", "A trajectory has `events`. The schema would take none."),
    _error("event-trace-id-missing", "Every event has a `trace_id`."),
    _error("event-trace-id-differs", "It is the trajectory's. The schema does not say so."),
    _error("field-missing", "Everything that the schema requires is there: `uri` of artifacts."),
    _error(
        "wrong-type",
        'Every field is of the type of the schema, unconverted: `"3"` and `3.0` are no integers.',
    ),
    _error("unknown-choice", "`event_type` and `modality` are among those that the schema lists."),
    _error("timestamp-invalid", "Times are RFC 3339: `2026-11-02T09:00:00Z`; no numbers."),
    _error("timestamp-no-offset", "Times say from where they are: `Z` or an offset."),
    _error("event-id-duplicate", "No two events of a trajectory have the same `event_id`."),
    _error("parent-unknown", "`parent_event_id` is the id of an event of the same trajectory."),
    _error("parent-cycle", "No event is its own ancestor."),
    _error("trace-id-duplicate", "No two trajectories of a file have the same `trace_id`."),
    _error("number-too-large", f"`step_index` is within {MAX_INTEGER} (63 bits) of 0."),
    _finding("bom", "The file starts with a byte order mark, which UTF-8 does not need."),
    _finding("number-unsafe", "`step_index` is beyond 2^53, where browsers lose digits."),
    _finding("unknown-field", "A field is not in the schema; readers drop it without a word."),
    _finding(
        "artifact-outside",
        "The `uri` of an artifact is no relative path inside its folder and no web address. It is"
        " never opened, either way.",
    ),
    _finding("ended-before-start", "`ended_at` is earlier than `started_at`."),
    _finding("duration-negative", "`duration_ms` is below 0."),
    _finding(
        "upload-too-large", f"The file has more than {MAX_UPLOAD_BYTES:,} bytes, an upload's limit."
    ),
)
"""All rules, in the order in which a reader meets them."""
