"""
The documentation that is measured: real sets, one of each tool that makes documentation.

Debian's packages bring what their projects have built. What no package has is built here out of the
sources that npm and PyPI packages bring, with the tools themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.docs_fidelity import building, fetching


@dataclass(frozen=True)
class DebianSet:
    """The HTML of one Debian package, or of some of its folders."""

    name: str
    made_with: str
    folders: tuple[str, ...] = ("usr/share/doc",)
    package: str = ""

    def root(self) -> Path:
        return fetching.debian_package(self.package or self.name, self.folders)


@dataclass(frozen=True)
class BuiltSet:
    """A site that is built here."""

    name: str
    made_with: str
    site: building.Site

    def root(self) -> Path:
        return building.built(self.site)


DocumentationSet = DebianSet | BuiltSet

RUST = "usr/share/doc/rust-doc/html"
SETS: tuple[DocumentationSet, ...] = (
    DebianSet("python-flask-doc", "Sphinx, Pallets theme"),
    DebianSet("python-django-doc", "Sphinx, Django theme"),
    DebianSet("python-jinja2-doc", "Sphinx, Pallets theme"),
    DebianSet("python-click-doc", "Sphinx, Pallets theme"),
    DebianSet("python-pytest-doc", "Sphinx, Furo"),
    DebianSet("cmake-doc", "Sphinx, CMake theme"),
    DebianSet("varnish-doc", "Sphinx, classic theme"),
    DebianSet("nodejs-doc", "Node's own"),
    DebianSet("sqlite3-doc", "SQLite's own"),
    DebianSet("golang-1.19-doc", "Go's own"),
    DebianSet("git-doc", "AsciiDoc"),
    DebianSet("asciidoctor-doc", "Asciidoctor"),
    DebianSet("postgresql-doc-15", "DocBook"),
    DebianSet("postfix-doc", "man2html, by hand"),
    DebianSet("bash-doc", "Texinfo, man2html"),
    DebianSet("doxygen-doc", "Doxygen"),
    DebianSet("libcommons-io-java-doc", "javadoc"),
    DebianSet("cargo-doc", "rustdoc"),
    DebianSet("rust-doc", "mdBook", (f"{RUST}/book", f"{RUST}/reference")),
    DebianSet("mkdocs-doc", "MkDocs, its own theme"),
    BuiltSet("mkdocs-material", "MkDocs Material", building.MKDOCS),
    BuiltSet("vitepress", "VitePress, Shiki", building.VITEPRESS),
    BuiltSet("docusaurus", "Docusaurus, Prism", building.DOCUSAURUS),
    BuiltSet("sphinx-furo", "Sphinx, Furo", building.FURO),
    BuiltSet("sphinx-pydata", "Sphinx, PyData theme", building.PYDATA),
    BuiltSet("sphinx-rtd", "Sphinx, Read the Docs theme", building.RTD),
)


def sets_named(names: Sequence[str]) -> list[DocumentationSet]:
    """
    The sets with these names; all where there are none.

    Raises:
        SystemExit: There is no set of such a name.

    """
    known = {each.name: each for each in SETS}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"no such set: {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names] or list(SETS)


def pages(root: Path) -> Iterator[Path]:
    """All HTML files below *root*, in the order of their names; each file once."""
    files = [*root.rglob("*.html"), *root.rglob("*.htm")]
    yield from sorted(path for path in files if path.is_file() and not path.is_symlink())


def sample(paths: Sequence[Path], size: int) -> list[Path]:
    """At most *size* of *paths*, evenly spread over them: the same ones at every call."""
    if len(paths) <= size:
        return list(paths)
    return [paths[number * len(paths) // size] for number in range(size)]
