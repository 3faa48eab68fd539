"""Which processes are not the harness's own."""

from __future__ import annotations

from quickstarted.sandbox.container.processes import Row, foreign, is_keep_alive, read_top
from quickstarted.sandbox.container.supervisor import KEEP_ALIVE
from quickstarted.sandbox.protocol import Process

KEEPER = " ".join(KEEP_ALIVE)
INIT = Row(pid=100, parent=90, state="Ss", command="/sbin/docker-init -- sh")
OURS = Row(pid=101, parent=100, state="S", command=KEEPER)


def row(pid, parent, command="sleep 1", state="S"):
    return Row(pid=pid, parent=parent, state=state, command=command)


def test_init_and_the_keep_alive_process_are_ours():
    assert [] == foreign([INIT, OURS], 100, set())


def test_services_and_their_descendants_are_ours():
    rows = [INIT, OURS, row(200, 90), row(201, 200), row(202, 201)]

    assert [] == foreign(rows, 100, {200})


def test_orphans_and_other_commands_are_foreign():
    rows = [INIT, OURS, row(200, 90), row(300, 100, "a b"), row(301, 300), row(302, 90)]

    assert [300, 301, 302] == [process.pid for process in foreign(rows, 100, {200})]


def test_what_has_ended_is_not_foreign():
    assert [] == foreign([INIT, OURS, row(300, 100, "[x] <defunct>", "Z")], 100, set())


def test_only_one_process_can_pass_as_the_keep_alive_process():
    poser = row(300, 100, KEEPER)

    assert [Process(pid=300, command=KEEPER)] == foreign([INIT, OURS, poser], 100, set())
    assert [Process(pid=300, command=KEEPER)] == foreign(
        [INIT, OURS, row(300, 301, KEEPER), row(301, 90, "x")], 100, {301 + 1}
    )[:1]


def test_the_engines_table_is_read():
    top = {"Titles": ["PID", "PPID", "STAT", "COMMAND"], "Processes": [["1", "0", "S", "a b"]]}

    assert [Row(pid=1, parent=0, state="S", command="a b")] == read_top(top)
    assert [] == read_top({"Processes": None})


def test_line_breaks_in_the_keep_alive_program_do_not_matter():
    assert is_keep_alive(KEEPER.replace("\n", " "))
    assert not is_keep_alive("sh -c true")
