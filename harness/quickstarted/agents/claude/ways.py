"""
The ways to Claude: the vendor's own API, Amazon Bedrock, and Google Vertex AI.

The way is a part of the agent's name (`claude:bedrock/MODEL`) and not of the environment: models
are named differently there, and a record must say where its tokens came from. Region, account and
address come from the variables that the vendor's client and Claude Code read too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from quickstarted.agents.address import ServiceAddress
from quickstarted.agents.claude.address import ADDRESS
from quickstarted.agents.keys import ApiKey, api_key
from quickstarted.agents.kinds import Package
from quickstarted.agents.model.access import Access
from quickstarted.errors import ModelRejected

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex
    from google.auth.credentials import Credentials

    Client = AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex

ANTHROPIC = Package(module="anthropic", name="anthropic")
BOTO3 = Package(module="boto3", name="boto3", extra="bedrock")
GOOGLE_AUTH = Package(module="google.auth", name="google-auth", extra="vertex")
VERTEX_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A client, and what is said of its credentials."""

    client: Client
    access: Access
    breaks: tuple[type[Exception], ...] = ()
    """What it raises, beside the vendor's own, where it cannot renew credentials for now."""
    refusals: tuple[type[Exception], ...] = ()
    """What it raises, beside the vendor's own, where its credentials are no good."""


class Way(Protocol):
    """A way to Claude."""

    @property
    def packages(self) -> tuple[Package, ...]:
        """That it needs."""

    def open(self, http_client: httpx2.AsyncClient, timeout: httpx2.Timeout) -> Opened:
        """
        Make a client, without asking the service anything.

        Raises:
            ModelRejected: There are no credentials, or no usable address.

        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """The Messages API, or what `ANTHROPIC_BASE_URL` names in its place."""

    model: str
    environ: Mapping[str, str] = field(repr=False)
    packages: tuple[Package, ...] = (ANTHROPIC,)

    def open(self, http_client: httpx2.AsyncClient, timeout: httpx2.Timeout) -> Opened:
        """With a key, which goes to no other address than the one that was named."""
        from anthropic import AsyncAnthropic  # noqa: PLC0415

        key = api_key("anthropic", self.environ)
        client = AsyncAnthropic(
            api_key=key.value,
            base_url=ADDRESS.of(self.environ),
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
        )
        access = _access(self.model, f"the key in {key.variable}", ADDRESS.variable, key)
        return Opened(client=client, access=access)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bedrock:
    """Amazon Bedrock, with the credentials that AWS's own tools find."""

    model: str
    environ: Mapping[str, str] = field(repr=False)
    packages: tuple[Package, ...] = (ANTHROPIC, BOTO3)

    def open(self, http_client: httpx2.AsyncClient, timeout: httpx2.Timeout) -> Opened:
        """With the bearer token of `AWS_BEARER_TOKEN_BEDROCK`, else with signed requests."""
        from anthropic import AsyncAnthropicBedrock  # noqa: PLC0415
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415

        token = self.environ.get("AWS_BEARER_TOKEN_BEDROCK", "").strip() or None
        region = self._region(signs=token is None)
        usual = f"https://bedrock-runtime.{region}.amazonaws.com"
        address = ServiceAddress(variable="ANTHROPIC_BEDROCK_BASE_URL", usual=usual)
        client = AsyncAnthropicBedrock(
            aws_region=region,
            api_key=token,
            base_url=address.of(self.environ),
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
        )
        key = ApiKey(variable="AWS_BEARER_TOKEN_BEDROCK", value=token) if token else None
        access = _access(
            f"bedrock/{self.model}", f"the AWS credentials (in {region})", address.variable, key
        )
        return Opened(client=client, access=access, refusals=(BotoCoreError,))

    def _region(self, *, signs: bool) -> str:
        """
        Where Bedrock is asked.

        Raises:
            ModelRejected: No region is set, or there is nothing to sign requests with.

        """
        import boto3  # noqa: PLC0415
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415

        named = self.environ.get("AWS_REGION") or self.environ.get("AWS_DEFAULT_REGION")
        try:
            session = boto3.Session()
            region = named or session.region_name
            signer = session.get_credentials() if signs else None
        except BotoCoreError as error:
            raise ModelRejected(
                f"the AWS configuration cannot be used: {error}",
                hint="Look at AWS_PROFILE and ~/.aws/config.",
            ) from error
        if not region:
            raise ModelRejected(
                "Bedrock is asked in a region, and none is set", hint="export AWS_REGION=..."
            )
        if signs and signer is None:
            raise ModelRejected(
                "there are no AWS credentials",
                hint="Set AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or"
                " AWS_BEARER_TOKEN_BEDROCK; or run: aws configure",
            )
        return str(region)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vertex:
    """Google Vertex AI, with Google's application default credentials."""

    model: str
    environ: Mapping[str, str] = field(repr=False)
    packages: tuple[Package, ...] = (ANTHROPIC, GOOGLE_AUTH)

    def open(self, http_client: httpx2.AsyncClient, timeout: httpx2.Timeout) -> Opened:
        """With an access token, which the client renews."""
        from anthropic import AsyncAnthropicVertex  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415

        region = self.environ.get("CLOUD_ML_REGION", "").strip()
        if not region:
            raise ModelRejected(
                "Vertex AI is asked in a region, and none is set",
                hint="export CLOUD_ML_REGION=global",
            )
        credentials, project = self._credentials()
        client = AsyncAnthropicVertex(
            region=region,
            project_id=project,
            credentials=credentials,
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
            base_url=self._address(),
        )
        access = _access(
            f"vertex/{self.model}",
            f"the Google credentials (project {project}, {region})",
            "ANTHROPIC_VERTEX_BASE_URL",
        )
        return Opened(
            client=client, access=access, breaks=(TransportError,), refusals=(GoogleAuthError,)
        )

    def _address(self) -> str | None:
        """None for the one that goes with the region."""
        return (
            ServiceAddress(variable="ANTHROPIC_VERTEX_BASE_URL", usual="").of(self.environ) or None
        )

    def _credentials(self) -> tuple[Credentials, str]:
        """
        Credentials and project.

        Raises:
            ModelRejected: One is missing.

        """
        import google.auth  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

        try:
            credentials, found = google.auth.default(scopes=[VERTEX_SCOPE])
        except GoogleAuthError as error:
            raise ModelRejected(
                f"there are no Google credentials: {error}",
                hint="Run: gcloud auth application-default login",
            ) from error
        project = self.environ.get("ANTHROPIC_VERTEX_PROJECT_ID", "").strip() or found
        if not project:
            raise ModelRejected(
                "Vertex AI is asked for a project, and none is set",
                hint="export ANTHROPIC_VERTEX_PROJECT_ID=...",
            )
        return credentials, project


def _access(
    model: str, credentials: str, address_variable: str, key: ApiKey | None = None
) -> Access:
    return Access(
        agent="claude",
        model=model,
        credentials=credentials,
        address_variable=address_variable,
        key=key,
    )


PLATFORMS: dict[str, Callable[[str, Mapping[str, str]], Way]] = {
    "bedrock": lambda model, environ: Bedrock(model=model, environ=environ),
    "vertex": lambda model, environ: Vertex(model=model, environ=environ),
}
"""What a model's name may begin with, before a slash."""


def way_to(model: str, environ: Mapping[str, str]) -> tuple[Way, str]:
    """The way that *model* names, and the model without it."""
    platform, slash, rest = model.partition("/")
    if slash and platform in PLATFORMS:
        return PLATFORMS[platform](rest, environ), rest
    return Direct(model=model, environ=environ), model
