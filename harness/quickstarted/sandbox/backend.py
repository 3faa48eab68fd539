"""
The Docker backend: a sandbox on a lane of its own, the only way out of which is the sidecar.

Sidecar and sandbox are made side by side; what an attempt leaves is removed behind the back of the
next one, which takes over the lane where it can.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network
from pathlib import Path

from quickstarted.sandbox import engine as engines
from quickstarted.sandbox.container.keep import same_placeholders
from quickstarted.sandbox.container.sandbox import ContainerSpec, DockerSandbox, create_container
from quickstarted.sandbox.container.spec import HOSTNAME
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.images import resolve as images
from quickstarted.sandbox.images.layers import Workshop, with_program
from quickstarted.sandbox.images.pull import Progress
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.lanes.image_files import ImageFiles, pack, read_image_files
from quickstarted.sandbox.lanes.networks import DEFAULT_RANGE, configured_range
from quickstarted.sandbox.lanes.packages import PackageVolume, configured_packages
from quickstarted.sandbox.lanes.pool import LanePool, Seat
from quickstarted.sandbox.lanes.rules import rules_of
from quickstarted.sandbox.lanes.sidecar_container import SidecarSpec
from quickstarted.sandbox.lanes.trust import IMAGE_PATHS, trust_environment, trust_files
from quickstarted.sandbox.lanes.trust_config import TRUST_DIR
from quickstarted.sandbox.lanes.upstream import Upstream, upstream_of_host
from quickstarted.sandbox.lanes.watch import INTERVAL_S
from quickstarted.sandbox.protocol import EgressSink, ImageIdentity, SandboxSpec
from quickstarted_proxy.secrets_table import scrubbing
from quickstarted_proxy.substitution import Replacer


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendOptions:
    """What holds for all attempts of one invocation."""

    run_id: str
    """On the labels of everything that is created."""
    upstream: Upstream = field(default_factory=Upstream)
    address_range: IPv4Network = DEFAULT_RANGE
    progress: Progress | None = None
    """Takes lines for a person while images are pulled or built."""
    sidecar_image: str | None = None
    """Another image than the one that is built from this program's sources."""
    packages: PackageVolume | None = None
    """Where sidecars keep files that never change; None keeps nothing."""
    watch_interval_s: float = INTERVAL_S
    """Between two rounds of the watch over a sidecar."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The caller's; says where agents' programs come from, and are kept."""
    extra_ca_files: tuple[Path, ...] = ()
    """Certificates that they may be served with (`--upstream-ca`)."""


def docker_backend(
    run_id: str,
    environ: Mapping[str, str],
    *,
    upstream_ca: Path | None = None,
    progress: Progress | None = None,
    package_cache: bool = True,
) -> DockerBackend:
    """
    Connect to the engine and take everything else from the environment.

    Raises:
        EngineFault: No engine answers.
        UsageError: A variable names a certificate file, proxy, range or size that cannot be used.

    """
    address_range = configured_range(environ)
    packages = configured_packages(environ) if package_cache else None
    engine = engines.connect()
    # Docker Desktop forwards that name to the loopback of the machine that it runs on.
    desktop = engine.info.get("OperatingSystem") == "Docker Desktop"
    upstream = upstream_of_host(environ, extra_ca=upstream_ca, host_alias=desktop)
    options = BackendOptions(
        run_id=run_id,
        upstream=upstream,
        address_range=address_range,
        progress=progress,
        packages=packages,
        environ=environ,
        extra_ca_files=(upstream_ca,) if upstream_ca else (),
    )
    return DockerBackend(engine, options)


