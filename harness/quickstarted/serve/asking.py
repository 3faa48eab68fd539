"""The model that is given what no format knows, where the server's owner allows it."""

from __future__ import annotations

from quickstarted.errors import ModelRejected, ModelUnavailable
from quickstarted.formats.trajectory.importing import Ask, NotConvertible
from quickstarted.serve.logs import Log


class GuardedAsk:
    """Asks *ask*; where its service fails, the items that it was for are lost and no others."""

    def __init__(self, ask: Ask, log: Log) -> None:
        self._ask = ask
        self._log = log

    @property
    def model(self) -> str:
        """As it is asked for."""
        return self._ask.model

    def __call__(self, system: str, text: str) -> str:
        """
        The model's reply to *text*.

        Raises:
            NotConvertible: It gives none.

        """
        try:
            return self._ask(system, text)
        except (ModelRejected, ModelUnavailable) as exc:
            # What the vendor says may name the account; it is for the server's owner.
            self._log.line(f"model: {exc.message}")
            raise NotConvertible(
                "is of no known kind, and the server's model could not be asked",
                "The server's log says why; upload it again then.",
            ) from exc
