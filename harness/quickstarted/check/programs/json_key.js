// `--json` of `qs_wait_http`: BODY_FILE KEY WANTED.
// Runs on its own in the sandbox's Node. Exit code 1 and why when it does not hold.
const [bodyFile, key, wantedText] = process.argv.slice(1);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return undefined;
  }
}

function find(value, path) {
  for (const part of path.split(".")) {
    if (value === null || typeof value !== "object") return undefined;
    if (Array.isArray(value) && !/^[0-9]+$/.test(part)) return undefined;
    if (!Object.prototype.hasOwnProperty.call(value, Array.isArray(value) ? Number(part) : part)) return undefined;
    value = value[Array.isArray(value) ? Number(part) : part];
  }
  return value;
}

function same(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((name) => name in other && same(one[name], other[name]));
}

function judge() {
  const body = parse(require("fs").readFileSync(bodyFile, "utf8").replace(/^\uFEFF/, ""));
  if (body === undefined) return "body is not JSON";
  const value = find(body, key);
  if (value === undefined) return "body has no " + key;
  const wanted = parse(wantedText);
  if (same(value, wanted === undefined ? wantedText : wanted)) return "";
  return key + " is " + JSON.stringify(value) + ", wanted " + wantedText;
}

const wrong = judge();
if (wrong) {
  process.stdout.write(wrong + "\n");
  process.exitCode = 1;
}
