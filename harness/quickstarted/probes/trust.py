"""
Probes: programs trust the proxy's certificate authority.

Each asks the documentation host over TLS, which the proxy itself refuses: the 403 shows that the
certificate was believed, and no host outside has to answer for that.
"""

from __future__ import annotations

from quickstarted.probes.model import Outcome, Probe, Seen, broken, holds, not_applicable

CURL_SCRIPT = """
qp_has curl || { echo none; exit; }
echo "curl $(curl -sS -m 30 -o /dev/null -w '%{http_code}' "https://$QP_DOCS_HOST/" 2>&1)"
"""
PYTHON_PROGRAM = """
import importlib, os, urllib.error, urllib.request
url = "https://" + os.environ["QP_DOCS_HOST"] + "/"
try:
    print("urllib", urllib.request.urlopen(url, timeout=30).status)
except urllib.error.HTTPError as error:
    print("urllib", error.code)
except OSError as error:
    print("urllib", error)
for label, module in (("requests", "requests"), ("pip", "pip._vendor.requests")):
    try:
        requests = importlib.import_module(module)
    except ImportError:
        continue
    try:
        print(label, requests.get(url, timeout=30).status_code)
    except requests.exceptions.RequestException as error:
        print(label, error)
"""
PYTHON_SCRIPT = f"""
qp_has python3 || {{ echo none; exit; }}
exec python3 -W ignore -c '{PYTHON_PROGRAM}'
"""
NODE_SCRIPT = """
qp_has node || { echo none; exit; }
exec node -e 'const url = `https://${process.env.QP_DOCS_HOST}/`;
if (typeof fetch === "function") fetch(url).then(
  (answer) => console.log("fetch", answer.status),
  (error) => console.log("fetch", String((error.cause || error).message)));
require("https").get(url, (answer) => { console.log("https", answer.statusCode); answer.resume(); })
  .on("error", (error) => console.log("https", error.message));'
"""
JAVA_PROGRAM = """
public class Probe {
  public static void main(String[] args) throws Exception {
    try {
      java.net.URL url = new java.net.URL("https://" + System.getenv("QP_DOCS_HOST") + "/");
      System.out.println("java " + ((java.net.HttpURLConnection) url.openConnection())
        .getResponseCode());
    } catch (java.io.IOException error) {
      System.out.println("java " + error.getMessage());
    }
  }
}
"""
JAVA_SCRIPT = f"""
qp_has java || {{ echo none; exit; }}
folder=$(mktemp -d) && cd "$folder" || exit
cat >Probe.java <<'END_OF_PROGRAM'
{JAVA_PROGRAM}
END_OF_PROGRAM
java Probe.java 2>/dev/null | grep '^java ' && exit
# A runtime without a compiler: its key store must at least have the authority.
store=${{JAVA_TOOL_OPTIONS#*trustStore=}}
store=${{store%% *}}
keytool -list -keystore "$store" -storepass changeit 2>/dev/null | grep -qi quickstarted &&
	echo "keytool 403" || echo "keytool the authority is not in $store"
"""


def judge_clients(seen: Seen) -> Outcome:
    """Each client, a line with its name and what came: the status, or why none came."""
    if seen.lines == ["none"]:
        return not_applicable("the image does not have it")
    answers = seen.pairs
    if not answers:
        return broken("no answer")
    wrong = [f"{client}: {said}" for client, said in answers.items() if said != "403"]
    return broken("; ".join(wrong)[:300]) if wrong else holds(", ".join(answers))


def _trusts(name: str, program: str, script: str) -> Probe:
    return Probe(
        name=f"trust-{name}",
        promise=f"{program} trusts the proxy's certificate authority.",
        kind="trust",
        script=script,
        judge=judge_clients,
    )


TRUST = (
    _trusts("curl", "curl", CURL_SCRIPT),
    _trusts("python", "Python", PYTHON_SCRIPT),
    _trusts("node", "Node", NODE_SCRIPT),
    _trusts("java", "Java", JAVA_SCRIPT),
)
