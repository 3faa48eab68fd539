"""
The pages that are broken on purpose, and what is reached on them as they are.

Where a case has `keys`, they take the place of the example's own: its check asks for names that its
goal gives and its page does not (a file, an environment), so that no walk along the page could
reach it; the case asks for what the page promises. Where a page goes on to what the check does not
ask for, `path` names the section: a defect there is none of the task's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SYSTEM_PIP = {"PIP_BREAK_SYSTEM_PACKAGES": "1", "PIP_ROOT_USER_ACTION": "ignore"}
"""Pages that leave the environment to the reader are walked without one."""


@dataclass(frozen=True, slots=True)
class MutationCase:
    """An example task, and how it is walked."""

    name: str
    keys: dict[str, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    """Of the route; empty for the example's own."""


DJANGO = "https://docs.djangoproject.com/en/stable"

CASES = (
    MutationCase("demo"),
    MutationCase("flask"),
    MutationCase("node-http"),
    MutationCase("create-vite"),
    MutationCase(
        "django-startproject",
        {
            "env": SYSTEM_PIP,
            "success": {
                "serve": 'cd mysite && exec python manage.py runserver --noreload "$QS_PORT"',
                "wait_http": {"path": "/polls/", "contains": "polls index", "timeout": 8},
            },
        },
        (
            f"{DJANGO}/topics/install/#installing-an-official-release-with-pip",
            f"{DJANGO}/intro/tutorial01/",
        ),
    ),
    MutationCase(
        "pytest-first-test",
        {
            "env": SYSTEM_PIP,
            "success": {
                "script": "python -m pytest -q test_sample.py > out.txt\n"
                'grep -q "assert 4 == 5" out.txt || qs_fail "$(cat out.txt)"'
            },
        },
    ),
    MutationCase(
        "sphinx-quickstart",
        {
            "success": {
                "script": 'grep -q "is a Python library" README.rst || qs_fail "no README.rst"\n'
                '.venv/bin/sphinx-build --version || qs_fail "no Sphinx in .venv"'
            }
        },
    ),
    MutationCase(
        "jinja2",
        {
            "env": SYSTEM_PIP,
            "success": {"script": 'python3 -c "import jinja2" || qs_fail "no Jinja"'},
        },
    ),
    MutationCase(
        "tornado",
        {
            "env": SYSTEM_PIP,
            "success": {"script": 'python3 -c "import tornado" || qs_fail "no Tornado"'},
        },
    ),
    MutationCase(
        "fastify",
        {
            "success": {
                "script": "node -e \"require('fastify')\" || qs_fail 'Fastify is not installed'"
            }
        },
        ("https://fastify.dev/docs/latest/Guides/Getting-Started#install",),
    ),
)
