"""
`-k`: words with `and`, `or`, `not` and parentheses, as pytest has them.

A word holds where it is part of one of the names that it is asked about; upper and lower case are
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyparsing as pp

from quickstarted.errors import UsageError

Names = tuple[str, ...]
"""What a word may be part of, in lower case."""
Test = Callable[[Names], bool]

_CLOSED = "closing parenthesis"
_END = r"(?![^\s()])"
_OPERAND = 'expected a word, "not" or "("'
_OPERATOR = 'expected "and", "or" or the end'
_CLOSING = 'expected "and", "or" or ")"'


def expression(text: str) -> Callable[[Iterable[str]], bool]:
    """
    Read *text* as a test of names.

    Raises:
        UsageError: It is not an expression; the message says at which character.

    """
    try:
        test: Test = _GRAMMAR.parse_string(text, parse_all=True)[0]
    except pp.ParseBaseException as exc:
        rest = text[exc.loc :].split(maxsplit=1)
        at = text.index(rest[0], exc.loc) if rest else len(text)
        found = f'there is "{rest[0][:40]}"' if rest else "it ends"
        raise UsageError(f'-k "{text}": at character {at + 1} {found}: {_expected(exc)}') from exc
    except RecursionError as exc:
        raise UsageError("-k: the expression is nested too deep") from exc
    return lambda names: test(tuple(name.lower() for name in names))


def _expected(exc: pp.ParseBaseException) -> str:
    said = str(exc.msg)
    if "end of text" in said:
        return _OPERATOR
    return _CLOSING if _CLOSED in said else _OPERAND


def _word(tokens: Any) -> Test:
    word = str(tokens[0]).lower()
    return lambda names: any(word in name for name in names)


def _negated(tokens: Any) -> Test:
    test: Test = tokens[0]
    return lambda names: not test(names)


def _joined(how: Callable[[Iterable[bool]], bool]) -> Callable[[Any], Test]:
    def joined(tokens: Any) -> Test:
        tests: list[Test] = list(tokens)
        return lambda names: how(test(names) for test in tests)

    return joined


def _grammar() -> pp.ParserElement:
    """`not` binds closest, then `and`, then `or`; `-` is: from here on it can be nothing else."""
    both, either, no = (pp.Regex(f"(?i){word}{_END}").suppress() for word in ("and", "or", "not"))
    word = pp.Regex(rf"(?i)(?!(?:and|or|not){_END})[^\s()]+").set_parse_action(_word)
    whole, factor = pp.Forward(), pp.Forward()
    whole.set_name("operand")
    factor <<= (
        (no - factor).set_parse_action(_negated)
        | (pp.Suppress("(") - whole - pp.Suppress(")").set_name(_CLOSED))
        | word
    ).set_name("operand")
    term = (factor + pp.ZeroOrMore(both - factor)).set_parse_action(_joined(all))
    whole <<= (term + pp.ZeroOrMore(either - term)).set_parse_action(_joined(any))
    return whole


_GRAMMAR = _grammar()
