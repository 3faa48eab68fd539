"""
How many defects of a page turn a free run red: `python tests/bench/docs_mutation [--most N]`.

Prints a table for each kind of defect, what stayed green and why, and how often untouched pages
were red. The README says what counts.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [
    str(ROOT / "harness"),
    str(ROOT / "proxy"),
    str(ROOT / "tests"),
    str(ROOT / "tests/bench"),
]

from docs_mutation.cases import CASES, MutationCase  # noqa: E402
from docs_mutation.mutants import Defect, applied, defects_of, swapped  # noqa: E402
from docs_mutation.walking import PageSource, Walk, pages_of, walk  # noqa: E402

from quickstarted.docs.code_blocks import CodeBlock, code_blocks  # noqa: E402
from quickstarted.page_steps import Command, Skipped, WriteFile, steps_of  # noqa: E402
from quickstarted.page_steps.attending import is_known_server  # noqa: E402

RED = "docs_gap"
GREEN = "passed"
SHOWS = ("--version", "--help")


@dataclass(frozen=True, slots=True)
class Reached:
    """A step that the walk along the untouched page takes."""

    page: PageSource
    block: CodeBlock
    step: Command | WriteFile
    only_shows: str
    """Why the outcome cannot depend on it; empty where it may."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A page with a defect."""

    case: MutationCase
    pages: list[PageSource]
    page: PageSource
    source: str
    defect: Defect
    only_shows: str


def reached_of(pages: list[PageSource], untouched: Walk) -> list[Reached]:
    """The steps that were taken, each with its block, and whether it only shows something."""
    found: list[Reached] = []
    outputs = iter(untouched.outputs)
    for page in pages:
        blocks = {block.line: block for block in code_blocks(page.text)}
        for step in steps_of(list(blocks.values())):
            if isinstance(step, Skipped):
                continue
            output = next(outputs, None)
            if output is None:
                return _without_failed(found, untouched)
            found.append(Reached(page, blocks[step.line], step, _only_shows(step, output)))
    return _without_failed(found, untouched)


def _without_failed(found: list[Reached], untouched: Walk) -> list[Reached]:
    """The step at which the untouched page ends fails anyway."""
    return found[:-1] if untouched.stop_reason == "command_failed" else found


def _only_shows(step: Command | WriteFile, output: str) -> str:
    if isinstance(step, WriteFile):
        return ""
    if is_known_server(step.text) or "is left running)" in output:
        return "starts a server that is stopped before the check"
    if any(word in step.text.split() for word in SHOWS):
        return "prints a version"
    return ""


def mutants_of(
    case: MutationCase, pages: list[PageSource], reached: list[Reached], chance: random.Random
) -> Iterator[Mutant]:
    """All defects that are seeded in the pages of *case*."""
    for at, one in enumerate(reached):
        nth = _nth(one)
        for defect in defects_of(at, one.step, one.block, chance):
            if source := applied(one.page.source, (defect,), nth):
                yield Mutant(case, pages, one.page, source, defect, one.only_shows)
        following = next(
            (other for other in reached[at + 1 :] if other.block is not one.block), None
        )
        if (
            following
            and following.page is one.page
            and not (one.only_shows or following.only_shows)
        ):
            pair = swapped(at, one.block, following.block)
            marked = (pair[0], pair[1])
            nths = nth | _nth(following)
            if source := _exchanged(one.page.source, marked, nths):
                yield Mutant(case, pages, one.page, source, pair[0], "")


def _exchanged(source: str, pair: tuple[Defect, Defect], nth: dict[str, int]) -> str | None:
    """The later block first: it is found in the source as it was."""
    last = applied(source, (pair[1],), nth)
    return applied(last, (pair[0],), nth) if last else None


