"""Runs a converter over pages: what it keeps of each, and how much processor time it takes."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.docs_fidelity import page as page_module
from bench.docs_fidelity import words as words_module
from bench.docs_fidelity.converters import Converter
from bench.docs_fidelity.fetching import cache
from bench.docs_fidelity.measuring import Score, score
from bench.docs_fidelity.misses import misses
from bench.docs_fidelity.page import Page, read_page
from quickstarted.docs.text.charset import decode

MAX_MISSES = 10
_READER = b"".join(Path(str(each.__file__)).read_bytes() for each in (page_module, words_module))


@dataclass
class Outcome:
    """What one converter did to the pages of one set, or of several."""

    score: Score = field(default_factory=Score)
    cpu_s: float = 0.0
    faults: int = 0
    """Pages at which it raised; their text is empty then."""
    misses: list[str] = field(default_factory=list)
    """The first ones, to print."""

    def add(self, other: Outcome) -> None:
        """Count the pages of *other* too."""
        self.score.add(other.score)
        self.cpu_s += other.cpu_s
        self.faults += other.faults
        self.misses += other.misses


def run(converter: Converter, paths: Iterable[Path]) -> Outcome:
    """Convert every page once."""
    outcome = Outcome()
    for path in paths:
        body = path.read_bytes()
        html = decode(body, "text/html", is_html=True)
        before = time.process_time()
        try:
            output = converter.run(html)
        except Exception as exc:  # noqa: BLE001
            output = ""
            outcome.faults += 1
            outcome.misses.append(f"{path}\n  raised {exc!r}")
        outcome.cpu_s += time.process_time() - before
        page = _page(body, html)
        found = score(page, html, output)
        if len(outcome.misses) < MAX_MISSES:
            outcome.misses += misses(path, page, output, found)
        outcome.score.add(found)
    del outcome.misses[MAX_MISSES:]
    return outcome


def _page(body: bytes, html: str) -> Page:
    """The page as the independent parser sees it, kept since that parser is slow."""
    digest = hashlib.sha256(_READER + body).hexdigest()
    kept = cache() / "pages" / digest[:2] / f"{digest}.json"
    if kept.exists():
        return Page(**json.loads(kept.read_text()))
    page = read_page(html)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(asdict(page)))
    return page
