from pathlib import Path

import pytest

from quickstarted.task import FROM_DOCS, HostPort, Task


@pytest.mark.parametrize(
    ("docs", "expected"),
    [
        (
            "path: [https://docs.example/a, https://docs.example/a#b]",
            (
                "4:3 docs.path: the same page stands twice on the path: items 0 and 1 are "
                "https://docs.example/a#b"
            ),
        ),
        (
            "path: [https://docs.example/a]\n  entrypoint: https://docs.example/",
            "3:1 docs: has both `path` and `entrypoint`: put the page first on the path",
        ),
        ("path: []", "3:1 docs: needs `path` with at least one page, or `entrypoint`"),
        ("allow: [a.example]", "3:1 docs: needs `path` with at least one page, or `entrypoint`"),
        (
            "path: [https://docs.example/]\n  sites: {https://other.example/: /}",
            (
                "3:1 docs: `sites` stands in for https://other.example/, and other.example is no "
                "documentation host: add it to `allow`"
            ),
        ),
        (
            "path: [https://docs.example/]\n  sites: {https://docs.example/: missing}",
            '5:11 docs.sites."https://docs.example/": there is no folder {folder}/missing',
        ),
        (
            "path: [https://docs.example/]\n  headers: {docs.example: {X-Key: abc}}",
            (
                '5:28 docs.headers."docs.example".X-Key: expected $NAME, a variable of the '
                "caller's environment: no values here"
            ),
        ),
        (
            "path: [https://docs.example/]\n  headers: {docs.example: {HOST: $A}}",
            '5:28 docs.headers."docs.example".HOST: HOST is set by read_docs itself',
        ),
        (
            "path: [https://docs.example/]\n  headers: {docs.example: {Accept: $A}}",
            '5:28 docs.headers."docs.example".Accept: Accept is set by read_docs itself',
        ),
        (
            'path: [https://docs.example/]\n  headers: {docs.example: {"X\\r\\nY": $A}}',
            (
                '5:28 docs.headers."docs.example"."X\\r\\nY": is not the name of a header: letters,'
                " digits and `-` make one"
            ),
        ),
        (
            "path: [https://docs.example/]\n  headers: {docs.example: {X-A: $A, x-a: $B}}",
            "5:3 docs.headers: x-a stands twice for docs.example",
        ),
        (
            "path: [https://docs.example/]\n  sites: {https://docs.example/: 'https://p.example/?t=1'}",
            (
                '5:11 docs.sites."https://docs.example/": a URL prefix has neither a query nor a'
                " fragment"
            ),
        ),
    ],
)
def test_docs_that_make_no_route_are_rejected(problems, tmp_path, docs, expected):
    text = f"name: x\ngoal: g\ndocs:\n  {docs}\nsuccess: {{script: python a.py}}\n"

    assert [expected.format(folder=tmp_path)] == problems(text)


def test_the_route_is_normalised_and_its_hosts_are_documentation(load):
    task = load(
        docs="docs:\n  path: [HTTPS://Docs.Example, https://docs.example/b, https://münchen.example/]\n"
        "  allow: [API.example, docs.example]\n"
    )

    assert task.route == (
        "https://docs.example/",
        "https://docs.example/b",
        "https://xn--mnchen-3ya.example/",
    )
    assert task.docs.hosts == ("docs.example", "xn--mnchen-3ya.example", "api.example")


def test_sites_are_folders_beside_the_task_or_urls(load, tmp_path):
    (tmp_path / "html").mkdir()

    task = load(
        docs="docs:\n  path: [https://docs.example/]\n  sites:\n"
        "    https://docs.example/a/: html\n    https://docs.example/b/: https://preview.example/x\n"
        f"    https://docs.example/c/: {tmp_path}\n"
    )

    assert [
        (tmp_path / "html", None),
        (None, "https://preview.example/x"),
        (tmp_path, None),
    ] == [(site.folder, site.url) for site in task.docs.sites.values()]


def test_network_hosts_are_read(load):
    task = load(
        "network:\n  allow: [API.example, 'api.example:8443']\n  only: [mirror.example]\n"
        "  private: [127.0.0.1, intra.example]\n"
    )

    assert (HostPort("api.example"), HostPort("api.example", 8443)) == task.network.allow
    assert task.network.only == ("mirror.example",)
    assert task.network.private == ("127.0.0.1", "intra.example")


