"""Tokens by one set of names, none counted twice, and as they were given beside it."""

import pytest

from quickstarted.formats.trajectory.importing.usage import usage_metadata


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {
                "prompt_tokens": 30,
                "completion_tokens": 5,
                "total_tokens": 35,
                "prompt_tokens_details": {"cached_tokens": 10},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            (20, 5, 35, 10, None, 2),
        ),
        (
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 100,
                "cache_read_input_tokens": 50,
                "output_tokens": 20,
            },
            (3, 20, None, 50, 100, None),
        ),
        (
            {"input_tokens": 11, "output_tokens": 5, "cached_input_tokens": 4},
            (7, 5, None, 4, None, None),
        ),
        (
            {"input_tokens": 11, "output_tokens": 5, "cached_input_tokens": 0}
            | {"cache_write_input_tokens": 3},
            (8, 5, None, 0, 3, None),
        ),
        (
            {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}
            | {"input_token_details": {"cache_read": 2}, "output_token_details": {"reasoning": 1}},
            (7, 1, 10, 2, None, 1),
        ),
        ({"input": 812, "output": 64}, (812, 64, None, None, None, None)),
        ({"inputTokens": 3, "cacheReadInputTokens": 1}, (3, None, None, 1, None, None)),
    ],
)
def test_every_spelling_has_one_meaning(given, expected):
    names = ("input", "output", "total", "cache_read_input", "cache_write_input", "reasoning")
    told = {f"{name}_tokens": count for name, count in zip(names, expected, strict=True)}
    made = usage_metadata(given)

    assert {key: count for key, count in told.items() if count is not None} == made["usage"]
    assert given == made.get("usage_as_given", given)


@pytest.mark.parametrize(
    "given", [{"input_tokens": True}, {"input_tokens": -1}, {"input_tokens": 10**400}, {"x": []}, 5]
)
def test_what_is_no_count_stays_as_it_is_given(given):
    made = usage_metadata(given)

    assert {} == made.get("usage", {})
    assert given == made["usage_as_given"]


def test_cached_tokens_are_never_more_than_all():
    made = usage_metadata({"prompt_tokens": 5, "cached_tokens": 9})

    assert {"input_tokens": 0, "cache_read_input_tokens": 9} == made["usage"]
