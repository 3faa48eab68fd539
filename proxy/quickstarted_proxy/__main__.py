"""
The sidecar's process: nothing listens before a valid `start`, and it ends with its input.

Standard output carries reports only; whatever prints goes to standard error.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, BinaryIO

from quickstarted_proxy import control, trimmed
from quickstarted_proxy.reports import EXIT_FAULT, EXIT_REFUSED, Reporter

MAX_ORDER_BYTES = 32 * 1024 * 1024


def main() -> None:
    """Run until standard input ends."""
    reporter = Reporter(_private_stdout())
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    os.umask(0o077)
    trimmed.install()
    from quickstarted_proxy import sidecar, tls  # noqa: PLC0415 (mitmproxy only after `install`)
    from quickstarted_proxy.resolver import PinnedEventLoop  # noqa: PLC0415 (as above)

    confdir = Path(tempfile.mkdtemp(prefix="quickstarted-")) / "conf"
    trust = tls.make_trust(confdir)
    orders = sys.stdin.buffer
    try:
        start = sidecar.Start.from_order(_first_order(orders))
        loop = PinnedEventLoop()
        asyncio.set_event_loop(loop)
        process = sidecar.Sidecar(start, trust, confdir, reporter)
    except ValueError as exc:
        reporter.end("refused", str(exc), EXIT_REFUSED)
    reader = threading.Thread(target=_read, args=(orders, process, loop, reporter), daemon=True)
    reader.start()
    try:
        loop.run_until_complete(process.run(loop))
    except Exception as exc:  # noqa: BLE001 (the end is the same for all of them)
        reporter.end("fault", f"{type(exc).__name__}: {exc}", EXIT_FAULT)
    reporter.end("fault", "the proxy stopped by itself", EXIT_FAULT)


def _private_stdout() -> int:
    """Keep standard output for reports and let stray prints go to standard error."""
    fd = os.dup(1)
    os.dup2(2, 1)
    return fd


def _first_order(orders: BinaryIO) -> dict[str, Any]:
    line = orders.readline(MAX_ORDER_BYTES)
    if not line:
        os._exit(0)
    return control.decode(line)


def _read(orders: BinaryIO, process: Any, loop: Any, reporter: Reporter) -> None:
    """Pass orders on; the end of the input is the end of the process, whatever it is doing."""
    while line := orders.readline(MAX_ORDER_BYTES):
        try:
            order = control.decode(line)
        except ValueError as exc:
            reporter.end("fault", f"not an order: {exc}", EXIT_FAULT)
        loop.call_soon_threadsafe(process.obey_soon, order)
    os._exit(0)


if __name__ == "__main__":
    main()
