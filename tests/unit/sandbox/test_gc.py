import pytest

from fakes.fake_engine import BEING_REMOVED, IMAGE_IN_USE, FakeEngine, serving
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import EXPIRES, OWNER, ROLE, RUN, this_process

NOW = 1_800_000_000.0
DEAD = "elsewhere/1/1"
EARLIER, LATER = str(int(NOW - 10)), str(int(NOW + 10))


def marks(*, owner=DEAD, expires=EARLIER, role="sandbox"):
    return {RUN: "run-1", OWNER: owner, EXPIRES: expires, ROLE: role}


def filled(labels):
    fake = FakeEngine()
    fake.objects["containers"] = [{"Id": "c1", "Names": ["/odd_name"], "Labels": labels}]
    fake.objects["networks"] = [{"Id": "n1", "Name": "lane", "Labels": labels}]
    fake.objects["volumes"] = [{"Name": "v1", "Labels": labels}]
    fake.images.add("sha256:i1", "kept:1", labels=labels)
    return fake


def remaining(fake):
    return sum(len(objects) for objects in fake.objects.values()) + len(fake.images.all)


def test_what_is_over_is_removed_containers_first():
    fake = filled(marks())

    with serving(fake) as engine:
        swept = sweep(engine, now=NOW)

    assert remaining(fake) == 0
    assert [one.kind for one in swept] == ["container", "network", "volume", "image"]
    assert all(one.removed and "2027-01-15" in one.why for one in swept)


def test_a_dry_run_removes_nothing_and_says_the_same():
    fake = filled(marks())

    with serving(fake) as engine:
        swept = sweep(engine, now=NOW, dry_run=True)

    assert remaining(fake) == 4
    assert sum(one.removed for one in swept) == 4
    assert fake.asked("DELETE", ".*") == 0


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (marks(owner=str(this_process())), "is running"),
        (marks(expires=LATER), "on another machine"),
    ],
)
def test_what_may_be_in_use_stays_and_the_reason_is_told(labels, why):
    fake = filled(labels)
    fake.images.all.clear()

    with serving(fake) as engine:
        swept = sweep(engine, now=NOW)

    assert remaining(fake) == 3
    assert all(not one.removed and why in one.why for one in swept)


def test_an_image_with_a_program_stays_when_kept_ones_go_and_has_its_own_end():
    fake = filled(marks(owner="", expires=LATER, role="program"))

    with serving(fake) as engine:
        stays = sweep(engine, now=NOW, kept_images=True)[-1]
        goes = sweep(engine, now=NOW + 20)[-1]

    assert (stays.removed, stays.why) == (
        False,
        "it is an agent's program and its time is not over",
    )
    assert goes.removed
    assert len(fake.images.all) == 0


def test_a_kept_sandbox_outlives_its_owner_until_its_time_is_over():
    dead = marks(owner=f"{this_process().host}/{this_process().pid}/0", expires=LATER)
    fake = filled(dead)

    with serving(fake) as engine:
        swept = sweep(engine, now=NOW)
        left_after_first = remaining(fake)
        sweep(engine, now=NOW, kept_images=True)

    assert left_after_first == 1
    assert "kept sandbox" in swept[-1].why
    assert remaining(fake) == 0


def test_what_has_no_label_of_ours_is_not_looked_at():
    fake = filled({"com.example": "x"})

    with serving(fake) as engine:
        assert sweep(engine, now=NOW) == []

    assert remaining(fake) == 4


@pytest.mark.parametrize("answer", [(404, {"message": "No such container: c1"}), BEING_REMOVED])
def test_somebody_else_may_remove_it_at_the_same_time(answer):
    fake = filled(marks())
    fake.refusals["c1"] = [answer]

    with serving(fake) as engine:
        swept = sweep(engine, now=NOW)

    assert swept[0].removed
    assert swept[0].error == ""


def test_a_refusal_is_told_and_the_rest_still_goes():
    fake = filled(marks())
    fake.refusals["kept:1"] = [IMAGE_IN_USE]
    fake.refusals["c1"] = [(500, {"message": "driver failed"})]

    with serving(fake) as engine:
        swept = sweep(engine, now=NOW)

    assert [one.error for one in swept] == [
        "removing a container: the engine answered 500: driver failed",
        "",
        "",
        f"removing an image: {IMAGE_IN_USE[1]['message']}",
    ]
    assert remaining(fake) == 2


@pytest.mark.parametrize("version", ["20.10.24", "28.0.0"])
def test_an_image_without_a_name_goes_by_its_id(version):
    fake = FakeEngine(version)
    fake.images.add("sha256:i1", labels=marks())

    with serving(fake) as engine:
        sweep(engine, now=NOW)

    assert remaining(fake) == 0
