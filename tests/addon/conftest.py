"""
Tests of the sidecar with the real mitmproxy; they run in its test image (see README.md).

The harness's environment has no mitmproxy, so nothing is collected there.
"""

from __future__ import annotations

import importlib.util

HAVE_MITMPROXY = importlib.util.find_spec("mitmproxy") is not None

if HAVE_MITMPROXY:
    from quickstarted_proxy import trimmed

    trimmed.install()
    pytest_plugins = ["sidecar_fixtures"]
else:
    collect_ignore_glob = ["*.py"]
