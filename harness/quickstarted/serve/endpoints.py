"""What each path does."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from quickstarted.serve import problems
from quickstarted.serve.answers import HEADERS, JSON, as_json, whole_file
from quickstarted.serve.bodies import Incoming
from quickstarted.serve.limits import MAX_PAGE_ITEMS, PAGE_ITEMS
from quickstarted.serve.openapi import openapi_document
from quickstarted.serve.replies import ListReply
from quickstarted.serve.schema import schema_document
from quickstarted.serve.staging import API
from quickstarted.serve.store import ID, Store, id_of
from quickstarted.serve.uploads import Uploads, status_of

_NUMBER = re.compile(r"[1-9]\d{0,2}", re.ASCII)


class Endpoints:
    """The paths of one server, over its store."""

    def __init__(self, store: Store, uploads: Uploads) -> None:
        self._store = store
        self._uploads = uploads

    def router(self) -> Router:
        """Finds the one for a request."""
        return Router(
            [
                Route("/api/v1/schema", _schema),
                Route("/api/v1/openapi.json", _openapi),
                Route(API, self._trajectories, methods=["GET", "POST"]),
                Route(f"{API}/{{id}}", self._trajectory),
                Route(f"{API}/{{id}}/upload", self._summary),
                Route(f"{API}/{{id}}/artifacts/{{name}}", self._artifact),
            ],
            redirect_slashes=False,
        )

    async def _trajectories(self, request: Request) -> Response:
        if request.method == "POST":
            return await self._upload(request)
        return await to_thread.run_sync(self._list, request)

    async def _upload(self, request: Request) -> Response:
        incoming = request.receive
        assert isinstance(incoming, Incoming)
        reply = await self._uploads.take(request, incoming)
        return as_json(reply, status_of(reply))

    def _list(self, request: Request) -> Response:
        limit, after = _paging(request)
        wanted = request.query_params.get("trace_id")
        if wanted is not None:
            found = self._store.summary(id_of(wanted))
            return as_json(ListReply(trajectories=[] if found is None else [found], next=None))
        summaries, last = self._store.page(after, limit)
        following = None
        if last is not None:
            following = f"{API}?{urlencode({'after': last, 'limit': limit})}"
        return as_json(ListReply(trajectories=summaries, next=following))

    def _trajectory(self, request: Request) -> Response:
        path = self._store.trajectory(request.path_params["id"])
        if path is None:
            raise problems.no_such_trajectory()
        return whole_file(path, JSON)

    def _summary(self, request: Request) -> Response:
        summary = self._store.summary(request.path_params["id"])
        if summary is None:
            raise problems.no_such_trajectory()
        return as_json(summary)

    def _artifact(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = self._store.artifact(request.path_params["id"], name)
        if path is None:
            raise problems.no_such_trajectory()
        # Whatever it is, no browser shows it: it is a stranger's.
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return whole_file(path, "application/octet-stream", headers)


async def _schema(request: Request) -> Response:
    del request
    return Response(schema_document(), headers=HEADERS, media_type=JSON)


async def _openapi(request: Request) -> Response:
    del request
    return as_json(openapi_document())


def _paging(request: Request) -> tuple[int, str]:
    limit = request.query_params.get("limit", str(PAGE_ITEMS))
    after = request.query_params.get("after")
    if not _NUMBER.fullmatch(limit) or int(limit) > MAX_PAGE_ITEMS:
        raise problems.bad_parameter("limit", limit, f"a number from 1 to {MAX_PAGE_ITEMS}")
    if after is not None and not ID.fullmatch(after):
        raise problems.bad_parameter("after", after, "the id of a trajectory")
    return int(limit), after or ""
