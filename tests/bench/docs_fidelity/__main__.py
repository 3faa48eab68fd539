"""
Measures what is kept of real documentation pages, by this project's converter and by others.

    PYTHONPATH=tests python -m bench.docs_fidelity [--write] [--ours] [--sample N] [SET ...]

Runs on Debian 12 with npm; what is fetched and built is kept. `--ours` leaves the others out,
`--sample` says how many pages of each set the converters are compared on, `--write` puts the tables
into docs/fidelity.md. The exit code is 1 where this project's converter misses an aim.
"""

from __future__ import annotations

import argparse
import sys

from bench.docs_fidelity import table
from bench.docs_fidelity.aims import missed
from bench.docs_fidelity.converters import OTHERS, OURS, Converter
from bench.docs_fidelity.corpus import DocumentationSet, pages, sample, sets_named
from bench.docs_fidelity.running import Outcome, run


def main() -> None:
    arguments = _arguments()
    found = {each: list(pages(each.root())) for each in sets_named(arguments.sets)}
    outcomes: dict[DocumentationSet, Outcome] = {}
    for each, paths in found.items():
        outcomes[each] = run(OURS, paths)
        print(table.sets_table({each: outcomes[each]}).splitlines()[2], file=sys.stderr)
    text = f"{table.machine()}\n\n{table.sets_table(outcomes)}"
    compared: dict[Converter, Outcome] = {}
    if not arguments.ours:
        paths = [path for each in found.values() for path in sample(each, arguments.sample)]
        for converter in (OURS, *OTHERS):
            print(f"{converter.name} on {len(paths)} pages", file=sys.stderr)
            compared[converter] = run(converter, paths)
        text += f"\n\nThe same {len(paths)} pages, {arguments.sample} of each set at most:"
        text += f"\n\n{table.converters_table(compared)}"
    print(text)
    if arguments.write:
        table.write(text)
    report = missed(outcomes, compared)
    print(*report, sep="\n")
    sys.exit(bool(report))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.docs_fidelity")
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--sample", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