class DockerBackend:
    """Keeps the promise of `protocol.Backend`; safe to use from several threads."""

    name = "docker"
    enforced = True

    def __init__(self, engine: Engine, options: BackendOptions) -> None:
        self.engine = engine
        self._options = options
        self._pool = LanePool(
            engine,
            options.run_id,
            address_range=options.address_range,
            sidecar_spec=self._sidecar_spec,
        )
        self._image_files: dict[str, ImageFiles] = {}
        self._image_files_lock = threading.Lock()

    @property
    def disk(self) -> Path | None:
        """The engine's own folder, where it is one of this machine."""
        is_local = self.engine.api.base_url.startswith("http+docker:")
        folder = Path(str(self.engine.info.get("DockerRootDir") or ""))
        # Desktop's is in its virtual machine, behind a socket of this one.
        return folder if is_local and folder.is_absolute() and folder.is_dir() else None

    def prepare(self, images_wanted: Iterable[str]) -> None:
        """
        Begin with what the first attempt will wait for, in the background: the first sidecar, the
        images, and a sweep of what dead runs left.

        What fails here fails again, and is told, in `open`.
        """
        self._pool.warm_up()
        for name in images_wanted:
            self._pool.background(functools.partial(self.resolve, name, None))
        self._pool.background(lambda: sweep(self.engine, now=time.time()))

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """See `protocol.Backend`; an image that is not here is pulled."""
        progress = self._options.progress
        return images.resolve(self.engine, image, platform=platform, progress=progress)

    @contextmanager
    def open(self, spec: SandboxSpec, on_egress: EgressSink) -> Iterator[DockerSandbox]:
        """
        Set up a sandbox on a lane, warm or new; see `protocol.Backend`.

        `facts["phases"]` of the sandbox says how long what took, in seconds; `sidecar` and
        `sandbox` overlap.
        """
        phases = Phases()
        with phases.timed("image"):
            image = self.resolve(spec.image, spec.platform)
            spec = self._with_kept_placeholders(spec, image)
            if spec.program is not None:
                image = with_program(self._workshop(), image, spec.program)
        with phases.timed("network"):
            seat = self._pool.take(rules_of(spec), on_egress)
        container_id = None
        sandbox = None
        try:
            container_spec = self._container_spec(spec, image, seat)
            with phases.timed("sandbox"):
                container_id = create_container(self.engine, container_spec)
                sandbox = DockerSandbox(self.engine, container_id, container_spec, seat.lane)
                seat.lane.wait_until_vacant()
                with seat.lane.attaching:
                    sandbox.start()
            # From a running container: the engine mounts the file system of a stopped one first.
            files = self._files_of(image, container_id)
            begun = seat.begun.result()
            with phases.timed("trust"):
                sandbox.unpack(_trust_archive(container_spec, seat, files))
            sandbox.facts |= {
                "sidecar_image_id": begun.sidecar_image_id,
                "lane": "warm" if begun.warm else "cold",
                "phases": phases.finished(sidecar=begun.duration_s),
            }
            yield sandbox
        finally:
            if sandbox is not None:
                sandbox.close()
            self._pool.give_back(seat, container_id)

    def expect(self, attempts: int) -> None:
        """See `protocol.Backend`: lanes that nobody will need are removed while others work."""
        self._pool.expect(attempts)

    def close(self) -> None:
        """
        Remove all that this invocation created; images of kept sandboxes stay.

        Raises:
            EngineFault: Something could not be removed; `quickstarted gc` will find it.

        """
        self._pool.close()
        self.engine.close()

    def _workshop(self) -> Workshop:
        options = self._options
        return Workshop(
            engine=self.engine,
            run_id=options.run_id,
            environ=options.environ,
            progress=options.progress,
            extra_ca_files=options.extra_ca_files,
        )

    def _sidecar_spec(self) -> SidecarSpec:
        options = self._options
        image = options.sidecar_image or images.sidecar_image(self.engine, options.progress)
        return SidecarSpec(
            run_id=options.run_id,
            image=image,
            upstream=options.upstream,
            packages=options.packages,
            watch_interval_s=options.watch_interval_s,
        )

    def _container_spec(self, spec: SandboxSpec, image: ImageIdentity, seat: Seat) -> ContainerSpec:
        found = images.inspect(self.engine, image.image_id) or {}
        config = found.get("Config") or {}
        image_env = dict(entry.split("=", 1) for entry in config.get("Env") or [] if "=" in entry)
        wanted = spec.env | spec.placeholders
        trust = trust_environment(seat.lane.sidecar_ip, [seat.ip, HOSTNAME], image_env | wanted)
        return ContainerSpec(
            run_id=spec.run_id,
            image=image,
            labels=labels(self._options.run_id, "sandbox"),
            network_id=seat.lane.network.id,
            ipv4=seat.ip,
            dns_ip=seat.lane.sidecar_ip,
            env=with_task_env(trust, wanted),
            user=spec.user,
            platform=spec.platform,
            resources=spec.resources,
            record_dir=spec.record_dir,
            scrubber=Replacer(scrubbing(spec.secrets)),
            # Engines keep a resolver at 127.0.0.11 whatever /etc/resolv.conf says, and some have
            # let it ask the outside from a closed network (moby #47333): it asks the sidecar.
            host_config={"Dns": [seat.lane.sidecar_ip], "DnsSearch": ["."], "DnsOptions": []},
        )

    def _with_kept_placeholders(self, spec: SandboxSpec, image: ImageIdentity) -> SandboxSpec:
        if not spec.secrets:
            return spec
        found = images.inspect(self.engine, image.image_id) or {}
        return replace(spec, secrets=same_placeholders(found, spec.secrets))

    def _files_of(self, image: ImageIdentity, container_id: str) -> ImageFiles:
        """What the image has at the places that trust needs; read once per image."""
        with self._image_files_lock:
            files = self._image_files.get(image.image_id)
        if files is None:
            files = read_image_files(self.engine, container_id, IMAGE_PATHS)
            with self._image_files_lock:
                self._image_files[image.image_id] = files
        return files


def _trust_archive(spec: ContainerSpec, seat: Seat, files: ImageFiles) -> bytes:
    """What makes the sandbox trust its sidecar, as a tar archive for its root."""
    variables = {name: spec.env[name] for name in trust_environment("", [], {})}
    return pack(trust_files(seat.lane.material, variables, files), folders=[TRUST_DIR])


MERGED = frozenset({"NO_PROXY", "no_proxy", "JAVA_TOOL_OPTIONS"})
"""Variables in which `trust_environment` keeps what the task says."""


def with_task_env(trust: Mapping[str, str], task: Mapping[str, str]) -> dict[str, str]:
    """All variables of the sandbox: where the task sets one of ours, it means it."""
    return {**trust, **{name: value for name, value in task.items() if name not in MERGED}}


class Phases:
    """How long the parts of setting up took."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Time the block."""
        began = time.monotonic()
        yield
        self._seconds[phase] = round(time.monotonic() - began, 4)

    def finished(self, **others: float) -> dict[str, float]:
        """All phases, those that another thread timed, and the whole."""
        rounded = {name: round(seconds, 4) for name, seconds in others.items()}
        return {**self._seconds, **rounded, "total": round(time.monotonic() - self._began, 4)}
