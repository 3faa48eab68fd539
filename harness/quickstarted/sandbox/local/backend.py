"""
The local backend: commands on this machine, each attempt in a folder of its own.

Nothing is enforced. It is for whoever writes a task or a test and has no container engine at hand.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from quickstarted.errors import ImageFault, SandboxFault, SecretFault, StorageFault
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.local.folders import AttemptFolder, base_folder, make_folder
from quickstarted.sandbox.local.keep import is_kept, restore
from quickstarted.sandbox.local.sandbox import LocalSandbox, this_machine
from quickstarted.sandbox.local.sweep import sweep_now
from quickstarted.sandbox.protocol import EgressSink, ImageIdentity, SandboxSpec

ROLE = "sandbox"


class LocalBackend:
    """
    Keeps the promise of `protocol.Backend`, but for enforcement.

    Args:
        run_id: On the labels of everything that is made.
        environ: The harness's environment.

    Raises:
        UsageError: There is no place for the attempts' folders.

    """

    name = "local"
    enforced = False

    def __init__(self, run_id: str, environ: Mapping[str, str]) -> None:
        self.run_id = run_id
        self.base = base_folder(environ)
        self._environ = dict(environ)
        self._sweeping: threading.Thread | None = None

    @property
    def disk(self) -> Path:
        """Where the attempts' folders are."""
        return self.base

    def prepare(self, images: Iterable[str]) -> None:
        """Remove, in the background, what dead runs left; there are no images."""
        del images
        sweeping = threading.Thread(target=sweep_now, args=(self.base,), daemon=True)
        sweeping.start()
        self._sweeping = sweeping

    @contextmanager
    def open(self, spec: SandboxSpec, on_egress: EgressSink) -> Iterator[LocalSandbox]:
        """See `protocol.Backend`; no egress event is ever delivered."""
        del on_egress
        if spec.secrets:
            names = ", ".join(secret.name for secret in spec.secrets)
            raise SecretFault(
                f"the local backend cannot keep a secret ({names}): it has no proxy that could put"
                " the value into requests, so commands would have to hold it",
                hint="Use --backend docker for this task.",
            )
        if spec.program is not None:
            raise ImageFault(
                f"the local backend has no image that {spec.program.name} could be put into",
                hint="Use --backend docker for this agent.",
            )
        if spec.doorkeeper is not None:
            raise ImageFault(
                "the local backend has no proxy through which a program could read documentation",
                hint="Use --backend docker for this agent.",
            )
        began = time.monotonic()
        sandbox = LocalSandbox(self._folder(spec.image), spec, self._environ)
        try:
            sandbox.start()
            sandbox.facts["phases"] = {"total": round(time.monotonic() - began, 4)}
            yield sandbox
        except BaseException:
            # What has gone wrong is the one to hear of.
            with suppress(SandboxFault):
                sandbox.close()
            raise
        sandbox.close()

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """This machine, whatever a task names."""
        del image, platform
        return this_machine()

    def expect(self, attempts: int) -> None:
        """Nothing is kept for attempts to come."""
        del attempts

    def close(self) -> None:
        """Attempts have removed what was theirs; kept folders stay."""
        if self._sweeping is not None:
            self._sweeping.join()
            self._sweeping = None

    def _folder(self, image: str) -> AttemptFolder:
        own = labels(self.run_id, ROLE)
        if is_kept(image):
            return restore(self.base, image, own)
        try:
            return AttemptFolder(make_folder(self.base, own))
        except OSError as exc:
            raise StorageFault(f"a folder for the attempt cannot be made: {exc}") from exc
