"""
WebShop: logs of human users by page, steps of the text environment, and snapshots of pages.

A log has no actions: what was done is read from the address of the next page, and marked so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.values import Fields, is_one_of
from quickstarted.formats.trajectory.model import EventType

_PAGES = frozenset({"index", "search_results", "item_page", "item_sub_page", "done"})


class WebShopImporter:
    """A stream of pages, or of steps."""

    name: ClassVar[str] = "webshop"
    title: ClassVar[str] = "WebShop logs"

    def detects(self, value: Any) -> Claim | None:
        """Pages have one of five names; steps have what can be clicked."""
        if not isinstance(value, dict):
            return None
        if is_one_of(value.get("page"), _PAGES) and isinstance(value.get("url"), str):
            return Claim(f"page is {value['page']}, with a url", is_whole=False)
        if "available_actions" in value and isinstance(value.get("action"), str):
            return Claim("it has available_actions and an action", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each session, in the order in which they begin."""
        shops: dict[str, _Shop] = {}
        for record in context.hold(records):
            with context.guard(record):
                if self.detects(record.value) is None:
                    raise NotConvertible("is no page and no step of WebShop", "Take it out.")
                session = _session(record.value)
                if session not in shops:
                    if session is None and shops:
                        session = next(iter(shops))
                    else:
                        shops[session or ""] = _Shop(context.run(self.name, None, session))
                shops[session or ""].take(record)
        for shop in shops.values():
            yield from shop.run.pieces()


class _Shop:
    """One session."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._last: dict[str, Any] = {}
        run.framework = "webshop"
        run.task_id = run.trace_id

    def take(self, record: Record) -> None:
        self.run.index = record.index
        fields = Fields(record.value)
        self._goal(fields.any("goal"))
        if "available_actions" in fields:
            self._step(fields)
        else:
            self._page(fields, record.value)

    def _goal(self, goal: Any) -> None:
        if isinstance(goal, dict):
            self.run.metadata.setdefault("goal", goal)
            text = goal.get("instruction_text")
            goal = text if isinstance(text, str) else None
        if isinstance(goal, str) and self.run.goal is None:
            self.run.goal = goal

    def _page(self, fields: Fields, page: dict[str, Any]) -> None:
        name, url = fields.text("page") or "", fields.text("url")
        parent = None
        action = _action(self._last, page) if self.run.count else None
        if action is not None:
            derived = {"derived_from": "url"}
            parent = self.run.add(EventType.TOOL_CALL, agent="user", input=action, metadata=derived)
        made: EventFields = {
            "agent": "webshop",
            "module": name,
            "parent": parent,
            "output": fields.any("content", "text", "observation"),
            "metadata": {"url": url, "reward": fields.number("reward")},
        }
        kind = EventType.OBSERVATION
        if name == "done":
            kind = EventType.RUN_END
            self._reward(made["metadata"]["reward"])
        elif name == "index" and not self.run.count:
            kind = EventType.RUN_START
        made["native"] = fields.left
        self.run.add(kind, **made)
        self._last = page

    def _step(self, fields: Fields) -> None:
        step, actions = fields.any("step"), fields.any("available_actions")
        action, reward, done = fields.any("action"), fields.number("reward"), fields.flag("done")
        fields.drop("session")
        seen = self.run.add(
            EventType.OBSERVATION,
            agent="webshop",
            step=step,
            output=fields.any("observation"),
            metadata={"available_actions": actions},
        )
        made: EventFields = {"agent": "agent", "step": step, "parent": seen, "input": action}
        made["metadata"] = {"reward": reward, "done": done}
        made["native"] = fields.left
        last = self.run.add(EventType.TOOL_CALL, **made)
        if done:
            self._reward(reward)
            self.run.add(
                EventType.RUN_END,
                agent="webshop",
                step=step,
                parent=last,
                output={"reward": reward},
            )

    def _reward(self, reward: float | None) -> None:
        if reward is not None:
            self.run.metadata["reward"] = reward


def _session(value: dict[str, Any]) -> str | None:
    own = value.get("session")
    if isinstance(own, str) and own:
        return own
    url = value.get("url")
    parts = _path(url) if isinstance(url, str) else []
    at = 0 if value.get("page") == "index" else 1
    return parts[at] if len(parts) > at else None


def _path(url: str) -> list[str]:
    try:
        return [unquote(part) for part in urlsplit(url).path.split("/") if part]
    except ValueError:
        return []


def _action(before: dict[str, Any], page: dict[str, Any]) -> str | None:
    """What leads from one page to the next, as the text environment spells it."""
    name, content = page.get("page"), page.get("content")
    said = content if isinstance(content, dict) else {}
    if name == "search_results":
        words = said.get("keywords")
        if before.get("page") == "search_results":
            return "click[next >]"
        text = " ".join(map(str, words)) if isinstance(words, list) else words
        return f"search[{text}]" if isinstance(text, str) else None
    if name == "item_sub_page":
        parts = _path(str(page.get("url")))
        return f"click[{parts[-2].lower()}]" if len(parts) > 2 else None
    if name == "done":
        return "click[buy now]"
    if name == "index":
        return "click[back to search]"
    return _item_action(before, said)


def _item_action(before: dict[str, Any], said: dict[str, Any]) -> str | None:
    last = before.get("content")
    old = last if isinstance(last, dict) else {}
    options, chosen = old.get("options"), said.get("options")
    if before.get("page") in {"item_page", "item_sub_page"} and isinstance(chosen, dict):
        known = options if isinstance(options, dict) else {}
        new = [value for key, value in chosen.items() if known.get(key) != value]
        return f"click[{new[0]}]" if new else "click[< prev]"
    asin = said.get("asin")
    return f"click[{asin.lower()}]" if isinstance(asin, str) else None
