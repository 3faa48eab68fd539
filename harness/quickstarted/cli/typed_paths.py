"""Paths that are typed: the empty one, which pathlib takes for the working directory, is none."""

from __future__ import annotations

import os
from typing import Any

import click


class TypedPath(click.Path):
    """`click.Path`, without the empty path that an unset variable of a script makes."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """
        Read a path.

        Raises:
            click.BadParameter: It is empty, or not what is wanted there.

        """
        if value == "":
            self.fail("the path is empty; is a variable of the call not set?", param, ctx)
        return super().convert(value, param, ctx)
