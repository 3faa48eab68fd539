"""
Sites that are built out of the Markdown and reStructuredText of packages, with the real tools.

The tools and the sources have fixed versions; a change of a recipe makes a new folder.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.docs_fidelity.fetching import cache, made_once, npm_package, pypi_source, run

RECIPES = Path(__file__).parent / "sites"
FASTIFY = "fastify@5.12.8"
PYMDOWN = "pymdown-extensions==13.1.2"
SPHINX = "sphinx==9.0.4"


@dataclass(frozen=True)
class Site:
    """One site: *build* makes it in an empty folder, and says where in it the pages are."""

    name: str
    recipe: str
    """The file or folder in `sites/` that the build starts from."""
    build: Callable[[Path, Site], Path]
    theme: str = ""

    @property
    def files(self) -> Path:
        return RECIPES / self.recipe


def built(site: Site) -> Path:
    """The folder with the site's pages."""

    def make(target: Path) -> None:
        work = target.parent / "work"
        work.mkdir()
        pages = site.build(work, site)
        shutil.copytree(pages, target, dirs_exist_ok=True)

    return made_once(cache() / "sites" / f"{site.name}-{_version(site.files)}", make)


def _version(*paths: Path) -> str:
    """Changes with what is in *paths* and with this file."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()[:10]


def _python_tool(name: str) -> Path:
    """A program of the environment that has MkDocs, Sphinx and their themes."""
    requirements = RECIPES / "requirements.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:10]
    folder = cache() / "tools" / f"python-{digest}"
    if not (folder / ".ready").exists():
        print(f"making {folder}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
        pip = (folder / "bin" / "python", "-m", "pip", "-qq", "--disable-pip-version-check")
        run(*pip, "install", "-r", requirements, cwd=folder.parent)
        (folder / ".ready").touch()
    return folder / "bin" / name


def _node_modules(site: Site) -> Path:
    def make(target: Path) -> None:
        shutil.copy(site.files / "package.json", target)
        run("npm", "install", "--silent", "--no-audit", "--no-fund", cwd=target)

    digest = hashlib.sha256((site.files / "package.json").read_bytes()).hexdigest()[:10]
    return made_once(cache() / "tools" / f"{site.recipe}-{digest}", make) / "node_modules"


def _vitepress(work: Path, site: Site) -> Path:
    _node_project(work, site)
    (work / ".vitepress").mkdir()
    shutil.move(work / "config.mjs", work / ".vitepress")
    run(work / "node_modules/.bin/vitepress", "build", work, cwd=work)
    return work / "out"


def _docusaurus(work: Path, site: Site) -> Path:
    _node_project(work, site)
    program = work / "node_modules/.bin/docusaurus"
    run(program, "build", cwd=work, env={"DO_NOT_TRACK": "1"})
    return work / "build"


def _node_project(work: Path, site: Site) -> None:
    """The recipe's files, with the package's Markdown in `docs/` beside them."""
    shutil.copytree(site.files, work, dirs_exist_ok=True)
    shutil.copytree(npm_package(FASTIFY) / "docs", work / "docs")
    for page in work.glob("features.*"):
        shutil.move(page, work / "docs")
    (work / "node_modules").symlink_to(_node_modules(site))


def _mkdocs(work: Path, site: Site) -> Path:
    shutil.copy(site.files / "mkdocs.yml", work)
    shutil.copytree(pypi_source(PYMDOWN) / "docs" / "src" / "markdown", work / "docs")
    for page in (work / "docs").rglob("*.md"):
        # Icons of a set that Material does not bring.
        lines = page.read_text().splitlines(keepends=True)
        page.write_text("".join(line for line in lines if not line.startswith("icon: ")))
    run(_python_tool("mkdocs"), "build", "--quiet", cwd=work)
    return work / "site"


def _sphinx(work: Path, site: Site) -> Path:
    shutil.copytree(pypi_source(SPHINX) / "doc", work / "doc")
    extensions = ["autodoc", "doctest", "todo", "viewcode"]
    settings = {
        "html_theme": site.theme,
        "extensions": ",".join(f"sphinx.ext.{name}" for name in extensions),
        "exclude_patterns": "changes/*",
    }
    flags = [part for key, value in settings.items() for part in ("-D", f"{key}={value}")]
    run(_python_tool("sphinx-build"), "-Q", "-b", "html", *flags, "doc", "out", cwd=work)
    return work / "out"


MKDOCS = Site("mkdocs-material", "mkdocs", _mkdocs)
VITEPRESS = Site("vitepress", "vitepress", _vitepress)
DOCUSAURUS = Site("docusaurus", "docusaurus", _docusaurus)
FURO = Site("sphinx-furo", "requirements.txt", _sphinx, "furo")
PYDATA = Site("sphinx-pydata", "requirements.txt", _sphinx, "pydata_sphinx_theme")
RTD = Site("sphinx-rtd", "requirements.txt", _sphinx, "sphinx_rtd_theme")
