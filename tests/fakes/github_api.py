"""The part of GitHub's API that comments need: a server on loopback with comments of its own."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "o/n"
TOKEN = "token-of-a-test"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
_COMMENTS = re.compile(rf"/api/repos/{REPOSITORY}/issues/(?P<issue>\d+)/comments")
_COMMENT = re.compile(rf"/api/repos/{REPOSITORY}/issues/comments/(?P<id>\d+)")


@dataclass
class GitHubApi:
    """
    Serves within `with`.

    `faults` are the next answers, before anything is looked at: a status, "lost" for a request
    that is carried out and whose answer never comes, or None for no fault.
    """

    comments: list[dict[str, Any]] = field(default_factory=list)
    faults: list[int | str | None] = field(default_factory=list)
    may_write: bool = True
    login: str | None = None
    """Of the user whose token it is; None for one of a job, which is no user's."""
    requests: list[str] = field(default_factory=list)
    """`METHOD PATH?QUERY`, in order."""

    def __post_init__(self) -> None:
        api = self

        class Handler(_Handler):
            owner = api

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """What GITHUB_API_URL is to be."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/api"

    @property
    def environ(self) -> dict[str, str]:
        """What a job has."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_TOKEN": TOKEN,
        }

    def add(self, body: str, *, issue: int = 7, user: dict[str, str] | None = None) -> None:
        """A comment that is there already."""
        number = len(self.comments) + 1
        self.comments.append({"id": number, "issue": issue, "body": body, "user": user or BOT})

    def bodies(self, issue: int = 7) -> list[str]:
        """Of the comments of a pull request."""
        return [one["body"] for one in self.comments if one["issue"] == issue]

    def answer(
        self, method: str, target: str, token: str, content: bytes
    ) -> tuple[int, Any] | None:
        """Status and document; None breaks the connection."""
        self.requests.append(f"{method} {target}")
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, int):
            return fault, {"message": "a fault of the test"}
        if token != f"Bearer {TOKEN}":
            return 401, {"message": "Bad credentials"}
        answer = self._carried_out(method, target, content)
        return None if fault == "lost" else answer

    def _carried_out(self, method: str, target: str, content: bytes) -> tuple[int, Any]:
        parts = urlsplit(target)
        if parts.path == "/api/user":
            return (200, {"login": self.login}) if self.login else (403, {"message": "no user"})
        many = _COMMENTS.fullmatch(parts.path)
        if method != "GET":
            return self._written(int(many["issue"]) if many else None, parts.path, content)
        if many is None:
            return 404, {"message": "Not Found"}
        query = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
        size, page = min(query.get("per_page", 30), 100), query.get("page", 1)
        known = [one for one in self.comments if one["issue"] == int(many["issue"])]
        return 200, known[size * (page - 1) : size * page]

    def _written(self, issue: int | None, path: str, content: bytes) -> tuple[int, Any]:
        body = json.loads(content)["body"]
        one = _COMMENT.fullmatch(path)
        if not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        if len(body) > 65_536:
            return 422, {"message": "Body is too long (maximum is 65536 characters)"}
        if issue is not None:
            self.add(body, issue=issue)
            return 201, self.comments[-1]
        if one is None:
            return 404, {"message": "Not Found"}
        self.comments[int(one["id"]) - 1]["body"] = body
        return 200, self.comments[int(one["id"]) - 1]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: GitHubApi

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        token = self.headers.get("authorization", "")
        answer = self.owner.answer(self.command, self.path, token, self.rfile.read(length))
        if answer is None:
            self.close_connection = True
            return
        content = json.dumps(answer[1]).encode()
        self.send_response(answer[0])
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.do_GET()

    def do_PATCH(self) -> None:
        self.do_GET()

    def log_message(self, *args: Any) -> None:
        """Tests look at `requests`."""
