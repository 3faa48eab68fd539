"""One comment on a pull request, against a server that has GitHub's rules."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fakes.github_api import GitHubApi
from quickstarted.ci.comment import COMMENT_BYTES, TRIES, Commenter, marker
from quickstarted.ci.github import Job
from quickstarted.errors import CommentRefused


@pytest.fixture
def api():
    with GitHubApi() as server:
        yield server


def write(api, text="figures", *, key="nightly", **job):
    made = Job.of({**api.environ, **job})
    return Commenter(job=made, pull_request=7, pause_s=0.01).write(key, text)


def test_the_first_job_makes_the_comment_and_the_next_updates_it(api):
    assert ["created", "updated"] == [write(api, "one"), write(api, "two")]
    assert [f"{marker('nightly')}\ntwo"] == api.bodies()


def test_a_comment_that_says_the_same_is_left_alone(api):
    write(api)

    assert "unchanged" == write(api)
    assert "PATCH" not in " ".join(api.requests)


def test_two_jobs_have_two_comments(api):
    for key, text in (("a", "1"), ("b", "2"), ("a", "3"), ("b", "4")):
        write(api, text, key=key)

    assert [f"{marker('a')}\n3", f"{marker('b')}\n4"] == api.bodies()


def test_a_key_that_another_begins_with_is_another(api):
    write(api, "1", key="a b")
    write(api, "2", key="a")

    assert 2 == len(api.bodies())


def test_the_comment_is_found_behind_hundreds_of_others(api):
    for number in range(250):
        api.add(f"talk {number}")
    write(api, "one")
    api.add("more talk")

    assert "updated" == write(api, "two")
    assert 1 == sum(body.startswith(marker("nightly")) for body in api.bodies())


def test_comments_of_other_pull_requests_are_not_touched(api):
    api.add(f"{marker('nightly')}\nother", issue=8)

    assert "created" == write(api)
    assert [f"{marker('nightly')}\nother"] == api.bodies(8)


def test_a_marker_in_a_strangers_comment_is_not_overwritten(api):
    api.add(f"{marker('nightly')}\nmine", user={"login": "mallory", "type": "User"})
    write(api)

    assert [f"{marker('nightly')}\nmine", f"{marker('nightly')}\nfigures"] == api.bodies()


def test_a_marker_that_somebody_quotes_is_none(api):
    api.add(f"> {marker('nightly')}\n> figures")

    assert "created" == write(api)


def test_a_token_of_a_user_updates_that_users_comment(api):
    api.login = "maintainer"
    api.add(f"{marker('nightly')}\nold", user={"login": "maintainer", "type": "User"})

    assert "updated" == write(api)


@pytest.mark.parametrize("faults", [[500], [503, 502], [429], ["lost"]])
def test_what_may_pass_is_tried_again(api, faults):
    api.faults[:] = faults

    assert "created" == write(api)
    assert 1 == len(api.bodies())


def test_a_comment_whose_answer_was_lost_is_not_made_twice(api):
    api.faults[:] = [None, "lost"]

    assert "unchanged" == write(api)
    assert [f"{marker('nightly')}\nfigures"] == api.bodies()


def test_a_service_that_stays_away_is_given_up(api):
    api.faults[:] = [503] * 20
    with pytest.raises(CommentRefused, match="GitHub says 503 Service Unavailable"):
        write(api)

    assert TRIES == len(api.requests)


def test_a_job_without_permission_is_told_which_it_needs_and_tries_once(api):
    api.may_write = False
    with pytest.raises(CommentRefused) as refused:
        write(api)

    assert "cannot comment on #7: GitHub says 403 Forbidden" == refused.value.message
    assert "pull-requests: write" in refused.value.hint
    assert 2 == len(api.requests)


def test_a_wrong_token_stands_in_no_message(api):
    with pytest.raises(CommentRefused) as refused:
        write(api, GITHUB_TOKEN="a-wrong-token")

    assert "401" in str(refused.value)
    assert "a-wrong-token" not in f"{refused.value}{refused.value.__cause__}"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "no address", "http://[", "ftp://x"])
def test_an_address_that_leads_nowhere_is_a_refusal(api, url):
    with pytest.raises(CommentRefused, match="cannot comment on #7"):
        write(api, GITHUB_API_URL=url)


def test_the_longest_text_is_taken(api):
    assert "created" == write(api, "x" * COMMENT_BYTES, key="k" * 200)


ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Surrogates too: what is not UTF-8 on a command line becomes some."""


@given(ANY_TEXT)
@example("\udc80")
def test_no_key_ends_the_marker_early(key):
    line = marker(key)

    assert line.startswith("<!-- quickstarted: ")
    assert line.endswith(" -->")
    assert "--" not in line[4:-3]
    assert ">" not in line[:-1]
    assert 1 == len(line.splitlines())


@given(ANY_TEXT, ANY_TEXT)
@example("\udc80", "\ud800")
def test_different_keys_have_different_markers(one, other):
    assert (one == other) == (marker(one) == marker(other))
