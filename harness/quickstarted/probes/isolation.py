"""Probes: there is no way out of the sandbox but the proxy."""

from __future__ import annotations

from quickstarted.probes.model import Outcome, Probe, Seen, broken, holds, not_applicable, unclear

CLOSED = "unreachable"
NO_TOOL = "no tool"
ENGINE_RESOLVER = "127.0.0.11"
"""Where Docker answers names on every network that it was asked to make."""

HOST_SCRIPT = """
for address in $QP_HOST_ADDRESSES host.docker.internal; do
	echo "$address $(qp_tcp "$address" "$QP_HOST_PORT")" &
done
wait
"""
OUTSIDE_SCRIPT = """
for place in $QP_OUTSIDE; do
	echo "$place $(qp_tcp "${place%:*}" "${place##*:}")" &
done
wait
"""
NAMES_SCRIPT = """
echo "foreign $(qp_lookup "$QP_FOREIGN_NAME")"
echo "existing $(qp_lookup example.com)"
"""
RESOLVERS_SCRIPT = f"""
for server in {ENGINE_RESOLVER} $QP_NAME_SERVERS; do
	echo "$server $(qp_dns "$server" "$QP_FOREIGN_NAME")" &
done
wait
"""
IPV6_SCRIPT = """
if [ ! -e /proc/sys/net/ipv6 ]; then echo none
else echo "disabled $(cat /proc/sys/net/ipv6/conf/all/disable_ipv6)"; fi
"""


def judge_host(seen: Seen) -> Outcome:
    """Nothing may arrive, and nothing may even be refused: that would be an answer."""
    if seen.heard:
        return broken(f"a service of this machine was reached under {', '.join(seen.heard)}")
    if not seen.situation.host_addresses:
        return unclear("this machine's addresses are not known")
    return _nothing_answers(seen)


def judge_outside(seen: Seen) -> Outcome:
    """The same for addresses further away."""
    if not seen.situation.outside:
        return unclear("no address outside is known")
    return _nothing_answers(seen)


def _nothing_answers(seen: Seen) -> Outcome:
    answers = seen.pairs
    if not answers:
        return unclear("nothing was tried")
    if NO_TOOL in answers.values():
        return not_applicable("the image has nothing that could connect")
    open_ones = [f"{place} ({said})" for place, said in answers.items() if said != CLOSED]
    if open_ones:
        return broken(f"an answer came from {', '.join(sorted(open_ones))}")
    return holds(f"none of {len(answers)} addresses answers")


def judge_names(seen: Seen) -> Outcome:
    """
    Neither name may exist, and the proxy must have been the one that was asked: a name that
    nobody has does not exist outside either.
    """
    answers = seen.pairs
    if NO_TOOL in answers.values():
        return not_applicable("the image has nothing that could look up a name")
    found = [f"{what} name: {said}" for what, said in answers.items() if said != "none"]
    if found:
        return broken(f"a foreign name resolves ({', '.join(found)})")
    if not seen.blocked(seen.situation.foreign_name):
        return broken(f"the lookup of {seen.situation.foreign_name} left no event")
    return holds()


def judge_resolvers(seen: Seen) -> Outcome:
    """Other servers must be silent; the engine's own may speak, with the proxy's words."""
    answers = seen.pairs
    if NO_TOOL in answers.values():
        return not_applicable("the image has nothing that could ask a name server")
    own = answers.pop(ENGINE_RESOLVER, "silence")
    speaking = [f"{server} ({said})" for server, said in answers.items() if said != "silence"]
    if speaking:
        return broken(f"a name server outside answers: {', '.join(speaking)}")
    if own != "silence" and not seen.blocked(seen.situation.foreign_name):
        return broken(f"{ENGINE_RESOLVER} answers ({own}), and the proxy was not asked")
    return holds(f"{len(answers)} servers outside are silent")


def judge_ipv6(seen: Seen) -> Outcome:
    """Off by setting, or not in the kernel."""
    if seen.lines == ["none"]:
        return holds("the kernel has no IPv6")
    return (
        holds() if seen.lines == ["disabled 1"] else broken(f"IPv6 is on ({seen.output.strip()})")
    )


ISOLATION = (
    Probe(
        name="host-unreachable",
        promise="No service of the host can be reached, under any address of the host.",
        kind="enforcement",
        script=HOST_SCRIPT,
        judge=judge_host,
    ),
    Probe(
        name="address-unreachable",
        promise="An address outside cannot be reached without the proxy.",
        kind="enforcement",
        script=OUTSIDE_SCRIPT,
        judge=judge_outside,
    ),
    Probe(
        name="no-foreign-names",
        promise="A name that is not allowed does not exist, and the lookup is on record.",
        kind="enforcement",
        script=NAMES_SCRIPT,
        judge=judge_names,
    ),
    Probe(
        name="no-name-server",
        promise="No name server outside can be asked, nor the engine's be talked into asking one.",
        kind="enforcement",
        script=RESOLVERS_SCRIPT,
        judge=judge_resolvers,
    ),
    Probe(
        name="ipv6-off",
        promise="There is no second way out by IPv6.",
        kind="enforcement",
        script=IPV6_SCRIPT,
        judge=judge_ipv6,
    ),
)
