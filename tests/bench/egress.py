"""
Times what the sidecar costs: 400 MB over TLS four ways, small requests, and its memory.

    python tests/bench/egress.py [ROUNDS] [MEGABYTES]

Everything runs in one container with an origin of its own; nothing is fetched from outside. Limits
are those of DESIGN, "What must be fast". The ratio of processor time is the one to trust where the
machine has other work.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import docker.errors
from rich.console import Console
from rich.table import Table

from quickstarted.sandbox.engine import Engine, connect
from quickstarted.sandbox.images import build
from quickstarted.sandbox.images.build import Recipe
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.labels import labels

INSIDE = Path(__file__).parent / "inside"
REPOSITORY = "quickstarted/sidecar-bench"


def recipe(base_id: str) -> Recipe:
    """The bench's image on top of the sidecar's."""
    files = {f"inside/{path.name}": path.read_bytes() for path in sorted(INSIDE.glob("*.py"))}
    files["requirements.txt"] = (INSIDE / "requirements.txt").read_bytes()
    dockerfile = (INSIDE / "Dockerfile").read_text()
    return Recipe(
        repository=REPOSITORY,
        role="sidecar-bench-image",
        dockerfile=dockerfile,
        files=files,
        base_id=base_id,
    )


def remove_older(engine: Engine, image_id: str) -> None:
    """Images of earlier states of the tree are of no use to anybody."""
    for image in engine.api.images(name=REPOSITORY):
        if image["Id"] != image_id:
            with contextlib.suppress(docker.errors.APIError):
                engine.api.remove_image(image["Id"], force=True)


def measure(engine: Engine, image_id: str, arguments: list[str]) -> dict[str, Any]:
    """Run the programs in a container; what the last line of their output says."""
    api = engine.api
    made = api.create_container(
        image_id, arguments or None, labels=labels(f"bench-{uuid4().hex[:8]}", "bench")
    )
    try:
        api.start(made["Id"])
        code = int(api.wait(made["Id"], timeout=1800)["StatusCode"])
        output = api.logs(made["Id"]).decode()
        if code != 0:
            sys.exit(output)
        found: dict[str, Any] = json.loads(output.splitlines()[-1])
        return found
    finally:
        api.remove_container(made["Id"], force=True)


def report(found: dict[str, Any]) -> None:
    console = Console()
    console.print(throughput_table(found["throughput"]))
    table = Table("small requests, ms", "median", "p95", "p95 slower than direct", "limit")
    for what, limit in (("kept_alive_ms", 2.0), ("new_connection_ms", 15.0)):
        direct = found[what]["direct"]
        for name, row in found[what].items():
            slower = row["p95"] - direct["p95"]
            table.add_row(
                f"{what.removesuffix('_ms').replace('_', ' ')}, {name}",
                f"{row['median']:.2f}",
                f"{row['p95']:.2f}",
                f"{slower:.2f}",
                f"{limit:g}" if name == "sidecar" else "",
            )
    console.print(table)
    table = Table("the sidecar's memory, MiB", "at most", "limit")
    for name, mib in found["memory_mib"].items():
        table.add_row(name, f"{mib:.0f}", "" if name == "before" else "256")
    console.print(table)


def throughput_table(found: dict[str, Any]) -> Table:
    median = statistics.median
    stock_speed, stock_cpu = (median(found["stock"][key]) for key in ("mb_per_s", "cpu_s"))
    limits = {"sidecar": "1.8", "cached": "1.8"}
    table = Table(
        "one large file", "MB/s", "min", "max", "x stock", "CPU s", "CPU: x stock", "limit"
    )
    for name, row in found.items():
        speeds, cpu_s = row["mb_per_s"], median(row["cpu_s"])
        table.add_row(
            name,
            f"{median(speeds):.0f}",
            f"{min(speeds):.0f}",
            f"{max(speeds):.0f}",
            f"{median(speeds) / stock_speed:.2f}",
            f"{cpu_s:.2f}" if cpu_s else "",
            f"{stock_cpu / cpu_s:.2f}" if cpu_s else "",
            limits.get(name, ""),
        )
    return table


def main() -> None:
    engine = connect()
    image_id = build.ensure(engine, recipe(sidecar_image(engine, print)), progress=print)
    remove_older(engine, image_id)
    report(measure(engine, image_id, sys.argv[1:]))


if __name__ == "__main__":
    main()
