"""
A Debian base for the stand-ins, made on this machine with debootstrap.

For machines that reach Debian's mirror and no image registry. The tree is slimmed as the public
`debian:trixie-slim` is, and carries nothing of the machine that made it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from quickstarted.errors import ImageFault
from quickstarted.registries import DEBIAN_MIRROR, DEBIAN_SECURITY_MIRROR
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images import build_host
from quickstarted.sandbox.images.pull import Progress
from quickstarted.sandbox.images.standins import BASE_REPOSITORY
from quickstarted.sandbox.labels import ROLE

SUITE = "trixie"
ROLE_NAME = "base"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
TIME_LIMIT_S = 1200
LOG_TAIL_LINES = 15

OTHERWISE = (
    "Otherwise: pull python:3.13-slim where a registry is reachable and carry it here with"
    " `docker save` and `docker load`, or name an image that is here with `--image`."
)

_SOURCES = f"""\
Types: deb
URIs: {DEBIAN_MIRROR}
Suites: {SUITE} {SUITE}-updates
Components: main
Signed-By: {KEYRING}

Types: deb
URIs: {DEBIAN_SECURITY_MIRROR}
Suites: {SUITE}-security
Components: main
Signed-By: {KEYRING}
"""
# As in the public Debian images: see debuerreotype's `.debuerreotype-minimizing-config`.
_CONFIG = {
    "etc/apt/sources.list.d/debian.sources": _SOURCES,
    "etc/apt/apt.conf.d/docker": (
        'APT::Keep-Downloaded-Packages "false";\n'
        'Acquire::Languages "none";\n'
        'Apt::AutoRemove::SuggestsImportant "false";\n'
    ),
    "etc/dpkg/dpkg.cfg.d/docker": (
        "force-unsafe-io\n"
        "path-exclude /usr/share/doc/*\n"
        "path-include /usr/share/doc/*/copyright\n"
        "path-exclude /usr/share/groff/*\n"
        "path-exclude /usr/share/info/*\n"
        "path-exclude /usr/share/lintian/*\n"
        "path-exclude /usr/share/locale/*\n"
        "path-exclude /usr/share/man/*\n"
    ),
    # A package installed in a container must not start a service.
    "usr/sbin/policy-rc.d": "#!/bin/sh\nexit 101\n",
    "etc/machine-id": "",
}
_NOT_PACKED = (
    "./dev/*",
    "./etc/apt/sources.list",
    "./etc/hostname",
    "./etc/resolv.conf",
    "./proc/*",
    "./sys/*",
    "./run/*",
    "./usr/share/groff/*",
    "./usr/share/info/*",
    "./usr/share/lintian/*",
    "./usr/share/locale/*",
    "./usr/share/man/*",
    "./var/cache/apt/*.bin",
    "./var/cache/apt/archives/*.deb",
    "./var/cache/ldconfig/aux-cache",
    "./var/lib/apt/lists/*",
    "./var/log/*",
)
BASE_KEY = hashlib.sha256(repr((SUITE, _CONFIG, _NOT_PACKED)).encode()).hexdigest()[:16]
"""Tag of the base: another value means that it is to be made again."""


def bootstrap_base(engine: Engine, progress: Progress) -> str:
    """
    Make the base, import it as `quickstarted/base`, and return the image's id.

    Installs debootstrap and Debian's keyring from the distribution where they are missing.

    Raises:
        ImageFault: This machine cannot do it, or debootstrap failed; the hint says what else can
            be done.

    """
    require_able_machine(engine)
    _require_tools(progress)
    mirror = build_host.debian_mirror()
    started = time.monotonic()
    progress(f"bootstrapping Debian {SUITE} from {mirror}")
    with tempfile.TemporaryDirectory(prefix="quickstarted-base-", dir=_scratch()) as folder:
        root = Path(folder) / "root"
        log = Path(folder) / "log"
        _debootstrap(root, mirror, log)
        slim(root)
        image_id = import_tree(engine, root, f"{BASE_REPOSITORY}:{BASE_KEY}")
    progress(f"bootstrapped Debian {SUITE} in {time.monotonic() - started:.1f} s")
    return image_id


def require_able_machine(engine: Engine) -> None:
    """Refuse with a reason before anything is downloaded."""
    if platform.system() != "Linux" or os.geteuid() != 0:
        raise ImageFault(
            "a Debian base can only be bootstrapped by root on Linux",
            hint=f"Run `quickstarted images build` as root on Debian or Ubuntu. {OTHERWISE}",
        )
    ours, theirs = platform.machine(), str(engine.info.get("Architecture", ""))
    if theirs and ours != theirs:
        raise ImageFault(
            f"this machine is {ours} and its container engine runs {theirs}",
            hint=f"Bootstrap on a machine of the engine's architecture. {OTHERWISE}",
        )


def _require_tools(progress: Progress) -> None:
    """Have debootstrap and Debian's keyring; from the distribution where it has apt."""
    missing = [name for name in ("debootstrap",) if shutil.which(name) is None]
    if not KEYRING.is_file():
        missing.append("debian-archive-keyring")
    if not missing:
        return
    if shutil.which("apt-get") is None:
        raise ImageFault(
            f"{' and '.join(missing)} is needed to make a Debian base, and is not installed",
            hint=f"Install it with this system's package manager. {OTHERWISE}",
        )
    progress(f"installing {' and '.join(missing)} with apt-get")
    update = ["apt-get", "--quiet", "update"]
    install = ["apt-get", "--quiet", "install", "--yes", "--no-install-recommends", *missing]
    with tempfile.NamedTemporaryFile() as log:
        path = Path(log.name)
        _run_to_log(install, path, check=False)
        if not KEYRING.is_file() or shutil.which("debootstrap") is None:
            _run_to_log(update, path, check=False)  # a broken third-party source is no reason
            _run_to_log(install, path)


