import pytest

from fakes.fake_engine import BEING_REMOVED, IN_USE, FakeEngine, serving
from quickstarted.errors import EngineFault
from quickstarted.sandbox.lanes.networks import DEFAULT_RANGE, NetworkCarver
from quickstarted.sandbox.removal import StuckNetwork, remove_container, remove_network


def lane(engine):
    return NetworkCarver(engine, "run-1", DEFAULT_RANGE).create_lane()


def test_removing_a_network_waits_for_endpoints_that_are_going():
    fake = FakeEngine()

    with serving(fake) as engine:
        made = lane(engine)
        fake.refusals[made.id] = [IN_USE] * 2
        remove_network(engine, made.id)
        remove_network(engine, made.id)

    assert fake.objects["networks"] == []


def test_another_refusal_to_remove_a_network_is_told():
    fake = FakeEngine()

    with serving(fake) as engine:
        made = lane(engine)
        fake.refusals[made.id] = [(500, {"message": "iptables is not there"})]
        with pytest.raises(EngineFault, match="iptables is not there"):
            remove_network(engine, made.id)


def test_a_network_that_nobody_is_on_and_the_engine_keeps_is_called_stuck():
    """moby #42119: the engine's count of endpoints is too high until it restarts."""
    fake = FakeEngine()

    with serving(fake) as engine:
        made = lane(engine)
        fake.refusals[made.id] = [IN_USE] * 1000
        with pytest.raises(StuckNetwork, match="has no container"):
            remove_network(engine, made.id, stuck_after_s=0.1)


def test_a_container_that_is_being_removed_already_is_waited_for():
    fake = FakeEngine()
    fake.objects["containers"] = [{"Id": "c1"}]
    fake.refusals["c1"] = [BEING_REMOVED]

    with serving(fake) as engine:
        remove_container(engine, "c1")
        remove_container(engine, "c2")

    assert fake.objects["containers"] == []
    assert fake.asked("POST", "/containers/c1/wait") == 1
