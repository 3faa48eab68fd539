"""
Build an image through the Engine API, again only when what it is made from changes.

The classic builder is used: it is in every engine since 20.10, while BuildKit needs a client of its
own. It has no secrets, so Dockerfiles that need the machine's certificates use them in a stage
whose layers do not reach the final image, and mark that stage with `LABEL quickstarted.build`.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import docker.errors

from quickstarted.errors import ImageFault
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images import build_host
from quickstarted.sandbox.images.pull import Progress
from quickstarted.sandbox.labels import ROLE

LATEST = "local"
"""Tag that points at the newest image of a repository."""
BUILD = "quickstarted.build"
"""Label: which build left an intermediate stage behind."""
LOG_TAIL_LINES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an image is made from."""

    repository: str
    role: str
    dockerfile: str
    """Its text."""
    files: Mapping[str, bytes]
    """The rest of the context: path to content."""
    base_id: str
    """Image id, handed over as the build argument BASE."""

    @property
    def tag(self) -> str:
        """The repository with the key: an image of this name is what the recipe makes."""
        return f"{self.repository}:{self.key}"

    @property
    def key(self) -> str:
        """Hash over Dockerfile, context and base: equal keys mean the same image."""
        digest = hashlib.sha256()
        parts = {"Dockerfile": self.dockerfile.encode(), "": self.base_id.encode(), **self.files}
        for path, content in sorted(parts.items()):
            digest.update(f"{path}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()[:16]


def ensure(engine: Engine, recipe: Recipe, *, progress: Progress | None = None) -> str:
    """
    The id of the image that *recipe* makes, built where it is missing.

    Its tag is the recipe's key, so it is found again as long as nothing that goes into it changes;
    `:local` of the same repository points at it too. (Labels would not do: an image that somebody
    builds on ours inherits them.)

    Raises:
        ImageFault: A step failed; the message ends with the last lines of its output.

    """
    with engine_calls(f"looking for {recipe.tag}"):
        found = _named(engine, recipe.tag)
    latest = f"{recipe.repository}:{LATEST}"
    if found and latest in found["RepoTags"]:
        return str(found["Id"])
    image_id = str(found["Id"]) if found else _build(engine, recipe, progress)
    point_latest_at(engine, image_id, recipe.repository)
    return image_id


def point_latest_at(engine: Engine, image_id: str, repository: str) -> None:
    """Have the repository's `:local` name *image_id*."""
    with engine_calls(f"tagging {repository}", gone=ImageFault):
        engine.api.tag(image_id, repository, LATEST, force=True)


def _named(engine: Engine, name: str) -> dict[str, Any] | None:
    """
    The image of that name; None when there is none.

    Inspected, not listed: a listing by name leaves out the other names of an image.
    """
    try:
        found: dict[str, Any] = engine.api.inspect_image(name)  # type: ignore[no-untyped-call]
    except docker.errors.NotFound:
        return None
    return found


def _build(engine: Engine, recipe: Recipe, progress: Progress | None) -> str:
    """
    Build *recipe*, tag it, and return the image's id; or another process's, if that was quicker.

    The build gets `ca.pem` (what this machine trusts) into its context, and this machine's
    proxies and Debian mirror (APT_MIRROR) as arguments.
    """
    started = time.monotonic()
    if progress:
        progress(f"building {recipe.repository}")
    build_id = uuid4().hex
    tail: deque[str] = deque(maxlen=LOG_TAIL_LINES)
    image_id = ""
    try:
        for event in _run(engine, recipe, build_id):
            image_id = (event.get("aux") or {}).get("ID") or image_id
            tail.extend(_worth_keeping(str(event.get("stream", ""))))
            if "errorDetail" in event or "error" in event:
                raise _failed(recipe, str(event.get("error")), tail)
    finally:
        _remove_stages(engine, build_id)
    with engine_calls(f"tagging {recipe.tag}", gone=ImageFault):
        rival = _named(engine, recipe.tag)
        if rival is None:
            engine.api.tag(image_id, recipe.repository, recipe.key)
        elif image_id != rival["Id"]:
            # With a warm cache two builds give one image; without, ours is the one too many.
            _remove(engine, image_id)
            image_id = str(rival["Id"])
        image: dict[str, Any] = engine.api.inspect_image(image_id)  # type: ignore[no-untyped-call]
    if progress:
        size = f"{image['Size'] / 1e6:.0f} MB"
        progress(f"built {recipe.repository} in {time.monotonic() - started:.1f} s, {size}")
    return image_id


def _worth_keeping(output: str) -> list[str]:
    """Lines of a build's output without the builder's own ids and blanks."""
    return [line for line in output.splitlines() if line and not line.startswith(" --->")]


def _run(engine: Engine, recipe: Recipe, build_id: str) -> Iterator[dict[str, Any]]:
    """Start the build; its events as they come."""
    proxies = build_host.proxy_args()
    machine = {"APT_MIRROR": build_host.debian_mirror(), "BUILD": build_id, **proxies}
    declared = {
        key: value
        for key, value in {"BASE": recipe.base_id, **machine}.items()
        if key in proxies or f"ARG {key}" in recipe.dockerfile
    }
    with engine_calls(f"building {recipe.repository}", gone=ImageFault):
        yield from engine.api.build(
            fileobj=_context(recipe),
            custom_context=True,
            buildargs=declared,
            labels={ROLE: recipe.role},
            network_mode=build_host.build_network(proxies),
            rm=True,
            forcerm=True,
            decode=True,
            use_config_proxy=False,
        )


def _context(recipe: Recipe) -> io.BytesIO:
    """The build context as a tar archive; times and owners fixed, so that caching can work."""
    packed = io.BytesIO()
    files = {"Dockerfile": recipe.dockerfile.encode(), "ca.pem": build_host.ca_bundle()}
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path, content in sorted({**recipe.files, **files}.items()):
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    packed.seek(0)
    return packed


def _failed(recipe: Recipe, error: str, tail: deque[str]) -> ImageFault:
    return ImageFault(
        f"building {recipe.repository} failed: {error}\n" + "\n".join(f"  {line}" for line in tail),
        hint="A build needs the package registries: check the network, the proxy variables and"
        " SSL_CERT_FILE, and run `quickstarted images build` again.",
    )


def _remove_stages(engine: Engine, build_id: str) -> None:
    """Remove the intermediate stages that this build marked; nobody uses them again."""
    with engine_calls("removing build stages"):
        stages = engine.api.images(filters={"label": f"{BUILD}={build_id}", "dangling": True})
        for stage in stages:
            _remove(engine, stage["Id"])


def _remove(engine: Engine, image_id: str) -> None:
    """Remove an image unless it is gone (404) or something still uses it (409)."""
    try:
        engine.api.remove_image(image_id)
    except docker.errors.APIError as exc:
        if exc.status_code not in (404, 409):
            raise
