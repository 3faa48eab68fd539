"""A run in the making: ids that no two events have."""

import pytest

from quickstarted.formats.trajectory.importing.run import Run
from quickstarted.formats.trajectory.model import EventType


def ids_of(*given):
    """Ids of events to which a source gives those of *given*."""
    notes = []
    run = Run("r", "event-list", notes.append)
    made = [run.event(EventType.AGENT_STEP, event_id=one)["event_id"] for one in given]
    assert len(made) == len(set(made))
    return made, notes


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ([None, None], ["r_evt_001", "r_evt_002"]),
        (["a", None, "b"], ["a", "r_evt_002", "b"]),
        (["a", "a"], ["a", "a#2"]),
        ([None, None, "r_evt_002"], ["r_evt_001", "r_evt_002", "r_evt_002#2"]),
        (["r_evt_002", None], ["r_evt_002", "r_evt_002#2"]),
        ([None, "r_evt_003", None], ["r_evt_001", "r_evt_003", "r_evt_003#2"]),
    ],
)
def test_no_two_events_have_one_id_whoever_gave_it(given, made):
    assert made == ids_of(*given)[0]


def test_an_id_that_was_taken_is_told():
    _, notes = ids_of(None, "r_evt_001")

    assert ["event ids that occur twice have a number after them"] == notes
