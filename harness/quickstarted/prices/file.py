"""
`--prices FILE`: a table that the caller wrote.

YAML or JSON: `models`, a map of names or patterns to US dollars per million tokens, and `date`. The
reader of task files is used for it, so that every mistake is told with its line and column, all of
them at once.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from quickstarted.errors import UsageError
from quickstarted.events import Usage
from quickstarted.prices.table import Price, Rates
from quickstarted.task.file_format import decoded, flaw_lines
from quickstarted.task.loading import read_bounded
from quickstarted.task.problems import shown
from quickstarted.task.source import START, KeyPath, nearest
from quickstarted.task.yaml_nodes import Flaw, YamlBroken
from quickstarted.task.yaml_reader import Document, read_yaml

TOP_KEYS = ("models", "date")
REQUIRED = ("input", "output")
OPTIONAL = ("cache_write", "cache_read")
"""Cost what input costs where they are left out."""
HINT = "docs/costs.md shows what such a file looks like."

_WILDCARDS = re.compile(r"[*?]|\[[^]]*\]")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, kw_only=True)
class FileTable:
    """
    The prices of a file.

    An exact name wins over patterns; of patterns, the one with the most letters of its own, and of
    equals the one that stands first.
    """

    source: str
    date: str | None
    sha256: str
    entries: dict[str, Rates] = field(repr=False)

    def price(self, model: str, at: float) -> Price | None:
        """See `PriceTable.price`; a file has one price for all times."""
        del at
        entry = self._entry(model)
        return None if entry is None else Price(entry=entry, rates=self.entries[entry])

    def cost_usd(self, model: str, usage: Usage, at: float) -> Decimal | None:
        """See `PriceTable.cost_usd`."""
        price = self.price(model, at)
        return None if price is None else price.rates.cost(usage)

    def _entry(self, model: str) -> str | None:
        if model in self.entries:
            return model
        matching = [name for name in self.entries if fnmatch.fnmatchcase(model, name)]
        return max(matching, key=_own_letters, default=None)


def read_prices(path: Path) -> FileTable:
    """
    Read the file.

    Raises:
        UsageError: It cannot be read, or is not what it must be; one line for each mistake, with
            its place.

    """
    try:
        data = read_bounded(path)
    except OSError as exc:
        raise UsageError(f"--prices {path}: cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        raise UsageError(f"--prices: {exc}", hint=HINT) from exc
    text = decoded(data, path)
    if path.suffix == ".json":
        # JSON may indent with tabs, YAML may not; inside of JSON's strings there are none.
        text = text.replace("\t", " ")
    try:
        document = read_yaml(text)
    except YamlBroken as exc:
        raise UsageError("\n".join(flaw_lines(path, [exc.flaw])), hint=HINT) from exc
    reading = _Reading(document)
    entries, day = reading.read()
    if reading.flaws:
        raise UsageError("\n".join(flaw_lines(path, reading.flaws)), hint=HINT)
    digest = hashlib.sha256(data).hexdigest()
    return FileTable(source=str(path), date=day, sha256=digest, entries=entries)


class _Reading:
    """From a document to entries, or to everything that is wrong with it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.flaws = list(document.flaws)

    def read(self) -> tuple[dict[str, Rates], str | None]:
        value = self._document.value
        if not isinstance(value, dict):
            what = "is empty" if value is None else f"is {shown(value)}"
            self.flaws.append(Flaw(START, (), f"the file {what}: it is a map with `models:`"))
            return {}, None
        self._refuse_unknown(value, (), TOP_KEYS)
        return dict(self._entries(value.get("models"))), self._date(value.get("date"))

    def _entries(self, models: Any) -> Iterator[tuple[str, Rates]]:
        if not isinstance(models, dict) or not models:
            got = "nothing" if models in (None, {}) else shown(models)
            self._flaw(("models",), f"expected a map of models to prices, got {got}")
            return
        for name, given in models.items():
            rates = self._rates(("models", name), given)
            if rates is not None:
                yield name, rates

    def _rates(self, key: KeyPath, given: Any) -> Rates | None:
        if not isinstance(given, dict):
            self._flaw(key, f"expected a map with {_listed(REQUIRED)}, got {shown(given)}")
            return None
        self._refuse_unknown(given, key, (*REQUIRED, *OPTIONAL))
        rates = {name: self._number((*key, name), given[name]) for name in given}
        for name in REQUIRED:
            if name not in given:
                self._flaw(key, f"`{name}` is missing")
        whole = [rates.get(name) for name in REQUIRED]
        if None in whole:
            return None
        usual = rates["input"]
        known = {name: rates.get(name, usual) for name in (*REQUIRED, *OPTIONAL)}
        if None in known.values():
            return None
        return Rates(**{name: rate for name, rate in known.items() if rate is not None})

    def _number(self, key: KeyPath, given: Any) -> Decimal | None:
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        number = Decimal(str(getattr(given, "text", given)).replace("_", "")) if is_number else None
        if number is None or number < 0 or float(number) == float("inf"):
            words = "expected US dollars per million tokens, a number that is not negative"
            self._flaw(key, f"{words}, got {shown(given)}")
            return None
        return number

    def _date(self, given: Any) -> str | None:
        if given is None:
            return None
        try:
            if _DATE.fullmatch(given):
                return date.fromisoformat(given).isoformat()
        except (TypeError, ValueError):
            pass
        self._flaw(("date",), f"expected a day as YYYY-MM-DD, got {shown(given)}")
        return None

    def _refuse_unknown(self, given: dict[str, Any], key: KeyPath, known: tuple[str, ...]) -> None:
        for name in given:
            if name not in known:
                self._flaw((*key, name), f"unknown key: known here are {_listed(known)}")

    def _flaw(self, key: KeyPath, message: str) -> None:
        self.flaws.append(Flaw(nearest(self._document.positions, key), key, message))


def _own_letters(pattern: str) -> int:
    return len(_WILDCARDS.sub("", pattern))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
