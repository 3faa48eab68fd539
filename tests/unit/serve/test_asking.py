"""What no format knows goes to a model where the server's owner allows it."""

import io
import json

import pytest

from fakes.uploading import run
from quickstarted.errors import ModelUnavailable
from quickstarted.formats.trajectory.importing import LlmConverter
from quickstarted.serve.asking import GuardedAsk
from quickstarted.serve.bodies import Body
from quickstarted.serve.converting import UploadOptions, convert
from quickstarted.serve.logs import Log
from quickstarted.serve.store import Store

UNKNOWN = {"diary": ["went there", "came back"]}


class Model:
    """Answers with *reply*, or fails."""

    model = "a-model"

    def __init__(self, reply):
        self.reply = reply

    def __call__(self, system, text):
        if self.reply is None:
            raise ModelUnavailable("the service of account 17 fails")
        return json.dumps(self.reply)


@pytest.fixture(name="log")
def _log():
    return io.StringIO()


def upload(tmp_path, log, reply):
    path = tmp_path / "body"
    path.write_text(f"{json.dumps(UNKNOWN)}\n{json.dumps(run('known'))}\n")
    options = UploadOptions(fallback=LlmConverter(GuardedAsk(Model(reply), Log(log))))
    with Store.opened(tmp_path / "out") as store:
        return convert(Body(path, 1, "0" * 64), tmp_path / "made", store, options)


def test_what_the_model_made_is_stored_and_says_so(tmp_path, log):
    made = {"trace_id": "x", "events": [{"event_type": "agent.step", "output": "went there"}]}
    reply = upload(tmp_path, log, made)

    assert ["llm", "native"] == sorted(one.converter for one in reply.stored)
    assert [] == reply.errors


def test_a_model_that_cannot_be_asked_loses_only_what_was_for_it(tmp_path, log):
    reply = upload(tmp_path, log, None)

    assert ["native"] == [one.converter for one in reply.stored]
    assert ["is of no known kind, and the server's model could not be asked"] == [
        one.message for one in reply.errors
    ]
    assert "model: the service of account 17 fails" in log.getvalue()
