"""Real sandboxes without a lane, and small images made for one test."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker.errors

from fakes.egress import QuietEgress
from quickstarted.sandbox.container.sandbox import ContainerSpec, DockerSandbox, create_container
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images.resolve import resolve
from quickstarted.sandbox.images.standins import SANDBOX_PYTHON
from quickstarted.sandbox.labels import RUN, labels

RUN_ID = f"test-commands-{os.getpid()}"
REPOSITORY = f"qs-test/commands-{os.getpid()}"


def base_image() -> str:
    """The image with bash, dash, coreutils and Python that tests start from."""
    return os.environ.get("QS_TEST_IMAGE", SANDBOX_PYTHON.tag)


@contextmanager
def open_sandbox(engine: Engine, image: str, **changes: Any) -> Iterator[DockerSandbox]:
    """A started sandbox of *image*; *changes* are fields of its `ContainerSpec`."""
    spec = ContainerSpec(
        run_id=RUN_ID,
        image=resolve(engine, image),
        labels=labels(RUN_ID, "sandbox"),
        **changes,
    )
    sandbox = DockerSandbox(engine, create_container(engine, spec), spec, QuietEgress())
    try:
        sandbox.start()
        yield sandbox
    finally:
        sandbox.close()
        sandbox.remove()


def derive(engine: Engine, name: str, script: str, *changes: str) -> str:
    """An image that is the base after *script*, with Dockerfile instructions *changes*."""
    api: Any = engine.api
    made = api.create_container_from_config(
        {
            "Image": resolve(engine, base_image()).image_id,
            "Entrypoint": ["/bin/sh", "-c"],
            "Cmd": [script],
            "User": "0",
            "HostConfig": {"NetworkMode": "none"},
            "Labels": labels(RUN_ID, "test"),
        }
    )["Id"]
    try:
        api.start(made)
        assert api.wait(made)["StatusCode"] == 0
        plain = ["ENTRYPOINT []", 'CMD ["sh"]', *changes]
        api.commit(made, repository=REPOSITORY, tag=name, changes=plain)
    finally:
        api.remove_container(made, force=True)
    return f"{REPOSITORY}:{name}"


def busybox_image(engine: Engine, folder: Path) -> str:
    """An image with nothing but a static busybox, as Alpine has it: ash, no bash."""
    busybox = static_busybox(folder).read_bytes()
    listed = subprocess.run(
        [folder / "busybox", "--list"], capture_output=True, text=True, check=True
    )
    files = {"etc/passwd": b"root:x:0:0:root:/root:/bin/sh\n", "etc/group": b"root:x:0:\n"}
    links = {f"bin/{applet}": "busybox" for applet in listed.stdout.split()}
    links.pop("bin/busybox", None)
    data = pack({"bin/busybox": busybox, **files}, links, folders=["root", "tmp"])
    return import_image(engine, "busybox", data)


def shell_less_image(engine: Engine) -> str:
    """An image with one file that is no program."""
    return import_image(engine, "no-shell", pack({"hello.txt": b"hello\n"}, {}, folders=[]))


def import_image(engine: Engine, name: str, data: bytes) -> str:
    """Make an image of a root file system."""
    changes = [f'LABEL {key}="{value}"' for key, value in labels(RUN_ID, "test").items()]
    engine.api.import_image_from_data(data, repository=REPOSITORY, tag=name, changes=changes)
    return f"{REPOSITORY}:{name}"


def pack(files: dict[str, bytes], links: dict[str, str], folders: list[str]) -> bytes:
    """A tar archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for folder in folders:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            tar.addfile(entry, io.BytesIO(content))
        for name, target in links.items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            tar.addfile(entry)
    return buffer.getvalue()


def static_busybox(folder: Path) -> Path:
    """Debian's busybox-static, fetched by apt into *folder*."""
    found = folder / "busybox"
    if not found.exists():
        folder.chmod(0o755)
        subprocess.run(
            ["apt-get", "download", "busybox-static"], cwd=folder, check=True, capture_output=True
        )
        (package,) = folder.glob("busybox-static_*.deb")
        subprocess.run(["dpkg-deb", "-x", package, folder / "tree"], check=True)
        (program,) = [
            path
            for path in (folder / "tree").rglob("busybox")
            if path.is_file() and path.parent.name == "bin"
        ]
        shutil.copy(program, found)
    return found


def remove_test_images(engine: Engine) -> None:
    """Remove what `derive` and `import_image` made in this process, the nameless ones too."""
    for _ in range(2):
        # The first time round, those that others are made from only lose their names.
        for image in engine.api.images(filters={"label": f"{RUN}={RUN_ID}"}):
            with contextlib.suppress(docker.errors.APIError):
                engine.api.remove_image(image["Id"], force=True)
