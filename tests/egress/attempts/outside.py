"""Ways out that do not lead through the sidecar, and the walls around the sandbox."""

from __future__ import annotations

from egress.model import Attempt, Table


def _denied(name: str, function: str) -> Attempt:
    return Attempt(name, f"permitted({function})", "not permitted")


NETWORK = Table(
    title="Around the proxy",
    about="The sandbox's network has one other member, the sidecar, and no route further. Nothing"
    " of ours sees these packets, so they leave no event; they go nowhere.",
    silent=True,
    rows=(
        Attempt(
            "a service of the host, by the network's first address",
            "tcp(GATEWAY, HOST_PORT)",
            "no route",
        ),
        Attempt("a service of the host, by UDP", "udp(GATEWAY, HOST_PORT)", "no route"),
        Attempt("the host, by ping", "ping(GATEWAY)", "no route"),
        Attempt(
            "a service of the host, by all its other addresses",
            "any_tcp(HOSTS, HOST_PORT)",
            "no route",
        ),
        Attempt(
            "the engine, SSH and databases of the host",
            "any_tcp((GATEWAY, *HOSTS), 22, 2375, 2376, 3306, 5432, 6379)",
            "no route",
        ),
        Attempt("the cloud's metadata service", "tcp('169.254.169.254', 80)", "no route"),
        Attempt("an origin, by its address", "any_tcp((ORIGIN,), 22, 80, 443, 2222)", "no route"),
        Attempt("a public address", "any_tcp(('1.1.1.1', '8.8.8.8'), 22, 53, 443)", "no route"),
        Attempt("a public name server, by UDP", "dns('ok.test', server='8.8.8.8')", "no route"),
        Attempt("QUIC", "udp(ORIGIN, 443)", "no route"),
        Attempt("time (NTP)", "udp('162.159.200.1', 123)", "no route"),
        Attempt("ping", "ping('1.1.1.1')", "no route"),
        Attempt("IPv6", "tcp('2606:4700:4700::1111', 443)", "no route"),
        Attempt("IPv6 neighbours", "udp('ff02::1%eth0', 5353)", "no route"),
        Attempt("local discovery (mDNS)", "udp('224.0.0.251', 5353)", "no route"),
        Attempt(
            "another container, by the engine's resolver",
            "dns(NEIGHBOUR, server='127.0.0.11')",
            "NXDOMAIN",
        ),
        Attempt(
            "other ports of the sidecar",
            "any_tcp((SIDECAR,), 22, 2375, 8081, 9090, 9901)",
            "refused",
        ),
        Attempt("the sidecar's proxy with UDP", "udp(SIDECAR, 443)", "refused"),
    ),
)

PRIVILEGE = Table(
    title="With root in the sandbox",
    about="The container has none of the capabilities that change a network, and cannot get them.",
    silent=True,
    rows=(
        Attempt("the engine's socket", "permitted(engine_socket)", "not there"),
        _denied("a raw socket", "raw_socket"),
        _denied("a packet socket (forged ARP)", "packet_socket"),
        _denied("another route", "add_route"),
        _denied("another address", "change_address"),
        _denied("the packet filter", "firewall"),
        _denied("a capability on a file", "capability_by_file"),
        _denied("a network namespace", "new_network"),
        _denied("a user namespace", "new_user"),
        _denied("another process's network", "join_network"),
        _denied("a mount", "mount_tmpfs"),
        _denied("the kernel's settings made writable", "remount_proc"),
        _denied("IPv6 switched on", "kernel_setting"),
        _denied("a device file", "device"),
        Attempt(
            "the key of the sidecar's authority",
            "found(\"grep -rlE -e '-----BEGIN [A-Z ]*PRIVATE KEY' /etc /usr/local /usr/lib/ssl"
            " /tmp /root /.quickstarted /proc/1/environ | grep -v '[.]py'\")",
            "not there",
        ),
    ),
)

TABLES = (NETWORK, PRIVILEGE)