def _debootstrap(root: Path, mirror: str, log: Path) -> None:
    """In a mount namespace of its own, so that no mount below the root outlives it."""
    command = ["debootstrap", "--variant=minbase", f"--keyring={KEYRING}", SUITE, str(root), mirror]
    own_mounts = ["unshare", "--mount", "--propagation", "private"]
    if _succeeds([*own_mounts, "true"]):
        command = [*own_mounts, *command]
    proxies = build_host.proxy_args()
    _run_to_log(command, log, env={**os.environ, **proxies, "LC_ALL": "C"})


def _succeeds(command: list[str]) -> bool:
    """Whether *command* is there and exits 0."""
    if shutil.which(command[0]) is None:
        return False
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (fixed programs)
    return done.returncode == 0


def _run_to_log(
    command: list[str], log: Path, *, env: dict[str, str] | None = None, check: bool = True
) -> None:
    """
    Run *command* with its output in *log*.

    Raises:
        ImageFault: It failed or ran out of time; the message ends with the log's last lines.

    """
    environ = {**(os.environ if env is None else env), "DEBIAN_FRONTEND": "noninteractive"}
    with log.open("wb") as out:
        try:
            code = subprocess.run(  # noqa: S603 (fixed programs)
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environ,
                check=False,
                timeout=TIME_LIMIT_S,
            ).returncode
        except subprocess.TimeoutExpired:
            code = 124
    if check and code != 0:
        tail = log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:]
        raise ImageFault(
            f"{' '.join(command)} failed with exit code {code}:\n"
            + "\n".join(f"  {line}" for line in tail),
            hint=f"Debian's mirror must be reachable from this machine. {OTHERWISE}",
        )


def slim(root: Path) -> None:
    """Write the configuration, and drop what the public slim images do not have."""
    for name, text in _CONFIG.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    for path in (root / "usr/share/doc").rglob("*"):
        if not path.is_dir() and path.name != "copyright":
            path.unlink()


def import_tree(engine: Engine, root: Path, name: str) -> str:
    """
    Stream the tree below *root* to the engine as the image *name*; return the image's id.

    Owners, modes and extended attributes are kept; what is the machine's own is left out.
    """
    command = ["tar", "--create", "--file=-", "--numeric-owner", "--xattrs", "--sort=name"]
    command += ["--anchored", *(f"--exclude={pattern}" for pattern in _NOT_PACKED)]
    command += ["--directory", str(root), "."]
    changes = [
        "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        'CMD ["bash"]',
        f"LABEL {ROLE}={ROLE_NAME}",
    ]
    repository, _, tag = name.rpartition(":")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as tar:  # noqa: S603 (fixed program)
        with engine_calls(f"importing {name}", gone=ImageFault):
            answer = engine.api.import_image_from_data(tar.stdout, repository, tag, changes)
        code = tar.wait()
    last = json.loads(answer.strip().splitlines()[-1])
    if code != 0 or "error" in last:
        raise ImageFault(f"importing {name} failed: tar exit {code}, engine: {last}")
    return str(last["status"])


def _scratch() -> str:
    """A folder in which debootstrap may work: it makes device nodes and runs what it unpacks."""
    refused = os.ST_NODEV | os.ST_NOEXEC
    for folder in ("/var/tmp", tempfile.gettempdir(), "/var/lib"):  # noqa: S108 (made with mkdtemp)
        if Path(folder).is_dir() and not os.statvfs(folder).f_flag & refused:
            return folder
    raise ImageFault(
        "every temporary folder is mounted noexec or nodev; debootstrap needs one that is not",
        hint="Set TMPDIR to such a folder.",
    )
