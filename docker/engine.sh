#!/bin/sh
# Has a container engine answer on this machine; does nothing where one already does.
#
# On Debian and Ubuntu, as root, it installs the distribution's docker.io and starts it: as a service
# where systemd runs, else in the background, in a session of its own, so that it outlives make and
# CI steps. Anywhere else it says what to install and exits 1. An engine that DOCKER_HOST names is
# somebody's choice: it is asked, never started.
#
# Environment:
#   DOCKER_HOST     the engine to ask, unix:// or tcp://; the default is the socket below
#   PYTHON          any Python 3; used to ask the socket        (default: python3)
#   ENGINE_SOCKET   where the engine listens                    (default: /var/run/docker.sock)
#   ENGINE_STATE    folder of engine.log and engine.pid         (default: /var/lib/quickstarted-engine)
#   ENGINE_ARGS     further arguments of dockerd, split at spaces
#   ENGINE_WAIT_S   seconds to wait for it to answer            (default: 60)
#   OS_RELEASE      file that says which system this is         (default: /etc/os-release)
#
# Exit: 0 an engine answers, 1 none does and the last lines say why.
set -eu

PYTHON=${PYTHON:-python3}
SOCKET=${ENGINE_SOCKET:-/var/run/docker.sock}
STATE=${ENGINE_STATE:-/var/lib/quickstarted-engine}
WAIT_S=${ENGINE_WAIT_S:-60}
OS_RELEASE=${OS_RELEASE:-/etc/os-release}
LOG=$STATE/engine.log
PID_FILE=$STATE/engine.pid
started_pid=

say() { printf 'engine: %s\n' "$*"; }
die() { printf 'engine: %s\n' "$@" >&2; exit 1; }

# Asks an engine for /_ping. Prints its version; exit 1 nobody answers, 2 not allowed to ask.
ask() {
  "$PYTHON" - "$1" <<'PY'
import http.client
import json
import os
import socket
import ssl
import sys
from urllib.parse import urlsplit

TIMEOUT_S = 5


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=TIMEOUT_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(self.path)


def connection(host):
    url = urlsplit(host)
    if url.scheme == "unix":
        return UnixConnection(url.path)
    if not os.environ.get("DOCKER_TLS_VERIFY"):
        return http.client.HTTPConnection(url.hostname, url.port or 2375, timeout=TIMEOUT_S)
    folder = os.environ.get("DOCKER_CERT_PATH") or os.path.expanduser("~/.docker")
    trust = ssl.create_default_context(cafile=os.path.join(folder, "ca.pem"))
    trust.load_cert_chain(os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"))
    return http.client.HTTPSConnection(
        url.hostname, url.port or 2376, timeout=TIMEOUT_S, context=trust
    )


try:
    asked = connection(sys.argv[1])
    asked.request("GET", "/version")
    answer = asked.getresponse()
    version = json.loads(answer.read())["Version"]
except PermissionError:
    sys.exit(2)
except (OSError, http.client.HTTPException, ValueError, KeyError):
    sys.exit(1)
print(version)
PY
}

answers() {
  if version=$(ask "$1"); then
    return 0
  else
    asked=$?
    return 1
  fi
}

# One made by DOCKER_HOST is asked and nothing else.
check_chosen() {
  case $DOCKER_HOST in
    unix://* | tcp://*) ;;
    *)
      say "DOCKER_HOST is $DOCKER_HOST; a kind of address that this script does not ask"
      exit 0
      ;;
  esac
  if answers "$DOCKER_HOST"; then
    say "engine $version answers at $DOCKER_HOST"
    exit 0
  fi
  die "no engine answers at DOCKER_HOST=$DOCKER_HOST" \
    "start that one, or unset DOCKER_HOST to use this machine's own"
}

# Says what to do where this script cannot: not Debian or Ubuntu, or not root.
require_debian_and_root() {
  case $(uname -s) in
    Darwin)
      die "no container engine answers" \
        "install Docker Desktop (https://docs.docker.com/desktop/) or Colima" \
        "(brew install colima docker && colima start), start it, and run this again"
      ;;
  esac
  family=$(sed -n 's/^ID=//p; s/^ID_LIKE=//p' "$OS_RELEASE" 2>/dev/null | tr -d '"' | tr '\n' ' ')
  case " $family " in
    *" debian "* | *" ubuntu "*) ;;
    *" fedora "* | *" rhel "*)
      die "no container engine answers" \
        "install and start one: dnf install moby-engine (or docker-ce), systemctl start docker"
      ;;
    *)
      die "no container engine answers" \
        "install Docker Engine 20.10 or newer (https://docs.docker.com/engine/install/) and start it"
      ;;
  esac
  if [ "$(id -u)" -ne 0 ]; then
    die "no container engine answers, and installing or starting one needs root" \
      "run as root: sh docker/engine.sh"
  fi
}

install_engine() {
  if command -v dockerd >/dev/null && command -v iptables >/dev/null; then
    return 0
  fi
  say "installing docker.io and iptables from the distribution with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  packages="docker.io iptables ca-certificates"
  # First without an update: it costs seconds, and one broken third-party source makes it fail.
  # shellcheck disable=SC2086
  if ! apt_install $packages >"$STATE/apt.log" 2>&1; then
    apt-get -q update >>"$STATE/apt.log" 2>&1 || true
    # shellcheck disable=SC2086
    if ! apt_install $packages >>"$STATE/apt.log" 2>&1; then
      tail -n 15 "$STATE/apt.log" >&2
      die "apt-get could not install docker.io; the log is $STATE/apt.log"
    fi
  fi
}

apt_install() {
  apt-get -q -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends "$@" </dev/null
}

