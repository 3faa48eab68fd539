"""One walk along pages in a sandbox: the program as a person starts it, and what it said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml
from docs_mutation.cases import MutationCase

from examples.cases import case_of, task_of
from examples.changing import copy_with_replay
from examples.fetching import folder_of
from quickstarted.docs import DocsClient, DocsRules, Page, Site
from quickstarted.docs.code_blocks import section_of
from quickstarted.events import AgentFinal, RunEnd, ToolCall, ToolResult
from quickstarted.trace import read_trace

BUDGETS = {"max_seconds": 150, "max_command_seconds": 90}
LONGEST_WALK_S = 400
SMALL_SITE = 20
"""Files of a site that is copied whole, with pages that only lead to others."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page of the route as it is in its package."""

    url: str
    text: str
    """What is followed: all of it, or the section that the URL names."""
    before: str
    """The text before that section."""
    file: Path
    prefix: str
    folder: Path

    @property
    def source(self) -> str:
        """HTML or Markdown."""
        return self.file.read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Walk:
    """What came of it."""

    code: int
    classification: str
    stop_reason: str
    outputs: tuple[str, ...]
    """Of each command, in order."""
    account: str


def pages_of(case: MutationCase) -> list[PageSource]:
    """The pages of the route, whole or the section that is named."""
    task = task_of(case.name)
    folders = [(source.prefix, folder_of(source)) for source in case_of(case.name).docs]
    folders += [(prefix, site.folder) for prefix, site in task.docs.sites.items() if site.folder]
    sites = tuple(Site(prefix=prefix, folder=folder) for prefix, folder in folders)
    pages = []
    with DocsClient(DocsRules(allow_hosts=(), sites=sites)) as client:
        for url in case.path or task.route:
            outcome = client.read(url).outcome
            assert isinstance(outcome, Page), f"{url}: {outcome}"
            assert outcome.source is not None
            texts = [outcome.own_text]
            for number in range(2, outcome.pages + 1):
                further = client.read(url, page=number).outcome
                assert isinstance(further, Page)
                texts.append(further.own_text)
            whole, start = "".join(texts), outcome.section_start or 0
            text = section_of(whole, start) if "#" in url else whole
            file = Path(outcome.source)
            prefix, folder = next(
                (prefix, folder) for prefix, folder in folders if file.is_relative_to(folder)
            )
            pages.append(PageSource(url, text, whole[:start], file, prefix, folder))
    return pages


def walk(
    case: MutationCase, pages: list[PageSource], changed: dict[Path, str], folder: Path
) -> Walk:
    """Walk along *pages*, those in *changed* with another source, in a sandbox."""
    shutil.rmtree(folder, ignore_errors=True)
    task = copy_with_replay(case.name, "from_docs", folder / "tasks")
    flags = _sites(pages, changed, folder / "site")
    data = yaml.safe_load(task.read_text("utf-8"))
    data |= case.keys
    data["budgets"] = BUDGETS
    data["docs"]["path"] = [page.url for page in pages]
    data["docs"].pop("sites", None)
    task.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    out = folder / "results"
    command = [sys.executable, "-m", "quickstarted", "run", task, "--agent", "replay", "--quiet"]
    done = subprocess.run(
        [*map(str, command), "--out", str(out), *flags],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_WALK_S,
    )
    trace = out / case.name / "trace.jsonl"
    assert trace.exists(), done.stderr
    events = list(read_trace(trace))
    end = next(event for event in events if isinstance(event, RunEnd))
    calls = [event for event in events if isinstance(event, ToolCall) and event.tool == "bash"]
    results = [event for event in events if isinstance(event, ToolResult)]
    assert len(results) <= len(calls)
    said = [event.text for event in events if isinstance(event, AgentFinal)]
    walked = Walk(
        done.returncode,
        end.classification.value,
        end.stop_reason.value,
        tuple(event.output for event in results),
        "\n".join(said),
    )
    (folder / "walk.json").write_text(json.dumps(walked.account), "utf-8")
    return walked


def _sites(pages: list[PageSource], changed: dict[Path, str], site: Path) -> list[str]:
    """The pages alone, each where its URL finds it."""
    flags: list[str] = []
    for at, (prefix, folder) in enumerate(dict.fromkeys((p.prefix, p.folder) for p in pages)):
        copy = site / str(at)
        if sum(1 for _ in folder.rglob("*")) <= SMALL_SITE:
            shutil.copytree(folder, copy)
        for page in pages:
            if page.folder == folder:
                target = copy / page.file.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(changed.get(page.file, page.source), "utf-8")
        flags += ["--docs-site", f"{prefix}={copy}"]
    return flags
