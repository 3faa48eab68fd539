"""
Hooks that refuse when they fail.

mitmproxy logs what a hook raises and lets the request through (`addonmanager.safecall`). Each hook
of ours names, beside its work, how it refuses.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

Refusal = Callable[[Any, Any, Exception], None]
"""Takes the addon, the hook's data and what was raised."""


def guarded(refuse: Refusal) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a hook, plain or async, call *refuse* on its own exceptions."""

    def decorate(hook: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(hook):

            @functools.wraps(hook)
            async def run_async(addon: Any, data: Any) -> None:
                try:
                    await hook(addon, data)
                except Exception as exc:  # noqa: BLE001 (refusing is the answer to all of them)
                    refuse(addon, data, exc)

            return run_async

        @functools.wraps(hook)
        def run(addon: Any, data: Any) -> None:
            try:
                hook(addon, data)
            except Exception as exc:  # noqa: BLE001 (as above)
                refuse(addon, data, exc)

        return run

    return decorate