# Waits until it answers; gives up when the time is over or process $1 has ended.
wait_for_answer() {
  deadline=$(($(date +%s) + WAIT_S))
  until answers "unix://$SOCKET"; do
    if [ -n "${1:-}" ] && ended "$1"; then
      return 1
    fi
    [ "$(date +%s)" -lt "$deadline" ] || return 1
    sleep 0.2
  done
}

# A child that has ended is a zombie until the shell waits for it: kill -0 would still find it.
ended() {
  ! kill -0 "$1" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status" 2>/dev/null
}

start_service() {
  say "starting the docker service"
  systemctl start docker.service || true
  if ! wait_for_answer; then
    journalctl --unit docker.service --lines 20 --no-pager >&2 || true
    die "the docker service does not answer; see journalctl --unit docker.service"
  fi
}

# Without systemd nobody may have mounted the control groups.
mount_cgroups() {
  [ -d /sys/fs/cgroup ] || return 0
  if ! grep -q ' cgroup2\? ' /proc/mounts; then
    say "mounting the control groups"
    mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null || mount_cgroups_v1
  fi
  # In a container the root group is not the machine's: it may not hold processes and hand
  # controllers down at once, so the processes move (as in Docker's own dind image).
  if [ -f /sys/fs/cgroup/cgroup.type ] && [ -w /sys/fs/cgroup/cgroup.subtree_control ]; then
    mkdir -p /sys/fs/cgroup/init
    while read -r pid; do
      { echo "$pid" >/sys/fs/cgroup/init/cgroup.procs; } 2>/dev/null || true
    done </sys/fs/cgroup/cgroup.procs
    sed 's/ / +/g; s/^/+/' /sys/fs/cgroup/cgroup.controllers \
      >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
  fi
}

mount_cgroups_v1() {
  mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup || return 0
  awk '!/^#/ && $4 == 1 { print $1 }' /proc/cgroups | while read -r controller; do
    mkdir -p "/sys/fs/cgroup/$controller"
    mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller" || true
  done
}

# A kernel may know only one of the two kinds of iptables; dockerd is shown the one that works,
# and the system's own choice stays as it is.
choose_iptables() {
  if iptables -t nat -L -n >/dev/null 2>&1; then
    return 0
  fi
  for kind in legacy nft; do
    if command -v "iptables-$kind" >/dev/null && "iptables-$kind" -t nat -L -n >/dev/null 2>&1; then
      say "using iptables-$kind"
      mkdir -p "$STATE/bin"
      ln -sf "$(command -v "iptables-$kind")" "$STATE/bin/iptables"
      ln -sf "$(command -v "ip6tables-$kind")" "$STATE/bin/ip6tables"
      PATH=$STATE/bin:$PATH
      return 0
    fi
  done
  case " ${ENGINE_ARGS:-} " in *" --iptables=false "*) return 0 ;; esac
  die "iptables does not work here: $(iptables -t nat -L -n 2>&1 | head -n 1)" \
    "the kernel lacks netfilter, or this is a container without NET_ADMIN"
}

# True when process $1 runs and is a dockerd.
is_dockerd() {
  [ -n "$1" ] && [ "$(cat "/proc/$1/comm" 2>/dev/null)" = dockerd ]
}

start_in_background() {
  mount_cgroups
  choose_iptables
  # dockerd refuses to start when its pid file names any living process; after a hard stop the
  # number may be another program's.
  if [ -f /var/run/docker.pid ] && ! is_dockerd "$(cat /var/run/docker.pid)"; then
    rm -f /var/run/docker.pid
  fi
  say "starting dockerd in the background; its log is $LOG"
  # shellcheck disable=SC2086
  setsid dockerd --host "unix://$SOCKET" ${ENGINE_ARGS:-} >"$LOG" 2>&1 </dev/null 9>&- &
  started_pid=$!
  echo "$started_pid" >"$PID_FILE"
  if ! wait_for_answer "$started_pid"; then
    tail -n 20 "$LOG" >&2
    stop_started
    die "dockerd did not answer in $WAIT_S s or ended; the log is $LOG"
  fi
  started_pid=
}

# Ends the dockerd that this script started and that did not come up.
stop_started() {
  [ -n "$started_pid" ] || return 0
  kill "$started_pid" 2>/dev/null || true
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    ended "$started_pid" && break
    sleep 0.5
  done
  kill -9 "$started_pid" 2>/dev/null || true
  rm -f "$PID_FILE"
  started_pid=
}

main() {
  command -v "$PYTHON" >/dev/null || die "$PYTHON is not installed; set PYTHON to a Python 3"
  if [ -n "${DOCKER_HOST:-}" ]; then
    check_chosen
  fi
  if answers "unix://$SOCKET"; then
    say "engine $version answers"
    return 0
  fi
  if [ "$asked" -eq 2 ]; then
    die "there is an engine at $SOCKET, and this user may not use it" \
      "run as root, or: sudo usermod -aG docker $(id -un), then log in again"
  fi
  require_debian_and_root
  mkdir -p "$STATE"
  exec 9>"$STATE/lock"
  flock -w 300 9 || die "another run of this script does not end; its lock is $STATE/lock"
  trap 'stop_started; exit 130' INT TERM
  begun=$(date +%s)
  if ! answers "unix://$SOCKET"; then
    install_engine
    if [ -d /run/systemd/system ] && [ -z "${ENGINE_ARGS:-}" ]; then
      start_service
    elif running=$(cat /var/run/docker.pid 2>/dev/null) && is_dockerd "$running" \
      && [ -z "${ENGINE_ARGS:-}" ]; then
      # Installing the package started it, as it does where policy-rc.d allows.
      wait_for_answer "$running" || die "dockerd (process $running) runs and does not answer"
    else
      start_in_background
    fi
  fi
  say "engine $version answers, after $(($(date +%s) - begun)) s"
}

main
