"""`read_docs` over MCP, held to the protocol by the client of its own SDK."""

import asyncio
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from mcp import Client

from quickstarted.agents.model.toolset import READ_DOCS
from quickstarted.agents.model.vendor import ToolAnswer
from quickstarted.agents.programs.door import MCP_PATH, Door
from quickstarted.sandbox.protocol import DoorRequest


def page_of(use):
    url = use.arguments["url"]
    return ToolAnswer(call_id=use.call_id, text=f"# Page {url}", is_error=url.endswith("missing"))


@contextmanager
def served(door):
    """The door's MCP on loopback, as the sidecar has it in a sandbox."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_args):
            pass

        def _answer(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            request = DoorRequest(
                method=self.command,
                path=self.path,
                content_type=self.headers.get("content-type", ""),
                body=body,
            )
            answer = door.answer(request)
            self.send_response(answer.status)
            self.send_header("content-type", answer.content_type)
            self.send_header("content-length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 (names of the base class)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{MCP_PATH}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def conversation(mode, talk):
    async def run(url):
        async with Client(url, mode=mode, read_timeout_seconds=20) as client:
            return await talk(client)

    with served(Door(page_of)) as url:
        return asyncio.run(run(url))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_finds_the_tool_and_reads_a_page_with_it(mode):
    async def talk(client):
        tools = await client.list_tools()
        result = await client.call_tool("read_docs", {"url": "https://docs.example.org/"})
        return tools.tools, result

    (tool,), result = conversation(mode, talk)

    assert (tool.name, tool.input_schema) == ("read_docs", READ_DOCS.schema)
    assert tool.annotations.read_only_hint is True
    assert [part.text for part in result.content] == ["# Page https://docs.example.org/"]
    assert not result.is_error


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_page_that_is_not_there_is_a_result_that_says_so(mode):
    async def talk(client):
        return await client.call_tool("read_docs", {"url": "https://docs.example.org/missing"})

    result = conversation(mode, talk)

    assert result.is_error
    assert result.content[0].text == "# Page https://docs.example.org/missing"


def test_calls_made_at_the_same_time_are_all_answered():
    async def talk(client):
        urls = [f"https://docs.example.org/{number}" for number in range(8)]
        calls = [client.call_tool("read_docs", {"url": url}) for url in urls]
        return [result.content[0].text for result in await asyncio.gather(*calls)]

    texts = conversation("legacy", talk)

    assert texts == [f"# Page https://docs.example.org/{number}" for number in range(8)]
