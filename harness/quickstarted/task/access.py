"""The parts of a task that say what may be read and reached: docs, network, secrets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from quickstarted.task.hosts import HostPort, host_and_port, same_page, url_host, url_prefix
from quickstarted.task.limits import Part, none_for
from quickstarted.task.loading import existing_folder
from quickstarted.task.scalars import (
    DATA_SIZE_SCHEMA,
    DataSize,
    DomainName,
    HeaderName,
    HeaderValue,
    Host,
    PageUrl,
    PathPattern,
    UrlPrefix,
    as_text,
)


@dataclass(frozen=True, slots=True)
class Site:
    """What stands in for the pages below a URL prefix; exactly one of the two is set."""

    folder: Path | None = None
    """Absolute path of a local build of the documentation."""
    url: str | None = None
    """A preview deployment."""
    named: Path | None = None
    """What records call `folder`, where that is a copy on a node of a cluster."""


def parse_site(value: str, base: Path) -> Site:
    """
    Read the right side of `docs.sites` or `--docs-site`.

    Args:
        value: A URL, or a folder relative to *base*.
        base: Absolute folder.

    Raises:
        ValueError: Neither a valid URL nor an existing folder.

    """
    if "://" in value:
        return Site(url=url_prefix(value))
    return Site(folder=existing_folder(value, base))


def _site(value: Any, info: ValidationInfo) -> Site:
    text = as_text(value)
    if info.context is None:
        return Site(url=text) if "://" in text else Site(folder=Path(text))
    return parse_site(text, info.context.folder)


_SiteSource = Annotated[
    Site, PlainValidator(_site), WithJsonSchema({"type": "string", "pattern": r"\S"})
]


def _pages_once(pages: tuple[str, ...]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for index, page in enumerate(pages):
        first = seen.setdefault(same_page(page), index)
        if first != index:
            raise ValueError(
                f"the same page stands twice on the path: items {first} and {index} are {page}"
            )
    return pages


class DocsSpec(Part):
    """The documentation: what the agent may read, and only with `read_docs`."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["path"]}, {"required": ["entrypoint"]}]}
    )

    path: Annotated[tuple[PageUrl, ...], AfterValidator(_pages_once)] | None = Field(
        default=None, json_schema_extra={"uniqueItems": True}
    )
    """The route a reader takes, page by page, in order; each host on it is allowed."""
    entrypoint: PageUrl | None = None
    """The one-page case of `path`."""
    allow: tuple[Host, ...] = ()
    """Further documentation hosts; a host means itself and its subdomains."""
    sites: dict[UrlPrefix, _SiteSource] = Field(default_factory=dict)
    """URL prefix to a local folder (relative to this file) or a URL that is read in its place."""
    headers: dict[Host, dict[HeaderName, HeaderValue]] = Field(default_factory=dict)
    """Host to headers sent to it; a value is `$NAME`, a variable of the caller's environment."""

    @property
    def route(self) -> tuple[str, ...]:
        """The pages, in order."""
        return self.path or ((self.entrypoint,) if self.entrypoint else ())

    @property
    def hosts(self) -> tuple[str, ...]:
        """Documentation hosts in the order in which they are named, each once."""
        return tuple(dict.fromkeys([*map(url_host, self.route), *self.allow]))

    @property
    def preview_hosts(self) -> tuple[str, ...]:
        """Hosts of previews, each once; `read_docs` reads pages there under public names."""
        previews = (site.url for site in self.sites.values() if site.url is not None)
        return tuple(dict.fromkeys(map(url_host, previews)))

    @field_validator("headers")
    @classmethod
    def _each_header_once(cls, headers: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        for host, own in headers.items():
            names = [name.lower() for name in own]
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise ValueError(f"{', '.join(twice)} stands twice for {host}")
        return headers

    @model_validator(mode="after")
    def _one_route(self) -> Self:
        if self.path is not None and self.entrypoint is not None:
            raise ValueError("has both `path` and `entrypoint`: put the page first on the path")
        if not self.route:
            raise ValueError("needs `path` with at least one page, or `entrypoint`")
        return self

    @model_validator(mode="after")
    def _sites_can_be_read(self) -> Self:
        for prefix in self.sites:
            host = url_host(prefix)
            if not any(host == known or host.endswith("." + known) for known in self.hosts):
                raise ValueError(
                    f"`sites` stands in for {prefix}, and {host} is no documentation host: "
                    "add it to `allow`"
                )
        return self


def _host_and_port(value: Any) -> HostPort:
    return host_and_port(as_text(value))


_AllowedHost = Annotated[
    HostPort,
    PlainValidator(_host_and_port),
    WithJsonSchema({"type": "string", "pattern": r"^[^\s/@:*]+(:[0-9]{1,5})?$"}),
]


def _some(patterns: tuple[str, ...]) -> tuple[str, ...]:
    if not patterns:
        raise ValueError("needs at least one pattern: without any, nothing could be requested")
    return patterns


_Patterns = Annotated[
    tuple[PathPattern, ...], AfterValidator(_some), Field(json_schema_extra={"minItems": 1})
]
_Transfer = Annotated[
    DataSize | None,
    none_for("none"),
    WithJsonSchema({"anyOf": [*DATA_SIZE_SCHEMA["anyOf"], {"const": "none"}]}),
]


class NetworkSpec(Part):
    """What the sandbox's shell may reach."""

    allow: tuple[_AllowedHost, ...] = ()
    """Hosts, or `host:port`, beside the default registries; beats the docs rule for that host."""
    only: tuple[DomainName, ...] | None = None
    """Hosts in place of the default registries; an empty list is none at all."""
    private: tuple[Host, ...] = ()
    """Hosts that may resolve to a private address."""
    paths: dict[DomainName, _Patterns] = Field(default_factory=dict)
    """Host to patterns of the paths that may be requested there; for a registry, in place of its
    own."""
    websocket: tuple[DomainName, ...] = ()
    """Hosts with which WebSocket may be spoken; they need to be allowed as well."""
    max_upload_bytes: _Transfer = Field(default=200 * 1024**2, alias="max_upload")
    """What the sandbox may send in all: a size such as `200m`; `none` is no limit."""
    max_download_bytes: _Transfer = Field(default=20 * 1024**3, alias="max_download")
    """What the sandbox may receive in all: a size such as `20g`; `none` is no limit."""


class SecretSpec(Part):
    """A key that the product under test needs; the sandbox only ever holds a placeholder."""

    hosts: Annotated[tuple[DomainName, ...], Field(min_length=1)]
    """Hosts whose requests get the real value in place of the placeholder."""
