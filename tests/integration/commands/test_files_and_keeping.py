"""Files in and out, and a sandbox kept as an image."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fakes.containers import base_image, open_sandbox
from quickstarted.sandbox.container.keep import remove_kept
from quickstarted.sandbox.labels import EXPIRES, OWNER, ROLE, is_left_over
from quickstarted.sandbox.protocol import CHECK_OUTPUT_PATH

pytestmark = pytest.mark.docker


def test_a_file_is_roots_and_its_folders_are_made(box, run):
    box.put_file("/.quickstarted/deep/er/file", b"a\0b", mode=0o640)

    assert b"a\0b" == box.get_file("/.quickstarted/deep/er/file", 100)
    for folder in ("/.quickstarted/deep", "/.quickstarted/deep/er"):
        mode, _, uid, gid, *_ = run(box, f"ls -ldn {folder}").output.split()
        assert ("drwxr-xr-x", "0", "0") == (mode, uid, gid)


def test_a_file_replaces_a_link_instead_of_following_it(bash_box, run):
    run(bash_box, "echo victim >/tmp/victim; ln -sf /tmp/victim /tmp/link")
    bash_box.put_file("/tmp/link", b"new")

    assert "victim\nnew" == run(bash_box, "cat /tmp/victim /tmp/link").output


def test_reading_is_bounded_and_follows_links_inside(bash_box, run):
    run(
        bash_box,
        "head -c 50000000 /dev/zero >/tmp/big; ln -sf big /tmp/near; ln -sf /tmp/near /far",
    )

    assert 1000 == len(bash_box.get_file("/tmp/big", 1000))
    assert 1000 == len(bash_box.get_file("/far", 1000))


@pytest.mark.parametrize("path", ["/nowhere", "/tmp", "/tmp/fifo", "/tmp/loop", "/dev/zero"])
def test_what_is_no_file_is_empty(bash_box, run, path):
    run(bash_box, "mkfifo /tmp/fifo; ln -sfn loop /tmp/loop")

    assert b"" == bash_box.get_file(path, 1000)


def test_a_tree_belongs_to_the_user_and_links_stay_links(box, run, tmp_path):
    outside = tmp_path / "secret"
    outside.write_text("secret")
    tree = tmp_path / "tree"
    (tree / "sub" / "empty").mkdir(parents=True)
    (tree / "sub" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tree / "sub" / "run.sh").chmod(0o755)
    (tree / "twin").hardlink_to(tree / "sub" / "run.sh")
    (tree / "inside").symlink_to("sub/run.sh")
    (tree / "out").symlink_to(outside)
    box.put_tree(tree, "/workspace")
    result = run(
        box,
        "sub/run.sh; ./inside; cat twin | head -n 1; test -d sub/empty && touch sub/empty/x;"
        " cat out 2>/dev/null || echo dangling; rm -rf sub inside twin out; ls -A",
    )

    assert "ran\nran\n#!/bin/sh\ndangling\n" == result.output


def test_installed_files_and_variables_reach_every_command(engine, run):
    with open_sandbox(engine, base_image()) as sandbox:
        sandbox.install({"/etc/trust.pem": (b"cert", 0o644)}, {"TRUST": "/etc/trust.pem"})

        assert "cert" == run(sandbox, 'cat "$TRUST"').output


def test_a_kept_sandbox_is_an_image_that_starts_again(engine, run, non_root):
    env = {"HTTP_PROXY": "http://192.0.2.1:8080", "SSL_CERT_FILE": "/etc/x.pem"}
    with open_sandbox(engine, non_root, env=env) as sandbox:
        run(sandbox, "echo work >result; export SECRET_STATE=1; cd /tmp")
        sandbox.put_file(CHECK_OUTPUT_PATH, b"what the agent printed", mode=0o600)
        kept = sandbox.save(3600)
    try:
        config = engine.api.inspect_image(kept.image)["Config"]
        with open_sandbox(engine, kept.image) as again:
            found = run(again, 'cat result; echo "$PWD ${SECRET_STATE-none} [$HTTP_PROXY]"; id -un')
            left = again.get_file(CHECK_OUTPUT_PATH, 100)
    finally:
        remove_kept(engine, kept.image)

    assert "work\n/workspace none []\nreader\n" == found.output
    assert b"" == left
    assert ("reader", None, ["sh"]) == (config["User"], config["Entrypoint"] or None, config["Cmd"])
    labels = config["Labels"]
    assert ("kept", str(int(kept.expires)), "") == (labels[ROLE], labels[EXPIRES], labels[OWNER])
    assert not is_left_over(labels, now=time.time())
    assert is_left_over(labels, now=time.time() + 3700)


def test_records_are_in_the_folder_that_was_given(engine, run, tmp_path):
    with open_sandbox(engine, base_image(), record_dir=tmp_path / "records") as sandbox:
        result = run(sandbox, "seq 100000")

    assert tmp_path / "records" == Path(result.full_output_path).parent
    assert 100_000 == len(Path(result.full_output_path).read_text().splitlines())
