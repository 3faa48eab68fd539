"""
One comment on a pull request that is updated, whichever job and whichever push writes it.

The comment is known by a marker on its first line, which is an HTML comment and is not shown. Two
jobs have two keys, and so two comments.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

import httpx
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from quickstarted.ci.github import Job
from quickstarted.errors import CommentRefused
from quickstarted.trust import ssl_context

COMMENT_BYTES = 65_000
"""GitHub takes 65,536 characters."""
TRIES = 4
PER_PAGE = 100
MOST_PAGES = 50
TIMEOUT_S = 30.0
_NO_PERMISSION = (401, 403, 404)

Done = Literal["created", "updated", "unchanged"]


def marker(key: str) -> str:
    """The first line of the comment with *key*."""
    # `--` may not be in an HTML comment.
    name = quote(key, safe="/ ", errors="backslashreplace").replace("--", "%2D%2D")
    return f"<!-- quickstarted: {name} -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commenter:
    """Writes comments on one pull request."""

    job: Job
    pull_request: int
    pause_s: float = 1.0
    """Before the second try; twice as long before each further one."""
    context: ssl.SSLContext = field(default_factory=ssl_context, repr=False)

    def write(self, key: str, markdown: str) -> Done:
        """
        Update the comment with *key*, or make it.

        A try that failed begins anew with the search, so that one whose answer was lost does not
        make a second comment.

        Raises:
            CommentRefused: GitHub does not take it, or does not answer.

        """
        retrying = Retrying(
            stop=stop_after_attempt(TRIES),
            wait=wait_exponential(multiplier=self.pause_s, max=30),
            retry=retry_if_exception(_is_passing),
            reraise=True,
        )
        body = f"{marker(key)}\n{markdown}"
        try:
            with httpx.Client(
                base_url=self.job.api_url,
                headers=self._headers(),
                timeout=TIMEOUT_S,
                verify=self.context,
                follow_redirects=True,
            ) as client:
                return retrying(self._write, client, body)
        except httpx.HTTPStatusError as exc:
            raise self._refused(exc.response) from exc
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as exc:
            raise CommentRefused(f"cannot comment on #{self.pull_request}: {exc}") from exc

    def _headers(self) -> dict[str, str]:
        return {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {self.job.token}",
            "x-github-api-version": "2022-11-28",
        }

    def _write(self, client: httpx.Client, body: str) -> Done:
        first_line = body.partition("\n")[0]
        found = next(
            (
                one
                for one in self._comments(client)
                if str(one.get("body", "")).startswith(f"{first_line}\n") and _is_ours(one, client)
            ),
            None,
        )
        issues = f"/repos/{self.job.repository}/issues"
        if found is None:
            _sent(client, "POST", f"{issues}/{self.pull_request}/comments", body)
            return "created"
        if str(found["body"]).rstrip() == body.rstrip():
            return "unchanged"
        _sent(client, "PATCH", f"{issues}/comments/{int(found['id'])}", body)
        return "updated"

    def _comments(self, client: httpx.Client) -> Iterator[dict[str, Any]]:
        for page in range(1, MOST_PAGES + 1):
            answer = client.get(
                f"/repos/{self.job.repository}/issues/{self.pull_request}/comments",
                params={"per_page": PER_PAGE, "page": page},
            )
            answer.raise_for_status()
            comments = answer.json()
            yield from comments
            if len(comments) < PER_PAGE:
                return

    def _refused(self, response: httpx.Response) -> CommentRefused:
        hint = ""
        if response.status_code in _NO_PERMISSION:
            hint = (
                "The job needs `permissions: pull-requests: write`. A pull request from a fork has"
                " a token that may only read: post from a workflow_run job (docs/ci.md)."
            )
        said = f"{response.status_code} {response.reason_phrase}".strip()
        return CommentRefused(
            f"cannot comment on #{self.pull_request}: GitHub says {said}", hint=hint
        )


def _is_ours(comment: dict[str, Any], client: httpx.Client) -> bool:
    """
    Whether a job wrote it, or the user whose token this is.

    Anybody can write a marker into a comment of their own, which is not to be overwritten.
    """
    user = comment.get("user") or {}
    if user.get("type") == "Bot":
        return True
    answer = client.get("/user")
    return answer.is_success and answer.json().get("login") == user.get("login")


def _sent(client: httpx.Client, method: str, path: str, body: str) -> None:
    client.request(method, path, json={"body": body}).raise_for_status()


def _is_passing(exc: BaseException) -> bool:
    """Whether the same request may be answered a moment later."""
    if isinstance(exc, httpx.HTTPStatusError):
        return exc.response.status_code >= 500 or exc.response.status_code == 429
    return isinstance(exc, httpx.TransportError)
