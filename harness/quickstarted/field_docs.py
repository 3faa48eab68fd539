"""
The texts under the fields of a model, for the schemas and pages that are made from models.

Read when they are asked for: letting pydantic read them (`use_attribute_docstrings`) parses every
model's source at each start of the program, which costs it 60 ms and more.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap


def field_docs(model: type) -> dict[str, str]:
    """Field to the text under it, on one line, in *model* or in the nearest base that has one."""
    docs: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base.__module__.split(".", 1)[0] == __name__.split(".", 1)[0]:
            docs.update(_own(base))
    return docs


def _own(model: type) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    docs: dict[str, str] = {}
    for field, text in itertools.pairwise(body):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(doc))),
            ):
                docs[name] = " ".join(doc.split())
            case _:
                pass
    return docs
