"""Images that are not like the default one."""

from __future__ import annotations

import pytest

from fakes.containers import base_image, derive, open_sandbox, shell_less_image
from quickstarted.errors import ImageFault, SandboxFault
from quickstarted.sandbox.labels import RUN

pytestmark = pytest.mark.docker


def test_each_kind_says_what_it_has(boxes):
    shells = {kind: box.facts["shell"].rpartition("/")[2] for kind, box in boxes.items()}
    users = {kind: box.facts["user"] for kind, box in boxes.items()}

    assert {
        "bash": "bash",
        "busybox": "sh",
        "non-root": "bash",
        "dash-no-passwd": "sh",
    } == shells
    assert {
        "bash": "0",
        "busybox": "0",
        "non-root": "reader",
        "dash-no-passwd": "4321",
    } == users


def test_the_workspace_is_the_users_own_and_empty(box, run):
    result = run(box, "pwd; ls -A; touch mine && rm mine && mkdir d && rmdir d && echo writable")

    assert "/workspace\nwritable\n" == result.output


def test_home_and_temporary_folder_are_elsewhere_and_writable(box, run):
    result = run(
        box,
        'for d in "$HOME" "${TMPDIR:-/tmp}" /tmp; do'
        ' case $d in /workspace*|/) echo "bad $d";; esac;'
        ' touch "$d/probe" && rm "$d/probe" || echo "not writable: $d"; done',
    )

    assert "" == result.output


def test_the_place_of_the_harness_is_not_the_users(box, run):
    if box.facts["user"] == "0":
        assert 0 == run(box, "test -d /.quickstarted").exit_code
    else:
        assert 0 != run(box, "touch /.quickstarted/x 2>/dev/null").exit_code


def test_a_home_that_does_not_exist_is_made(engine, run):
    image = derive(engine, "no-home", "useradd -M -u 1500 lost", "USER lost")
    with open_sandbox(engine, image) as sandbox:
        assert "/home/lost\n" == run(sandbox, 'touch "$HOME/x" && echo "$HOME"').output


def test_a_home_in_the_workspace_is_moved_away(engine, run):
    image = derive(engine, "home-there", "true", "ENV HOME=/workspace TMPDIR=/workspace/tmp")
    with open_sandbox(engine, image) as sandbox:
        assert "/home/sandbox /tmp\n" == run(sandbox, 'echo "$HOME $TMPDIR"').output


def test_an_entrypoint_is_overridden(engine, run):
    image = derive(engine, "entrypoint", "true", 'ENTRYPOINT ["/bin/false"]', "WORKDIR /opt")
    with open_sandbox(engine, image) as sandbox:
        assert "/workspace\n" == run(sandbox, "pwd").output


def test_a_health_check_of_the_image_does_not_run(engine, run):
    image = derive(
        engine, "health", "true", "HEALTHCHECK --interval=1s CMD touch /workspace/health"
    )
    with open_sandbox(engine, image) as sandbox:
        assert "" == run(sandbox, "sleep 1.5; ls -A").output


def test_a_user_with_a_group_and_a_number(engine, run):
    with open_sandbox(engine, base_image(), user="1000:2000") as sandbox:
        assert (
            "1000 2000 1000 2000\n"
            == run(sandbox, "echo $(id -u) $(id -g) $(stat -c '%u %g' /workspace)").output
        )


def test_files_that_the_image_has_in_the_workspace_stay_and_are_reported(engine, run):
    image = derive(engine, "full", "mkdir /workspace; touch /workspace/a /workspace/.b")
    with open_sandbox(engine, image) as sandbox:
        assert 2 == sandbox.facts["workspace_entries"]
        assert ".b\na\n" == run(sandbox, "ls -A").output


def test_variables_of_the_image_reach_the_commands_and_a_profile_does_not(engine, run):
    image = derive(
        engine,
        "variables",
        "echo 'echo from profile' | tee -a /etc/profile /etc/bash.bashrc /root/.bashrc >/dev/null",
        "ENV COLOUR='dark blue'",
    )
    with open_sandbox(engine, image, env={"ADDED": "x\ny"}) as sandbox:
        assert "dark blue/x\ny\n" == run(sandbox, 'echo "$COLOUR/$ADDED"').output


def test_an_image_without_a_shell_is_a_clear_fault(engine):
    image = shell_less_image(engine)
    with (
        pytest.raises(ImageFault, match=f"{image} has no POSIX shell") as caught,
        open_sandbox(engine, image),
    ):
        pass

    assert "-slim" in caught.value.hint


def test_a_user_that_the_image_does_not_have_is_a_clear_fault(engine):
    with (
        pytest.raises(ImageFault, match="has no user 'nobody-here'"),
        open_sandbox(engine, base_image(), user="nobody-here"),
    ):
        pass


def test_a_container_that_does_not_stay_up_is_a_fault(engine):
    image = derive(
        engine, "broken", "rm -f /bin/sh /usr/bin/sh; ln -s /bin/true /usr/bin/sh || true"
    )
    with pytest.raises(SandboxFault, match="does not stay up"), open_sandbox(engine, image):
        pass


def test_nothing_is_left(engine):
    with open_sandbox(engine, base_image()) as sandbox:
        mine = sandbox.container_id
        label = engine.api.inspect_container(mine)["Config"]["Labels"][RUN]
    left = engine.api.containers(all=True, filters={"label": f"{RUN}={label}"})

    assert mine not in [row["Id"] for row in left]
