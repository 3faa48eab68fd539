"""What calls of models cost, and what stops them, as a person starts them: real SDK, no engine."""

from __future__ import annotations

import json

import pytest

from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import Error, Usage, bash, say
from fakes.program import COMMAND, finish, run_task, start, write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE

LOCAL = ["--backend", "local", "--allow-unenforced"]
KEY = "sk-test"
TASK = """\
    success: {script: "test -f done || qs_fail 'there is no file done'"}
    """
MODEL = "claude-sonnet-5-5"
A_DOLLAR = "date: 2026-11-30\nmodels:\n  claude-*: {input: 10000, output: 0}\n"
"""What a scripted turn of 100 tokens costs."""


class Desk:
    """A task, a price file, and a scripted service."""

    def __init__(self, folder):
        self.folder = folder
        self.prices = folder / "prices.yaml"
        self.prices.write_text(A_DOLLAR)

    def run(self, script, *flags, body=TASK, agent="claude", done=True):
        task = write_task(self.folder, body)
        with ScriptedMessagesApi(script, api_key=KEY) as api:
            environment = {
                "ANTHROPIC_BASE_URL": api.base_url,
                "ANTHROPIC_API_KEY": KEY,
                "QUICKSTARTED_ANTHROPIC_API_KEY": "",
                BASE_VARIABLE: str(self.folder / "attempts"),
            }
            ran = run_task(task, *LOCAL, "--agent", agent, *flags, env=environment)
            if done:
                api.assert_done()
        return ran, len(api.requests)


@pytest.fixture(name="desk")
def _desk(tmp_path):
    return Desk(tmp_path)


def test_an_attempt_costs_what_the_file_says_for_the_model_that_was_reported(desk):
    script = [
        bash("touch done", usage=Usage(100, 20, 30, 40), model="claude-sonnet-5-5-20261001"),
        say("Done."),
    ]
    desk.prices.write_text(
        f"date: 2026-11-30\nmodels:\n  {MODEL}: {{input: 1, output: 2}}\n"
        "  claude-sonnet-5-5-*: {input: 10, output: 100, cache_write: 1000, cache_read: 10000}\n"
    )
    done, _ = desk.run(script, "--prices", desk.prices)

    assert 0 == done.code, done.err
    # 100 at 10, 20 at 100, 30 at 1,000, 40 at 10,000; then 100 at 1 and 20 at 2.
    costs = [0.433, 0.00014]
    assert costs == [turn.cost_usd for turn in done.of_type("agent_turn")]
    (cell,) = done.document["cells"]
    (run,) = done.document["runs"]
    assert (0.43314, [], 0.43314) == (
        run["estimated_cost_usd"],
        run["unpriced_models"],
        cell["cost_per_pass_usd"],
    )
    source = {"source": str(desk.prices), "date": "2026-11-30"}
    assert source == run["prices"] == done.events()[0].prices
    record = json.loads((done.results / "probe" / "run.json").read_text())["prices"]
    assert source.items() <= record.items()
    assert {MODEL: MODEL, "claude-sonnet-5-5-20261001": "claude-sonnet-5-5-*"} == {
        model: price["entry"] for model, price in record["models"].items()
    }
    assert ", 2 turns, 310 tokens, $0.4331)" in done.out
    suite = (done.results / "suite.md").read_text()
    assert f"with the prices of `{desk.prices} of 2026-11-30`" in suite
    assert "| cost | $0.4331, estimated" in (done.results / "probe" / "report.md").read_text()


def test_a_model_without_a_price_is_named_wherever_its_cost_would_be(desk):
    desk.prices.write_text("models: {other: {input: 1, output: 1}}")
    done, _ = desk.run([bash("touch done"), say("Done.")], "--prices", desk.prices)

    assert 0 == done.code, done.err
    document = done.document
    for part in (document, document["cells"][0], document["runs"][0]):
        assert (None, [MODEL]) == (part["estimated_cost_usd"], part["unpriced_models"])
    assert f"no price for {MODEL})" in done.out
    assert f"**No price** for `{MODEL}`" in (done.results / "suite.md").read_text()
    report = (done.results / "probe" / "report.md").read_text()
    assert f"| cost | not known: no price for `{MODEL}` |" in report


def test_without_a_flag_the_package_s_prices_are_taken(desk):
    done, _ = desk.run([bash("touch done"), say("Done.")])

    assert 0 == done.code, done.err
    (run,) = done.document["runs"]
    assert run["estimated_cost_usd"] > 0
    assert run["prices"]["source"].startswith("genai-prices ")


def test_without_the_package_the_call_says_how_costs_are_had(desk, tmp_path):
    task = write_task(tmp_path, TASK)
    program = (
        "import sys; sys.modules['genai_prices'] = None\nfrom quickstarted.cli import main; main()"
    )
    with ScriptedMessagesApi([bash("touch done"), say("Done.")], api_key=KEY) as api:
        environment = {
            "ANTHROPIC_BASE_URL": api.base_url,
            "ANTHROPIC_API_KEY": KEY,
            "QUICKSTARTED_ANTHROPIC_API_KEY": "",
            BASE_VARIABLE: str(tmp_path / "attempts"),
        }
        results = tmp_path / "results"
        args = ["run", task, "--out", results, *LOCAL, "--agent", "claude"]
        process = start(args, env=environment, command=[COMMAND[0], "-c", program])
        done = finish(process, results)

    assert 0 == done.code, done.err
    assert "costs are not estimated: pip install 'quickstarted-harness[prices]'" in done.err
    assert (None, [MODEL]) == (
        done.document["estimated_cost_usd"],
        done.document["unpriced_models"],
    )


