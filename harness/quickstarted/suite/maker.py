"""
Who makes one attempt, and where: on this machine (`LocalMaker`), or somewhere else.

Everything that is decided of attempts (which comes next, limits, retries, when one counts) is the
same for all makers.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Protocol

from quickstarted.errors import StorageFault
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult, summarise
from quickstarted.results.files import write_text
from quickstarted.run import AttemptHooks, run_attempt
from quickstarted.sandbox.protocol import Backend, ImageIdentity
from quickstarted.trace import read_trace

CRASH_NAME = "crash.txt"
"""What Python said of a fault of this program, in the folder of the attempt that met it."""


class Maker(Protocol):
    """Makes attempts of one call; used from several threads."""

    @property
    def name(self) -> str:
        """Of the backend that sandboxes are made by."""

    @property
    def disk(self) -> Path | None:
        """A folder of this machine on the disk that sandboxes are kept on; None: elsewhere."""

    @property
    def openings(self) -> int | None:
        """How many sandboxes may be made at the same moment; None: what this machine can bear."""

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """What *image* stands for; an `AttemptFault` where it cannot be had."""

    def lack(self) -> str | None:
        """What is missing for one more attempt, for people; None when nothing is."""

    def expect(self, attempts: int) -> None:
        """No more than so many attempts will begin."""

    def make(self, plan: AttemptPlan, folder: AttemptDir, hooks: AttemptHooks) -> RunResult:
        """
        Carry out *plan*; its trace, `run.json` and all else are in *folder* afterwards.

        A fault of this program is that attempt's, and others go on.

        Raises:
            StorageFault: The folder cannot be written.

        """


class LocalMaker:
    """
    Makes attempts in this process.

    Args:
        backend: Where its sandboxes are.

    """

    openings: int | None = None

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.name = backend.name

    @property
    def disk(self) -> Path | None:
        """See `Backend.disk`."""
        return self._backend.disk

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """See `Backend.resolve`."""
        return self._backend.resolve(image, platform)

    def expect(self, attempts: int) -> None:
        """See `Backend.expect`."""
        self._backend.expect(attempts)

    def lack(self) -> str | None:
        """Nothing: what this machine has is `Room`'s to know."""
        return None

    def make(self, plan: AttemptPlan, folder: AttemptDir, hooks: AttemptHooks) -> RunResult:
        """
        See `Maker.make`.

        The trace of an attempt that met a fault of this program ends with it
        (`Ending.write_broken`), and `crash.txt` has all that Python said.
        """
        try:
            return run_attempt(plan, self._backend, folder, hooks)
        except StorageFault:
            raise
        except Exception as exc:  # noqa: BLE001 (it refuses: the attempt is a harness error)
            write_text(folder.path / CRASH_NAME, "".join(traceback.format_exception(exc)))
            hooks.note(
                f"{plan.key.task}, attempt {plan.attempt}: a fault of quickstarted itself"
                f" ({exc!r}); {folder.path / CRASH_NAME} has all of it. Please report it."
            )
            return summarise(read_trace(folder.trace))
