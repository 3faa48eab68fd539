import threading

from quickstarted.console.live.background import Background


def test_actions_are_carried_out_in_order_and_all_before_the_end():
    done = []
    background = Background()
    for number in range(500):
        background.do(lambda number=number: done.append(number))
    background.close()

    assert list(range(500)) == done


def test_it_ticks_after_the_last_action():
    seen, done = [], []
    background = Background(lambda: seen.append(len(done)), every_s=60)
    background.do(lambda: done.append(1))
    background.close()

    assert [1] == seen


def test_it_ticks_without_any_action():
    ticked = threading.Event()
    background = Background(ticked.set, every_s=0.01)

    assert ticked.wait(30)
    background.close()


def test_whoever_asks_never_waits_for_what_is_slow():
    go, done = threading.Event(), []
    background = Background()
    background.do(go.wait)
    for number in range(10):
        background.do(lambda number=number: done.append(number))

    assert [] == done
    go.set()
    background.close()
    assert list(range(10)) == done


def test_what_may_be_left_out_is_where_too_much_waits():
    go, started = threading.Event(), threading.Event()
    done = []

    def wait():
        started.set()
        go.wait()

    background = Background(most=2)
    background.do(wait)
    started.wait()
    taken = [background.do(lambda: done.append("may"), droppable=True) for _ in range(4)]
    background.do(lambda: done.append("must"))
    go.set()
    background.close()

    assert [True, True, False, False] == taken
    assert ["may", "may", "must"] == done


def test_flushing_waits_for_what_was_asked_so_far():
    done = []
    background = Background()
    background.do(lambda: done.append(1))
    background.flush()

    assert [1] == done
    background.close()
