"""What a node is told of an attempt is all that it needs, and no secret."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace

from fakes.clusters import call_order
from fakes.suites import RUN_ID
from quickstarted.cluster.channel import Channel
from quickstarted.cluster.orders import Shared, order_of, plan_of
from quickstarted.cluster.parcels import LARGE_BYTES, Stock, packed
from quickstarted.docs import DocsLibrary
from quickstarted.prices.bundled import bundled

SECRET = "value-of-the-secret-5512"


def test_an_attempt_on_a_node_is_the_one_that_was_planned(plans, tmp_path):
    (planned,) = plans(1)
    order, folders = order_of(planned)
    stock = Stock(tmp_path / "stock")
    lines = []
    for digest, folder in folders.items():
        stock.put(digest, packed(folder, lines.append))

    with DocsLibrary() as library:
        shared = Shared(node="n", stock=stock, library=library, prices=None, extra_ca_files=())
        plan = plan_of(pickle.loads(pickle.dumps(order)), shared, Channel())
        there = plan.record("local", ())

    contents = plan.contents
    assert contents is not None
    assert planned.key == plan.key
    assert "n" == there.node
    assert set(folders) == {
        contents.workspace_hash,
        *contents.site_hashes.values(),
        plan.arm.content_hash,
    }
    assert str(tmp_path) + "/stock" not in there.model_dump_json()
    assert [] == contents.changed_files()
    assert [] == lines


def test_orders_hold_no_secret_of_the_caller(plans):
    body = (
        "secrets: {SOME_KEY: {hosts: [a.example]}}\nreplay: ['true']\nsuccess: {script: 'true'}\n"
    )
    (planned,) = plans(1, body)
    planned = replace(planned, environ={"SOME_KEY": SECRET})
    assert SECRET == planned.secrets[0].value

    order, _ = order_of(planned)

    assert SECRET.encode() not in pickle.dumps((order, call_order(RUN_ID)))


def test_sending_a_large_folder_is_said(tmp_path):
    (tmp_path / "noise").write_bytes(os.urandom(LARGE_BYTES + 1000))
    lines = []

    packed(tmp_path, lines.append)

    assert [f"note: {tmp_path} is sent to every node: 64 MiB"] == lines


def test_prices_travel_as_they_are():
    table = bundled()

    there = pickle.loads(pickle.dumps(table))

    name = "claude-sonnet-4-5"
    assert table.price(name, 1.7e9) is not None
    assert table.price(name, 1.7e9) == there.price(name, 1.7e9)
    assert (table.source, table.date) == (there.source, there.date)
