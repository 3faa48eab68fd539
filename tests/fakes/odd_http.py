"""
A web server whose answers are right, wrong and broken, byte by byte.

Runs on its own in a container's Python too: `odd_http.py PORT` serves on 127.0.0.1 until it is
ended; PORT 0 takes a free one, which it prints.
"""

import socketserver
import sys
import threading

OK = b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n"
JSON = (
    b'{"status": "ok", "n": 1, "on": true, "no": null,'
    b' "list": [{"a b": "\xc3\xa9"}], "o": {"x": 1, "y": 2}}'
)
ANSWERS = {
    "/ok": OK + b"Content-Length: 22\r\n\r\nfirst line\nit's -e $5\n",
    "/latin": OK + b"\r\n\xff\xfe binary\x00here\nlast",
    "/json": OK + b"\r\n" + JSON,
    "/nothing": b"HTTP/1.0 204 No Content\r\n\r\n",
    "/blank": OK + b"Content-Length: 0\r\n\r\n",
    "/missing": b"HTTP/1.0 404 Not Found\r\nContent-Length: 5\r\n\r\ngone\n",
    "/boom": b"HTTP/1.0 500 Internal Server Error\r\n\r\n<h1>boom</h1>" + b"x" * 400,
    "/redirect": b"HTTP/1.0 302 Found\r\nLocation: /ok\r\nContent-Length: 6\r\n\r\nmoved\n",
    "/short": OK + b"Content-Length: 100\r\n\r\nfirst line\n",
    "/garbage": b"no http at all\n",
    "/empty": b"",
}
"""Path to all that is sent before the connection is closed; `/silent` sends nothing and waits."""


class Handler(socketserver.StreamRequestHandler):
    """One request a connection."""

    def handle(self):
        path = self.rfile.readline().split(b" ")[1].decode().partition("?")[0]
        while self.rfile.readline().strip():
            pass
        if path == "/silent":
            self.rfile.read(1)
            return
        self.wfile.write(ANSWERS[path])


class OddServer(socketserver.ThreadingTCPServer):
    """Answers on 127.0.0.1; within `with`, in a thread of its own."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), Handler)

    @property
    def port(self):
        return int(self.server_address[1])

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    server = OddServer(int(sys.argv[1]))
    print(server.port, flush=True)
    server.serve_forever()