def test_an_attempt_stops_when_it_has_cost_what_its_task_allows(desk):
    body = TASK + "budgets: {max_cost_usd: 2}\n"
    script = [bash("true"), bash("echo last")]
    done, requests = desk.run(script, "--prices", desk.prices, body=body)

    assert (2, ("max_cost", "budget_exhausted")) == (requests, done.ending())
    assert 2 == done.code
    assert ["true", "echo last"] == [call.command for call in done.of_type("tool_call")]
    assert 2.0 == done.document["runs"][0]["estimated_cost_usd"]
    assert "the task's max_cost_usd was reached" in done.out


def test_a_limit_without_a_price_ends_before_anything_starts(desk):
    desk.prices.write_text("models: {other: {input: 1, output: 1}}")
    body = TASK + "budgets: {max_cost_usd: 2}\n"
    done, requests = desk.run([], "--prices", desk.prices, body=body)

    assert (0, ("fault", "harness_error")) == (requests, done.ending())
    assert [] == done.of_type("sandbox_ready")
    (fault,) = done.of_type("fault")
    assert ("price", f"there is no price for {MODEL} in {desk.prices}") == (
        fault.component,
        fault.error.partition(", and ")[2],
    )


def test_a_model_that_turns_out_to_have_no_price_ends_a_limited_attempt_at_its_first_turn(desk):
    desk.prices.write_text(f"models: {{{MODEL}: {{input: 1, output: 1}}}}")
    body = TASK + "budgets: {max_cost_usd: 2}\n"
    script = [bash("touch done", model="claude-else")]
    done, requests = desk.run(script, "--prices", desk.prices, body=body)

    assert (1, ("fault", "harness_error")) == (requests, done.ending())
    assert [] == done.of_type("tool_call")
    assert (None, ["claude-else"]) == (
        done.document["estimated_cost_usd"],
        done.document["unpriced_models"],
    )


def test_a_call_ends_where_its_next_turn_would_cost_more_than_it_may_spend(desk):
    script = [bash("touch done"), say("Done."), bash("touch done")]
    flags = ["--prices", desk.prices, "--repeat", "3", "--max-spend", "3.5"]
    done, _ = desk.run(script, *flags)

    assert 130 == done.code, done.err
    assert "stopped at --max-spend $3.50: $3.00 spent, 2 of 3 attempts begun" in done.err, done.err
    document = done.document
    assert [("completed", "passed", 2.0), ("max_spend", "skipped", 1.0)] == [
        (run["stop_reason"], run["classification"], run["estimated_cost_usd"])
        for run in document["runs"]
    ]
    assert ("max_spend", 3.5, 3.0, 3) == tuple(
        document[name]
        for name in ("stopped", "max_spend_usd", "estimated_cost_usd", "attempts_planned")
    )
    assert (1.0, 3.0) == tuple(
        document["cells"][0][name] for name in ("pass_rate", "cost_per_pass_usd")
    )
    suite = (done.results / "suite.md").read_text()
    assert "**The call was stopped at `--max-spend` $3.50**; 1 attempt not begun." in suite


def test_no_attempt_begins_that_has_no_room(desk):
    script = [bash("touch done"), say("Done.")]
    flags = ["--prices", desk.prices, "--repeat", "2", "--max-spend", "2.5"]
    done, _ = desk.run(script, *flags)

    assert 130 == done.code, done.err
    assert ["passed"] == [run["classification"] for run in done.document["runs"]]
    assert "max_spend" == done.document["stopped"]


def test_a_call_that_stays_below_its_limit_ends_as_it_would_without(desk):
    done, _ = desk.run(
        [bash("touch done"), say("Done.")], "--prices", desk.prices, "--max-spend", "2"
    )

    assert 0 == done.code, done.err
    assert (None, 2.0) == (done.document["stopped"], done.document["max_spend_usd"])


def test_failed_tries_count_as_far_as_tokens_were_reported(desk):
    script = [Error(529), bash("touch done"), say("Done.")]
    done, _ = desk.run(script, "--prices", desk.prices)

    assert 0 == done.code, done.err
    (retry,) = done.of_type("api_retry")
    assert (MODEL, 0.0) == (retry.model, retry.cost_usd)
    assert 2.0 == done.document["estimated_cost_usd"]


@pytest.mark.parametrize(
    ("flags", "prices", "said"),
    [
        (
            ["--max-spend", "1"],
            "models: {other: {input: 1, output: 1}}",
            "--max-spend: there is no price in {prices} for claude",
        ),
        (["--max-spend", "0"], A_DOLLAR, "0 is not in the range x>0"),
        ([], "models: {a: 1}", "{prices}:1:10 models.a: expected a map"),
        (["--refresh-prices"], A_DOLLAR, "--prices and --refresh-prices contradict each other"),
    ],
)
def test_what_cannot_be_priced_is_refused_before_the_start(desk, flags, prices, said):
    desk.prices.write_text(prices)
    done, requests = desk.run([], "--prices", desk.prices, *flags)

    assert (3, 0) == (done.code, requests)
    assert said.format(prices=desk.prices) in done.err
    assert not done.results.exists()


def test_a_replay_costs_nothing_and_needs_no_prices(desk):
    body = TASK + "replay: [touch done]\n    budgets: {max_cost_usd: 1}\n"
    done, _ = desk.run([], "--max-spend", "1", body=body, agent="replay")

    assert 0 == done.code, done.err
    assert (0.0, [], None) == tuple(
        done.document["runs"][0][name]
        for name in ("estimated_cost_usd", "unpriced_models", "prices")
    )
