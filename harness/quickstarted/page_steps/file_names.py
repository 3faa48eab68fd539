"""Which file a block of a page is, as the page says it: title, caption, sentence or first line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quickstarted.docs.code_blocks import CodeBlock

_WELL_KNOWN = (
    r"Dockerfile|Containerfile|Makefile|Procfile|Gemfile|Rakefile|Vagrantfile|Jenkinsfile|Caddyfile"
    r"|Justfile|Pipfile|\.(?:env|gitignore|dockerignore|npmrc|babelrc|eslintrc|prettierrc)"
    r"(?:\.\w+)?"
)
_NAME = (
    rf"(?:~/|\./|/)?(?:[\w.@+-]+/)*(?:{_WELL_KNOWN}|[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{{0,9}})"
)
_WHOLE_NAME = re.compile(_NAME)
_MARKED = re.compile(
    rf"`({_NAME})`|\*\*`?({_NAME})`?\*\*|[\u201c\"']({_NAME})[\u201d\"']|\*({_NAME})\*"
)
_BARE = re.compile(rf"(?<![\w/`(\[@.-])({_NAME})(?![\w/(-])")
_TITLE = re.compile(r"(?:title|file|filename|name|path|caption)=[\"{']*([^\"'}\s]+)", re.IGNORECASE)
_AFTER_COLON = re.compile(rf"^\w+:({_NAME})$")
_CAPTION = re.compile(rf"(?:\*\*|`|\*|File:? |Filename:? )*({_NAME})[`*]*:?(?:[`*]*)")
_FIRST_LINE = re.compile(
    rf"^\s*(?:#|//|--|;|/\*|<!--|\{{#)\s*(?:content of |contents of |file(?:name)?:? |in )?"
    rf"`?({_NAME})`?:?\s*(?:\*/|-->|#\}})?\s*$",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:add|append|calls?|called|change|contains?|containing|copy|create|creating|edit|"
    r"following|include|insert|looks? like|make|modify|name|named|open|paste|populate|put|replace|"
    r"save|saved|should look|update|write)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\b(?:director(?:y|ies)|folder|layout|tree|structure|output|prints?|printed|"
    r"you(?:'|\u2019)?ll see|you will see|returns?|result|response|error)\b[^:]*:?$",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:it|this|that|there|the file|the following|following|contents?|inside)\b", re.IGNORECASE
)
_SAVE_AS = re.compile(
    r"^(?:Now )?(?:Save|Put|Write|Store|Copy|Name)\b(?: \w+){0,6}? (?:as|in|into|to)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"\b(?:add|append|insert)(?:ing)?\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:create|new file|save|replace|whole|entire|complete|full|looks? like|so you have|becomes?"
    r"|should (?:now )?(?:be|contain))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[\u201c\"])")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_PRODUCTS = re.compile(
    r"(?:Chart|D3|Ember|Express|Next|Node|Nuxt|Three|Vue)\.js|ASP\.NET", re.IGNORECASE
)
_KNOWN_NAME = re.compile(_WELL_KNOWN)
_EXTENSIONS = frozenset(
    """
    astro bash bat bib c cabal cc cfg cjs clj cljs cmake conf cpp cs css csv cts dart ejs env erb
    erl ex exs fs gemspec go gql gradle graphql groovy h hbs hcl hpp hs htm html ini ipynb j2 java
    jinja jinja2 jl js json json5 jsonc jsx kt kts less lua md mdx mjs mk ml mod mts nim nix php
    pl plist prisma proto properties ps1 pug py pyi r rake rb rs rst sass scala scss service sh
    sql svelte svg swift tcl tex tf tfvars tmpl toml tpl ts tsv tsx txt vue xml yaml yml zig zsh
    """.split()  # noqa: SIM905 (a table)
)


@dataclass(frozen=True, slots=True)
class Named:
    """The file that a block is."""

    path: str
    appends: bool = False


def file_of(block: CodeBlock) -> Named | None:
    """The file that the page says *block* is; None where it does not say."""
    for path in (_from_info(block.info), _caption(block.lead), _caption(block.tab)):
        if path:
            return Named(path)
    if block.lead and (named := _from_lead(block.lead)):
        return named
    first, _, _ = block.text.partition("\n")
    if (match := _FIRST_LINE.match(first)) and _is_file(match[1]):
        return Named(match[1])
    return _saved_as(block.follow)


def _from_info(info: str) -> str:
    match = _TITLE.search(info) or _AFTER_COLON.match(info.partition(" ")[0])
    return match[1] if match and _WHOLE_NAME.fullmatch(match[1]) else ""


def _caption(text: str) -> str:
    match = _CAPTION.fullmatch(text.strip())
    return match[1] if match and _is_file(match[1]) else ""


def _from_lead(lead: str) -> Named | None:
    sentences = _SENTENCE.split(_LINK.sub(r"\1", lead))
    last = sentences[-1]
    for back, sentence in enumerate(reversed(sentences[-2:])):
        if back and (not _REFERS.search(last) or _LOOKS.search(last)):
            return None
        if (path := _named_in(sentence)) and _WRITES.search(sentence):
            if _LOOKS.search(last) and not _WHOLE.search(last):
                return None
            said = f"{sentence} {last}"
            return Named(path, appends=bool(_ADDS.search(said)) and not _WHOLE.search(said))
    return None


def _saved_as(follow: str) -> Named | None:
    """`Save it as hello.py`, after the block."""
    for paragraph in follow.split("\n"):
        for sentence in _SENTENCE.split(_LINK.sub(r"\1", paragraph)):
            if _SAVE_AS.match(sentence) and (path := _named_in(sentence)):
                return Named(path)
    return None


def _named_in(sentence: str) -> str:
    for pattern in (_MARKED, _BARE):
        for match in pattern.finditer(sentence):
            path = next(group for group in match.groups() if group)
            if _is_file(path):
                return path
    return ""


def _is_file(path: str) -> bool:
    """Whether *path* is a file's name, and not a module's, a product's or a host's."""
    name = path.rpartition("/")[2]
    known = name.rpartition(".")[2].lower() in _EXTENSIONS or bool(_KNOWN_NAME.fullmatch(name))
    return known and not _PRODUCTS.fullmatch(path) and ".." not in path.split("/")
