// One GET request for `qs_wait_http`: URL SECONDS BODY_FILE direct|environment.
// Runs on its own in the sandbox's Node, 10 or newer. Prints `status N` or `error WHY`.
const fs = require("fs");
const [url, seconds, bodyFile, proxy] = process.argv.slice(1);
const most = 16 * 1024 * 1024;
const chunks = [];
let size = 0;
let status = 0;
let ended = false;

function end(line) {
  if (ended) return;
  ended = true;
  fs.writeFileSync(bodyFile, Buffer.concat(chunks));
  process.stdout.write(line + "\n", () => process.exit(0));
}

function explain(error) {
  const code = String(error.code);
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "cannot resolve " + new URL(url).hostname;
  if (code === "ECONNRESET" || code === "EPIPE") {
    return status ? "connection closed in the middle of the answer" : "connection closed without an answer";
  }
  if (code === "HPE_INVALID_EOF_STATE" && status) return "connection closed in the middle of the answer";
  if (code.startsWith("HPE_")) return "not an HTTP answer";
  return "request failed (" + error.message + ")";
}

function receive(answer) {
  status = answer.statusCode;
  answer.on("data", (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) end("status " + status);
  });
  answer.on("end", () => {
    end(answer.complete ? "status " + status : "error connection closed in the middle of the answer");
  });
  answer.on("error", (error) => end("error " + explain(error)));
  answer.on("aborted", () => end("error connection closed in the middle of the answer"));
}

const options = { headers: { "User-Agent": "quickstarted-check", Accept: "*/*" } };
// An agent of its own takes no proxy from the environment.
if (proxy === "direct") options.agent = false;
setTimeout(() => end("error no answer within " + seconds + " s"), seconds * 1000);
require(url.startsWith("https:") ? "https" : "http")
  .get(url, options, receive)
  .on("error", (error) => end("error " + explain(error)));