@pytest.mark.parametrize(
    ("extra", "key"),
    [
        ("network: {only: ['a.example:80']}", "network.only[0]"),
        ("network: {private: ['a.example:80']}", "network.private[0]"),
        ("network: {allow: [10.0.0.1]}", "network.allow[0]"),
        ("network: {allow: [3]}", "network.allow[0]"),
        ("network: {allow: [{host: a}]}", "network.allow[0]"),
        ("network: {paths: {a.example: []}}", 'network.paths."a.example"'),
        ("network: {paths: {a.example: [x]}}", 'network.paths."a.example"[0]'),
        ("network: {paths: {a.example: [/x, /a/../b]}}", 'network.paths."a.example"[1]'),
        ("network: {paths: {'a.example:80': [/x]}}", 'network.paths."a.example:80"'),
        ("network: {websocket: [https://a.example]}", "network.websocket[0]"),
        ("network: {max_upload: 200}", "network.max_upload"),
        ("network: {max_upload: -1m}", "network.max_upload"),
        ("network: {max_download: some}", "network.max_download"),
        ("secrets: {KEY: {hosts: []}}", "secrets.KEY.hosts"),
        ("secrets: {1KEY: {hosts: [a.example]}}", "secrets.1KEY"),
        ("env: {QS_PORT: 1}", "env.QS_PORT"),
        ("env: {A B: 1}", 'env."A B"'),
        ("env: {A: [1]}", "env.A"),
        ("tags: [a b]", "tags[0]"),
        ("image: a b", "image"),
        ("user: -x", "user"),
        ("setup: ['  ']", "setup[0]"),
        ("replay: 3", "replay"),
        ("workspace: missing", "workspace"),
        ("workspace: " + "a" * 5000, "workspace"),
        ("workspace: x.yaml", "workspace"),
        ("budgets: {max_turns: 0}", "budgets.max_turns"),
        ("budgets: {max_turns: 1.5}", "budgets.max_turns"),
        ("budgets: {max_turns: '3'}", "budgets.max_turns"),
        ("budgets: {max_seconds: 8:00}", "budgets.max_seconds"),
        ("budgets: {max_seconds: 0}", "budgets.max_seconds"),
        ("budgets: {max_seconds: 1e999}", "budgets.max_seconds"),
        ("budgets: {max_output_chars: 010}", "budgets.max_output_chars"),
        ("resources: {cpus: 0}", "resources.cpus"),
        ("resources: {cpus: many}", "resources.cpus"),
        ("resources: {gpus: 0}", "resources.gpus"),
        ("resources: {gpus: [1]}", "resources.gpus"),
        ("resources: {memory: 1k}", "resources.memory"),
        ("resources: {disk: 10 gallons}", "resources.disk"),
    ],
)
def test_values_that_cannot_be_are_rejected_where_they_stand(problems, extra, key):
    text = (
        "name: x\ngoal: g\ndocs: {entrypoint: https://docs.example/}\n"
        f"success: {{script: python a.py}}\n{extra}\n"
    )

    (problem,) = problems(text)
    assert problem.split(": ", 1)[0].endswith(f" {key}")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("90", 90.0), ("1.5", 1.5), ("90s", 90.0), ("2m", 120.0), ("1.5 h", 5400.0), ("500ms", 0.5)],
)
def test_durations_are_seconds_or_have_a_unit(load, value, seconds):
    assert seconds == load(f"budgets: {{max_seconds: {value}}}").budgets.max_seconds


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("512m", 512 * 1024**2),
        ("4g", 4 * 1024**3),
        ("4G", 4 * 1024**3),
        ("1.5g", 1536 * 1024**2),
        ("8 GiB", 8 * 1024**3),
        ("1tb", 1024**4),
        ("10485760", 10485760),
        ("10485760b", 10485760),
    ],
)
def test_sizes_are_bytes(load, value, size):
    resources = load(f"resources: {{memory: {value}, disk: {value}}}").resources

    assert (size, size) == (resources.memory_bytes, resources.disk_bytes)


def test_limits_may_be_said_to_be_none(load):
    resources = load("resources: {cpus: all, disk: none, gpus: none}").resources

    assert (resources.cpus, resources.disk_bytes, resources.gpus) == (None, None, None)


@pytest.mark.parametrize(
    ("value", "size"),
    [("200m", 200 * 1024**2), ("64k", 64 * 1024), ("1b", 1), ("0", 0), ("none", None)],
)
def test_budgets_of_the_network_are_sizes_of_any_kind(load, value, size):
    network = load(f"network: {{max_upload: {value}, max_download: {value}}}").network

    assert (size, size) == (network.max_upload_bytes, network.max_download_bytes)


def test_more_may_be_received_than_sent(load):
    network = load().network

    assert (200 * 1024**2, 20 * 1024**3) == (network.max_upload_bytes, network.max_download_bytes)


def test_path_patterns_and_websocket_hosts_are_read(load):
    network = load(
        "network:\n  paths: {B\u00fccher.example: [/v1/**, '/*.json']}\n  websocket: [WS.example]\n"
    ).network

    assert {"xn--bcher-kva.example": ("/v1/**", "/*.json")} == network.paths
    assert ("ws.example",) == network.websocket


def test_replay_is_commands_or_the_pages_themselves(load):
    assert load("replay: [a, true]").replay == ("a", "true")
    assert load("replay: from_docs").replay == FROM_DOCS


def test_the_workspace_is_a_folder_beside_the_task(load, tmp_path):
    (tmp_path / "start").mkdir()

    assert tmp_path / "start" == load("workspace: start").workspace


def test_user_and_image_are_words(load):
    task = load("user: 1000\nimage: node:22-slim\nplatform: linux/amd64\n")

    assert (task.user, task.image, task.platform) == ("1000", "node:22-slim", "linux/amd64")


def test_a_task_is_frozen(document):
    task = Task.model_validate(document())

    with pytest.raises(ValueError, match="frozen"):
        task.name = "y"


def test_a_model_without_a_file_looks_at_no_path(document):
    task = Task.model_validate(
        document(
            workspace="nowhere",
            docs__sites={"https://docs.example/": "nowhere"},
            success={"file": "nowhere.sh"},
        )
    )

    assert Path("nowhere") == task.workspace
    assert task.source.where(("name",)) == "task.yaml:1:1 name"
