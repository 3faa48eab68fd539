"""
Time and memory of `quickstarted serve` with so many uploads of 25 MiB at once.

usage: python tests/bench/uploads.py CLIENTS
"""

import json
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "harness")]

from fakes.uploading import API, JSON, MAX_BYTES, padded, run, serving  # noqa: E402


def of_events(trace_id, size_bytes):
    """A trajectory of many events that has so many bytes."""
    event = {
        "trace_id": trace_id,
        "event_type": "tool.call",
        "input": {"a": [1, 2, 3], "b": "x" * 100},
        "output": "y" * 200,
    }
    text = json.dumps(event)
    count = (size_bytes - 100) // (len(text) + 1)
    whole = f'{{"trace_id":"{trace_id}","events":[{",".join([text] * count)}]}}'
    return whole.ljust(size_bytes).encode()


def measure(clients, make):
    """Statuses, seconds, peak of memory in MB and CPU seconds of the server."""
    peak_bytes, is_done = 0, threading.Event()

    def watch(served):
        nonlocal peak_bytes
        while not is_done.wait(0.02):
            peak_bytes = max(peak_bytes, served.rss_bytes)

    def upload(number):
        with httpx.Client(base_url=served.url, timeout=3600) as client:
            body = make(f"run-{number}", MAX_BYTES)
            return client.post(API, content=body, headers=JSON).status_code

    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        served.post(json.dumps(run("first")).encode())
        watching = threading.Thread(target=watch, args=(served,))
        watching.start()
        started = time.monotonic()
        with ThreadPoolExecutor(clients) as pool:
            statuses = sorted(set(pool.map(upload, range(clients))))
        took_s = time.monotonic() - started
        is_done.set()
        watching.join()
        cpu = psutil.Process(served.process.pid).cpu_times()
    return statuses, took_s, peak_bytes / 1e6, cpu.user + cpu.system


def main():
    """Print a line for bodies of many events, and one for bodies of one string."""
    clients = int(sys.argv[1])
    for name, make in (("events", of_events), ("one string", padded)):
        statuses, took_s, peak_mb, cpu_s = measure(clients, make)
        print(
            f"{clients} uploads, {name}: {statuses}, {took_s:.1f} s,"
            f" peak {peak_mb:.0f} MB, {cpu_s / clients:.1f} s of CPU each"
        )


if __name__ == "__main__":
    main()
