"""
Shell functions that every probe's script has: connect, fetch, look up, with what the image has.

Images differ in what is there: Python, Node, curl, bash's /dev/tcp, or nothing of these, which is
said (`no tool`) and never taken for an answer.
"""

from __future__ import annotations

PYTHON_TCP = """
import socket, sys
try:
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=6) as line:
        line.sendall(sys.argv[3].encode() + b"\\n")
    print("connected")
except ConnectionRefusedError:
    print("refused")
except OSError:
    print("unreachable")
"""
NODE_TCP = """
const [host, port, nonce] = process.argv.slice(1);
const line = require("net").connect({host, port: Number(port)});
const end = (word) => { console.log(word); line.destroy(); process.exit(0); };
setTimeout(() => end("unreachable"), 6000);
line.on("connect", () => line.write(nonce + "\\n", () => end("connected")));
line.on("error", (error) => end(error.code === "ECONNREFUSED" ? "refused" : "unreachable"));
"""
PYTHON_DNS = """
import socket, sys
server, name = sys.argv[1:]
labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
question = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + labels + b"\\0\\0\\1\\0\\1"
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.settimeout(4)
    try:
        client.sendto(question, (server, 53))
        print("rcode", client.recv(512)[3] & 15)
    except OSError:
        print("silence")
"""
NODE_DNS = """
const [server, name] = process.argv.slice(1);
const labels = name.split(".").map((part) => String.fromCharCode(part.length) + part).join("");
const text = "\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + labels + "\\0\\0\\1\\0\\1";
const client = require("dgram").createSocket("udp4");
const end = (words) => { console.log(words); process.exit(0); };
setTimeout(() => end("silence"), 4000);
client.on("error", () => end("silence"));
client.on("message", (answer) => end("rcode " + (answer[3] & 15)));
client.send(Buffer.from(text, "latin1"), 53, server, (error) => error && end("silence"));
"""
PYTHON_LOOKUP = """
import socket, sys
try:
    print(socket.gethostbyname(sys.argv[1]))
except OSError:
    print("none")
"""
NODE_LOOKUP = """
require("dns").lookup(process.argv[1], {family: 4}, (error, address) =>
  console.log(error ? "none" : address));
"""
PYTHON_FETCH = """
import sys, urllib.error, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=30) as answer:
        print(answer.status, answer.read(300).decode("utf-8", "replace").replace("\\n", " "))
except urllib.error.HTTPError as error:
    print(error.code, error.read(600).decode("utf-8", "replace").replace("\\n", " "))
except OSError as error:
    print("failed", error)
"""
NODE_FETCH = """
const url = new URL(process.argv[1]);
const proxy = process.env.http_proxy && new URL(process.env.http_proxy);
const show = (answer) => {
  let body = "";
  answer.on("data", (part) => { body += part; });
  answer.on("end", () => console.log(answer.statusCode, body.slice(0, 600).replace(/\\n/g, " ")));
};
const fail = (error) => console.log("failed", error.message);
const plain = {host: proxy && proxy.hostname, port: proxy && proxy.port, path: url.href,
  headers: {host: url.host}};
const call = url.protocol === "http:" && proxy
  ? require("http").get(plain, show)
  : require(url.protocol.slice(0, -1)).get(url, show);
call.on("error", fail);
call.setTimeout(30000, () => call.destroy(new Error("no answer")));
"""

_PROGRAMS = {
    "QP_PY_TCP": PYTHON_TCP,
    "QP_JS_TCP": NODE_TCP,
    "QP_PY_DNS": PYTHON_DNS,
    "QP_JS_DNS": NODE_DNS,
    "QP_PY_LOOKUP": PYTHON_LOOKUP,
    "QP_JS_LOOKUP": NODE_LOOKUP,
    "QP_PY_FETCH": PYTHON_FETCH,
    "QP_JS_FETCH": NODE_FETCH,
}

PRELUDE = r"""
qp_has() { command -v "$1" >/dev/null 2>&1; }

# qp_tcp ADDRESS PORT: connected, refused, unreachable, or no tool
qp_tcp() {
	if qp_has python3; then python3 -c "$QP_PY_TCP" "$1" "$2" "$QP_NONCE"
	elif qp_has node; then node -e "$QP_JS_TCP" "$1" "$2" "$QP_NONCE"
	elif qp_has bash && qp_has timeout; then
		qp_said=$(LC_ALL=C timeout 6 bash -c \
			'exec 3<>"/dev/tcp/$0/$1" && printf "%s\n" "$2" >&3 && echo connected' \
			"$1" "$2" "$QP_NONCE" 2>&1)
		case $qp_said in
		*connected*) echo connected ;;
		*refused*) echo refused ;;
		*) echo unreachable ;;
		esac
	elif qp_has nc; then
		if printf '%s\n' "$QP_NONCE" | nc -w 6 "$1" "$2" >/dev/null 2>&1
		then echo connected; else echo unreachable; fi
	else echo no tool; fi
}

# qp_dns SERVER NAME: rcode N, silence, or no tool
qp_dns() {
	if qp_has python3; then python3 -c "$QP_PY_DNS" "$1" "$2"
	elif qp_has node; then node -e "$QP_JS_DNS" "$1" "$2"
	else echo no tool; fi
}

# qp_lookup NAME: an address, none, or no tool
qp_lookup() {
	if qp_has python3; then python3 -c "$QP_PY_LOOKUP" "$1"
	elif qp_has node; then node -e "$QP_JS_LOOKUP" "$1"
	elif qp_has getent; then
		qp_said=$(getent ahostsv4 "$1") && echo "${qp_said%% *}" || echo none
	elif qp_has nslookup; then
		if nslookup "$1" >/dev/null 2>&1; then echo found; else echo none; fi
	else echo no tool; fi
}

# qp_fetch URL: status and the beginning of the body, failed and why, or no tool
qp_fetch() {
	if qp_has python3; then python3 -c "$QP_PY_FETCH" "$1"
	elif qp_has curl; then
		qp_said=$(curl -sS -m 30 -w '\n%{http_code}' "$1" 2>&1)
		qp_code=${qp_said##*
}
		case $qp_code in
		000) echo "failed $qp_said" ;;
		*) echo "$qp_code" "${qp_said%???}" ;;
		esac | tr '\n' ' ' && echo
	elif qp_has node; then node -e "$QP_JS_FETCH" "$1"
	elif qp_has wget; then
		qp_said=$(wget -T 30 -q -S -O - "$1" 2>&1 | tr '\n' ' ')
		case $qp_said in
		*HTTP/1.?\ *) echo "${qp_said#*HTTP/1.? }" ;;
		*) echo "failed $qp_said" ;;
		esac
	else echo no tool; fi
}
"""


def program_environment() -> dict[str, str]:
    """The programs of these functions, for the environment of a script."""
    return dict(_PROGRAMS)