def _nth(one: Reached) -> dict[str, int]:
    blocks = [*code_blocks(one.page.before), *code_blocks(one.page.text)]
    texts = [block.text for block in blocks]
    until = len(code_blocks(one.page.before)) + [
        block.line for block in code_blocks(one.page.text)
    ].index(one.block.line)
    return {one.block.text: texts[:until].count(one.block.text)}


def main() -> int:
    """Walk along untouched pages, then along broken ones."""
    args = _args()
    started = time.monotonic()
    chosen = [case for case in CASES if not args.case or case.name in args.case]
    pages = {case.name: pages_of(case) for case in chosen}
    with (
        tempfile.TemporaryDirectory(prefix="docs-mutation-") as folder,
        ThreadPoolExecutor(args.workers) as pool,
    ):
        work = Path(folder)
        again = [(case, number) for case in chosen for number in range(args.untouched)]
        walks = list(
            pool.map(
                lambda one: walk(one[0], pages[one[0].name], {}, work / f"{one[0].name}-{one[1]}"),
                again,
            )
        )
        first: dict[str, Walk] = {}
        for (case, _), walked in zip(again, walks, strict=True):
            first.setdefault(case.name, walked)
            if walked.classification != GREEN:
                print(f"untouched {case.name}: {walked.classification}\n{walked.account}")
        red = sum(walked.classification == RED for walked in walks)
        print(f"untouched pages: {len(walks)} runs of {len(chosen)} cases, {red} red", flush=True)
        usable = [case for case in chosen if first[case.name].classification == GREEN]
        mutants = _sampled(usable, pages, first, args)
        print(f"{len(mutants)} defects, seed {args.seed}", flush=True)
        done = list(
            pool.map(
                lambda one: walk(
                    one[1].case,
                    one[1].pages,
                    {one[1].page.file: one[1].source},
                    work / f"mutant-{one[0]}",
                ),
                enumerate(mutants),
            )
        )
    _print(mutants, done)
    print(f"{time.monotonic() - started:.0f} s at {args.workers} workers")
    return 0


def _sampled(
    cases: list[MutationCase],
    pages: dict[str, list[PageSource]],
    first: dict[str, Walk],
    args: argparse.Namespace,
) -> list[Mutant]:
    chance = random.Random(args.seed)
    every = [
        mutant
        for case in cases
        for mutant in mutants_of(
            case, pages[case.name], reached_of(pages[case.name], first[case.name]), chance
        )
    ]
    needed = [mutant for mutant in every if not mutant.only_shows]
    shown = [mutant for mutant in every if mutant.only_shows]
    if len(needed) > args.most:
        needed = chance.sample(needed, args.most)
    return [*needed, *chance.sample(shown, min(len(shown), args.most // 10))]


def _print(mutants: list[Mutant], done: list[Walk]) -> None:
    pairs = list(zip(mutants, done, strict=True))
    counted = [(one, walked) for one, walked in pairs if not one.only_shows]
    seeded = Counter(one.defect.kind for one, _ in counted)
    red = Counter(one.defect.kind for one, walked in counted if walked.classification == RED)
    print(f"\n{'defect':22} {'seeded':>7} {'red':>5}")
    for kind in sorted(seeded):
        print(f"{kind:22} {seeded[kind]:7} {red[kind]:5}")
    share = red.total() / max(1, seeded.total())
    print(f"{'all':22} {seeded.total():7} {red.total():5}  {share:.1%}")
    others = [(one, walked) for one, walked in pairs if one.only_shows]
    still = sum(walked.classification == RED for _, walked in others)
    print(f"in steps that only show something, not counted: {len(others)}, {still} red")
    print("\nnot red:")
    for one, walked in counted:
        if walked.classification != RED:
            said = f"{one.case.name}: {one.defect.kind}: {one.defect.says}"
            print(f"  {said[:110]}: {walked.classification}, {walked.stop_reason}")


def _args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", action="append", help="only this example; may be repeated")
    parser.add_argument("--most", type=int, default=120, help="defects that count")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--untouched", type=int, default=3, help="walks along each untouched page")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
