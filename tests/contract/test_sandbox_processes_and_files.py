"""What `protocol.Sandbox` promises of services, of what else runs, of restarts and of files."""

from __future__ import annotations

import pytest

from contract.places import AMPLE, eventually, promise
from quickstarted.sandbox.protocol import check_output_path

pytestmark = pytest.mark.docker


@promise("start_service", "service_state", "restart", "run_clean")
def test_a_service_runs_as_the_user_in_the_workspace_with_its_output_in_a_log(place):
    expected = f"{place.uid}\n{place.sandbox.workspace}\ngood  morning\nerror\n"
    place.sandbox.start_service("web", 'id -u; pwd; echo "$GREETING"; echo error >&2; sleep 300')

    state = eventually(
        lambda: place.sandbox.service_state("web"), lambda state: state[1] == expected
    )
    place.sandbox.restart()

    assert (None, expected) == state


@promise("start_service", "service_state")
def test_a_service_that_ends_says_how(place):
    place.sandbox.start_service("short", "echo bye; exit 3")

    assert (3, "bye\n") == eventually(
        lambda: place.sandbox.service_state("short"), lambda state: state[0] is not None
    )


@promise("start_service", "service_state", "bash", "reset_shell", "restart")
def test_a_timeout_spares_services(place, bash):
    place.sandbox.start_service("web", "sleep 300")
    bash("sleep 300", timeout_s=0.3)
    code, _ = place.sandbox.service_state("web")
    place.sandbox.restart()

    assert code is None


@promise("foreign_processes", "start_service", "bash", "reset_shell", "restart")
def test_foreign_is_what_the_agent_left_and_nothing_of_ours(place, bash):
    place.sandbox.start_service("web", "sleep 301 & wait")
    bash("true")
    before = place.sandbox.foreign_processes()
    bash("sleep 303 & (setsid sleep 304 &); true")
    left = place.sandbox.foreign_processes()
    place.sandbox.restart()

    assert [] == before
    assert ["sleep 303", "sleep 304"] == sorted(process.command for process in left)
    assert all(process.pid > 1 for process in left)
    assert [] == place.sandbox.foreign_processes()


@promise("restart", "start_service", "service_state", "bash", "reset_shell")
def test_a_restart_ends_every_process_and_keeps_files(place, bash):
    bash("echo kept >kept; sleep 300 &")
    place.sandbox.start_service("web", "sleep 300")
    place.sandbox.restart()
    code, _ = eventually(
        lambda: place.sandbox.service_state("web"), lambda state: state[0] is not None
    )

    assert 137 == code
    assert [] == place.sandbox.foreign_processes()
    assert "kept\n" == bash("cat kept; rm kept").output


@promise("put_file", "get_file")
@pytest.mark.parametrize("content", [b"", b"a\0b\xff\n", b"x" * 3_000_000])
def test_a_file_comes_out_as_it_went_in(place, content):
    path = f"{place.sandbox.state_dir}/deep/er/file"
    place.sandbox.put_file(path, content)

    assert content == place.sandbox.get_file(path, len(content) + 1)


@promise("put_file", "run_clean")
def test_a_file_is_roots_and_so_are_the_folders_made_for_it(place, clean):
    folder = f"{place.sandbox.state_dir}/owned"
    place.sandbox.put_file(f"{folder}/file", b"here\n")
    script = f"cd '{folder}' && cat file && stat -c '%a %u %g' file ."

    assert "here\n644 0 0\n755 0 0\n" == clean(script).output


@promise("put_file", "run_clean")
def test_the_outputs_are_found_by_scripts_and_can_be_removed_by_root(place, clean):
    path = check_output_path(place.sandbox.state_dir)
    place.sandbox.put_file(path, b"printed\n", mode=0o640)
    seen = clean(f"cat {path}; ls -l {path}").output
    place.sandbox.run_clean(f"rm {path}", AMPLE, root=True)

    assert seen.startswith("printed\n-rw-r-----")
    assert 1 == clean(f"test -e {path}").exit_code


@promise("put_file", "empty_file", "get_file")
def test_a_file_can_be_emptied(place):
    path = f"{place.sandbox.state_dir}/of some\\words/it's"
    place.sandbox.put_file(path, b"printed\n")
    place.sandbox.empty_file(path)

    assert b"" == place.sandbox.get_file(path, 10)


@promise("put_tree", "bash", "reset_shell")
def test_a_tree_is_copied_for_the_user_and_links_stay_links(place, bash, tmp_path):
    (tmp_path / "secret").write_text("secret")
    tree = tmp_path / "tree"
    (tree / "sub" / "empty").mkdir(parents=True)
    (tree / "sub" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tree / "sub" / "run.sh").chmod(0o755)
    (tree / "out").symlink_to(tmp_path / "secret")
    place.sandbox.put_tree(tree, place.sandbox.workspace)

    result = bash(
        "sub/run.sh; stat -c %u sub sub/empty sub/run.sh out; test -L out && echo link;"
        " rm -r sub out; ls -A"
    )

    assert "ran\n" + f"{place.uid}\n" * 4 + "link\n" == result.output


@promise("get_file", "bash", "reset_shell")
def test_reading_is_bounded(place, bash):
    bash("head -c 5000 /dev/zero >/tmp/big")

    assert b"\0" * 1000 == place.sandbox.get_file("/tmp/big", 1000)


@promise("get_file")
@pytest.mark.parametrize("path", ["/nowhere", "/nowhere/deep", "/tmp", "/etc/passwd/x"])
def test_what_is_no_file_is_empty(place, path):
    assert b"" == place.sandbox.get_file(path, 1000)
