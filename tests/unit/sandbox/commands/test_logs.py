"""Bounded logs."""

from __future__ import annotations

from quickstarted.sandbox.commands.logs import TAIL_BYTES, BoundedLog


def test_the_file_has_the_beginning_and_the_tail_the_end(tmp_path):
    log = BoundedLog(tmp_path / "sub" / "log", 10)
    for _ in range(5000):
        log.write(b"0123456789")
    log.write(b"end")

    assert b"0123456789" == (tmp_path / "sub" / "log").read_bytes()
    assert TAIL_BYTES == len(log.tail())
    assert log.tail().endswith("789end")


def test_nothing_printed_makes_no_file(tmp_path):
    log = BoundedLog(tmp_path / "log", 10)
    log.write(b"")

    assert "" == log.tail()
    assert not (tmp_path / "log").exists()


def test_a_disk_that_does_not_take_it_fails_nobody(tmp_path):
    (tmp_path / "file").write_text("in the way")
    log = BoundedLog(tmp_path / "file" / "log", 10)
    log.write(b"a")
    log.write(b"b")

    assert "ab" == log.tail()
