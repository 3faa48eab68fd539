"""What a call is to do is on disk before it does any of it."""

import os
from dataclasses import replace

from fakes.records import TWO_TASKS as PLANS
from fakes.records import opened
from quickstarted.records import read_call


def test_the_call_is_written_before_anything_is_made(tmp_path):
    opened(tmp_path, PLANS[1::2], whole=PLANS, shard=(2, 2), run_id="r7")
    call = read_call(tmp_path)

    assert ([plan.key for plan in PLANS], [plan.key for plan in PLANS[1::2]]) == (
        call.whole_plan,
        call.own_plan,
    )
    assert ("r7", os.getpid(), (2, 2)) == (
        call.run_id,
        call.pid,
        (call.shard.number, call.shard.of),
    )


def test_shards_have_one_digest_and_other_plans_have_others(tmp_path):
    digests = []
    for name, plans, whole in [
        ("a", PLANS[::2], PLANS),
        ("b", PLANS[1::2], PLANS),
        ("c", PLANS, PLANS),
        ("d", PLANS[:3], PLANS[:3]),
        ("e", PLANS, [replace(one, of_record={"task_source": "other"}) for one in PLANS]),
    ]:
        opened(tmp_path / name, plans, whole=whole)
        digests.append(read_call(tmp_path / name).plan_digest)

    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests)) == 3


def test_a_call_that_cannot_be_read_is_told_of(tmp_path):
    PLANS[0].write(tmp_path)
    (tmp_path / "call.json").write_text("{")

    assert ["call.json is not whole; what the earlier call was to do is not known"] == opened(
        tmp_path
    ).notes
