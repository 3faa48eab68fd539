"""The real engine and the fake one, each brought into the same states by its own means."""

from __future__ import annotations

import io
import tarfile
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import docker.errors
from docker.types import IPAMConfig, IPAMPool

from fakes import lanes
from fakes.fake_engine import BEING_REMOVED, IMAGE_IN_USE, IN_USE, FakeEngine, serving
from fakes.fake_images import PULLS
from fakes.registry import serving_registry
from quickstarted.sandbox.engine import Engine

MARK = "quickstarted-test.contract"
"""Label of everything made here; its value is the lab's own."""
MANY = 4
Refusal = tuple[int | None, str]
"""Status and words of the engine; None and nothing where it does as it is told."""
FOREIGN = {"architecture": "s390x", "os": "linux"}


class RealLab:
    """The real engine."""

    def __init__(self, engine: Engine, registry: Any) -> None:
        self.engine = engine
        self.mark = uuid.uuid4().hex[:12]
        self._registry = registry
        self._image: str | None = None

    def image(self, *names: str, labels: dict[str, str] | None = None) -> str:
        """A new image; returns its id."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.addfile(tarfile.TarInfo(f"made-for-{uuid.uuid4().hex}"))
        marks = {MARK: self.mark, **(labels or {})}
        changes = [f'LABEL {key}="{value}"' for key, value in marks.items()]
        self.engine.api.import_image_from_data(
            packed.getvalue(), repository=f"qs-test/{self.mark}", tag="new", changes=changes
        )
        image_id = self.engine.api.inspect_image(f"qs-test/{self.mark}:new")["Id"]
        for name in names:
            self.engine.api.tag(image_id, *name.split(":"))
        if names:
            self.engine.api.remove_image(f"qs-test/{self.mark}:new")
        return image_id

    def container(self, network_id: str = "none", image: str | None = None) -> str:
        """A running container; returns its id."""
        found = self.engine.api.create_container_from_config(
            {
                "Image": image or lanes.test_image(self.engine),
                "Entrypoint": ["sleep"],
                "Cmd": ["600"],
                "HostConfig": {"NetworkMode": network_id},
                "Labels": {MARK: self.mark},
            }
        )["Id"]
        self.engine.api.start(found)
        return found

    def volume(self) -> str:
        """A volume; returns its name."""
        name = f"quickstarted-test-{self.mark}"
        return self.engine.api.create_volume(name, labels={MARK: self.mark})["Name"]

    def put_a_container_on(self, network_id: str) -> None:
        """Have the network in use."""
        self.container(network_id)

    def removed_by_many(self, container_id: str, remove: Callable[[], Refusal]) -> list[Refusal]:
        """What those hear who remove a container all at once."""
        with ThreadPoolExecutor(MANY) as pool:
            return list(pool.map(lambda _: remove(), range(MANY)))

    def use_image(self, name: str) -> None:
        """Have a container of the image."""
        self.engine.api.create_container_from_config(
            {"Image": name, "Cmd": ["none"], "Labels": {MARK: self.mark}}
        )

    def registry_does(self, what: str) -> str:
        """A name whose registry behaves like that; see `PULLS`."""
        if what == "unreachable":
            return "127.0.0.1:1/app"
        if what == "invalid":
            return f"{self._registry.host}/UPPER"
        return f"{self._registry.host}/{what}"

    def clear(self) -> None:
        """Remove all that was made."""
        api, mine = self.engine.api, {"label": f"{MARK}={self.mark}"}
        for one in api.containers(all=True, filters=mine):
            api.remove_container(one["Id"], force=True)
        for one in api.networks(filters=mine):
            api.remove_network(one["Id"])
        for one in api.volumes(filters=mine)["Volumes"] or []:
            api.remove_volume(one["Name"])
        for one in api.images(filters=mine):
            api.remove_image(one["Id"], force=True)
        pulled = f"{self._registry.host}/good:1"
        if api.images(name=pulled):
            api.remove_image(pulled)


class FakeLab:
    """The fake engine."""

    def __init__(self, fake: FakeEngine, engine: Engine) -> None:
        self.engine = engine
        self.mark = uuid.uuid4().hex[:12]
        self._fake = fake
        self._numbers = iter(range(1, 100))

    def image(self, *names: str, labels: dict[str, str] | None = None) -> str:
        """See `RealLab`."""
        image_id = f"sha256:{next(self._numbers):064}"
        mine = names or (f"qs-test/{self.mark}:new",)
        self._fake.images.add(image_id, *mine, labels={MARK: self.mark, **(labels or {})})
        return image_id

    def container(self) -> str:
        """See `RealLab`."""
        number = next(self._numbers)
        self._fake.objects["containers"].append(
            {"Id": f"c{number}", "Names": [f"/name{number}"], "Labels": {MARK: self.mark}}
        )
        return f"c{number}"

    def volume(self) -> str:
        """See `RealLab`."""
        self._fake.objects["volumes"].append({"Name": "v1", "Labels": {MARK: self.mark}})
        return "v1"

    def put_a_container_on(self, network_id: str) -> None:
        """See `RealLab`."""
        self._fake.refusals[network_id] = [IN_USE]

    def removed_by_many(self, container_id: str, remove: Callable[[], Refusal]) -> list[Refusal]:
        """See `RealLab`."""
        self._fake.refusals[container_id] = [BEING_REMOVED] * (MANY - 1)
        return [remove() for _ in range(MANY)]

    def use_image(self, name: str) -> None:
        """See `RealLab`."""
        self._fake.refusals[name] = [IMAGE_IN_USE]

    def registry_does(self, what: str) -> str:
        """See `RealLab`."""
        self._fake.images.pull_answer = PULLS[what]
        if what in {"foreign", "limited-layer"}:
            native = {"architecture": self.engine.version["Arch"], "os": "linux"}
            self._fake.images.platforms = [FOREIGN if what == "foreign" else native]
        if what == "good":
            self._fake.images.add("sha256:pulled", "app:1")
        return "UPPER" if what == "invalid" else "app"


@contextmanager
def open_lab(kind: str) -> Iterator[RealLab | FakeLab]:
    """The engine of that kind."""
    if kind == "fake":
        fake = FakeEngine()
        with serving(fake) as engine:
            yield FakeLab(fake, engine)
        return
    with lanes.connected() as engine, serving_registry(engine.version["Arch"]) as registry:
        lab = RealLab(engine, registry)
        try:
            yield lab
        finally:
            lab.clear()


def make_network(lab: RealLab | FakeLab, subnet: str, **labels: str) -> str:
    """A network of the lab's; returns its id."""
    made: dict[str, str] = lab.engine.api.create_network(
        f"quickstarted-test-{uuid.uuid4().hex}",
        driver="bridge",
        internal=True,
        ipam=IPAMConfig(pool_configs=[IPAMPool(subnet=subnet)]),
        labels={MARK: lab.mark, **labels},
    )
    return made["Id"]


def refusal(call: Callable[..., object], *args: Any, **kwargs: Any) -> Refusal:
    """What the engine says to a call."""
    try:
        call(*args, **kwargs)
    except docker.errors.APIError as exc:
        return exc.status_code, str(exc.explanation)
    return None, ""
