"""What a code block says its language is: in attributes and class names, each tool in its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quickstarted.docs.text.tree import Element, Node, element, words

_ATTRIBUTES = ("data-lang", "data-language", "language", "data-highlight-language")
_OF_CODE = re.compile(r"(?:(?:language|lang|highlight-source|highlight|src)-|brush:)([\w+#.-]+);?")
_OF_WRAPPER = re.compile(r"(?:language|highlight-source|highlight)-([\w+#.-]+)")
_NAME = re.compile(r"[\w+#.-]{1,30}")
_NO_LANGUAGE = words(
    "default none text plain plaintext plain-text txt nohighlight no-highlight notranslate source "
    "code block lines line-numbers wrapper undefined unknown auto linenums numbersource "
    "numberlines startfrom copy copyable literal-block output"
)
_MARKERS = frozenset({"sourcecode", "hljs", "brush:"})
_KNOWN = words(
    "bash sh shell console shell-session zsh fish powershell batch cmd python python3 py pycon "
    "rust javascript js jsx typescript ts tsx json json5 yaml yml toml ini xml html css scss sql "
    "java kotlin scala swift go golang ruby perl php lua cpp c++ csharp c# objc dart elixir erlang "
    "haskell clojure nix r julia dockerfile makefile make cmake diff http graphql proto hcl "
    "terraform nginx properties groovy vue svelte"
)
_WRAPPER_TAGS = frozenset({"div", "figure", "td", "tr", "tbody", "table"})
_MAX_WRAPPERS = 8


def language_of(node: Node) -> str:
    """The language of the code block *node*, in lower case; empty where it says none."""
    inner = node.css_first("code")
    for candidate in (node, inner, *_wrappers(node)):
        if candidate is not None and (name := _language(element(candidate))):
            return name
    return ""


def _wrappers(node: Node) -> Iterator[Node]:
    """What highlighters put round a block, from the inside out."""
    parent = node.parent
    for _ in range(_MAX_WRAPPERS):
        if parent is None or parent.tag not in _WRAPPER_TAGS:
            return
        yield parent
        parent = parent.parent


def _language(found: Element) -> str:
    for name in _ATTRIBUTES:
        if name in found.attributes and _is_language(value := found.get(name).lower()):
            return value
    names = found.get("class").lower().split()
    is_code = found.tag in {"pre", "code"}
    for name in names:
        match = (_OF_CODE if is_code else _OF_WRAPPER).fullmatch(name)
        if match and _is_language(match[1]):
            return match[1]
    return _bare(names, is_code=is_code)


def _bare(names: list[str], *, is_code: bool) -> str:
    """A class that is nothing but the name of a language."""
    if len(names) > 1 and names[0] in _MARKERS:
        name = names[1].removesuffix(";")
        return name if _is_language(name) else ""
    return next((name for name in names if name in _KNOWN), "") if is_code else ""


def _is_language(name: str) -> bool:
    return name not in _NO_LANGUAGE and bool(_NAME.fullmatch(name)) and name.strip("-.") != ""
