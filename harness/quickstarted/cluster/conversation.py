"""The caller's end of the line to a node, for one attempt: hears, answers, says when to end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Protocol, Self

from quickstarted.budget import Spending
from quickstarted.cluster.messages import Asked, Entered, Heard, Noted, Numbered, Over
from quickstarted.errors import PriceUnknown
from quickstarted.events import EVENT_ADAPTER
from quickstarted.prices import Meter
from quickstarted.run import AttemptHooks


class NodeLost(Exception):
    """
    A node does not answer any more; what it made is gone with it.

    Args:
        node: Its name.
        why: In one line.

    """

    def __init__(self, node: str, why: str) -> None:
        super().__init__(f"{node}: {why}")
        self.node = node
        self.why = why


class Line(Protocol):
    """To one attempt on a node."""

    def exchange(
        self, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        """
        See `Channel.exchange`.

        Raises:
            NodeLost: The node does not answer any more.

        """


def converse(line: Line, hooks: AttemptHooks, meter: Meter | None) -> Over:
    """
    Take part in an attempt that a node makes, until it is over.

    Args:
        line: To it.
        hooks: Told of phases, events and notes.
        meter: What all attempts of the call may spend.

    Raises:
        NodeLost: The node does not answer any more.

    """
    heard = 0
    answers: dict[int, bool] = {}
    with _Spending(meter) as spending:
        while True:
            batch = line.exchange(heard, answers, cancelled=hooks.cancelled())
            answers = {}
            for number, message in batch:
                if number <= heard:
                    continue
                heard = number
                match message:
                    case Over():
                        return message
                    case Asked():
                        answers[message.number] = spending.answer(message)
                    case Entered():
                        hooks.phase(message.phase)
                    case Heard():
                        hooks.observer(EVENT_ADAPTER.validate_json(message.event))
                    case Noted():
                        hooks.note(message.line)


class _Spending:
    """The attempt's part of the call's meter; given back also where the node is lost."""

    def __init__(self, meter: Meter | None) -> None:
        self._meter = meter
        self._open: AbstractContextManager[Spending] | None = None
        self._part: Spending | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()

    def answer(self, asked: Asked) -> bool:
        """Do what is asked; True but for money that is not there."""
        match asked.question:
            case "begin_spending":
                if self._meter is not None:
                    self._open = self._meter.attempt()
                    self._part = self._open.__enter__()
            case "reserve":
                return self._part is None or self._part.reserve()
            case "charge":
                if self._part is not None:
                    self._part.charge(asked.value)
            case "price_unknown":
                self._end(PriceUnknown("a model without a price"))
            case "end_spending":
                self._end()
        return True

    def _end(self, error: PriceUnknown | None = None) -> None:
        opened, self._open, self._part = self._open, None, None
        if opened is not None:
            with suppress(PriceUnknown):
                opened.__exit__(type(error) if error else None, error, None)
