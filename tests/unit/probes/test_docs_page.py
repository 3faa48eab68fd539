"""docs/doctor.md lists every promise, and says of each what the probe says."""

import os
import re
from pathlib import Path

from quickstarted.probes import PROBES

PAGE = Path(__file__).parents[3] / "docs" / "doctor.md"


def test_every_promise_is_on_the_page():
    rows = [f"| `probe-{probe.name}` | {probe.promise} |" for probe in PROBES]
    text = PAGE.read_text(encoding="utf-8")
    if os.environ.get("QS_UPDATE_GOLDEN"):
        table = "\n".join(rows)
        text = re.sub(
            r"(\| code \| promise \|\n\| --- \| --- \|\n).*?\n\n",
            rf"\1{table}\n\n",
            text,
            flags=re.DOTALL,
        )
        PAGE.write_text(text, encoding="utf-8")

    assert rows == re.findall(r"^\| `probe-.*$", text, flags=re.MULTILINE)
