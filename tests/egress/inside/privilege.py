"""What somebody with root in the sandbox tries on its network and its walls; see `client.py`."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
CAP_NET_RAW = 13
SIOCADDRT = 0x890B
SIOCSIFADDR = 0x8916
IPT_BASE_CTL = 64
RAW_PROGRAM = "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)"


def _libc(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _address(ip: str) -> bytes:
    return struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(ip))


def raw_socket() -> None:
    """ICMP and anything else, by hand."""
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


def packet_socket() -> None:
    """Ethernet frames, and so ARP as somebody else."""
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0806).close()


def add_route() -> None:
    """A route to everywhere through the first address of the network."""
    gateway = os.environ.get("ATTEMPT_GATEWAY") or "127.0.0.1"
    # struct rtentry: destination, gateway and mask, and that it is up and has a gateway.
    entry = bytes(8) + _address("0.0.0.0") + _address(gateway) + _address("0.0.0.0")
    entry += struct.pack("=H", 3)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCADDRT, entry.ljust(120, b"\0"))


def change_address() -> None:
    """Another address on the sandbox's own interface."""
    request = struct.pack("16s", b"eth0") + _address("198.51.100.77")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCSIFADDR, request)


def firewall() -> None:
    """Read the packet filter's rules, as iptables does first."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sock:
        sock.getsockopt(socket.IPPROTO_IP, IPT_BASE_CTL, 84)


def capability_by_file() -> None:
    """A copy of Python with the capability for raw sockets on the file."""
    copy = Path("/tmp/capable")
    shutil.copy(Path(sys.executable).resolve(), copy)
    value = struct.pack("<IIIII", 0x02000001, 1 << CAP_NET_RAW, 0, 0, 0)
    os.setxattr(copy, "security.capability", value)
    done = subprocess.run([copy, "-c", RAW_PROGRAM], capture_output=True, text=True, check=False)
    if done.returncode:
        raise PermissionError(1, done.stderr)


def new_network() -> None:
    """A network namespace of one's own."""
    _libc("unshare", CLONE_NEWNET)


def new_user() -> None:
    """A user namespace, in which one would have every capability."""
    _libc("unshare", CLONE_NEWUSER | CLONE_NEWNET)


def mount_tmpfs() -> None:
    """Mount something over the sandbox's settings."""
    _libc("mount", b"none", b"/mnt", b"tmpfs", 0, None)


def remount_proc() -> None:
    """Make the kernel's settings writable."""
    _libc("mount", None, b"/proc/sys", None, 0x20 | 0x1000, None)


def kernel_setting() -> None:
    """Switch IPv6 on again."""
    Path("/proc/sys/net/ipv6/conf/all/disable_ipv6").write_text("0")


def device() -> None:
    """A device file for the host's memory."""
    os.mknod("/tmp/mem", 0o020600, os.makedev(1, 1))


def join_network() -> None:
    """The network of the sandbox's first process, as a way to that of another."""
    with Path("/proc/1/ns/net").open() as space:
        _libc("setns", space.fileno(), CLONE_NEWNET)


def engine_socket() -> None:
    """The engine's own socket."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect("/var/run/docker.sock")
