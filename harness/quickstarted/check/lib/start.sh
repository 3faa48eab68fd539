# State of a check. Names that begin with qs__ are the library's own.
#
# Every file of this library runs in bash, dash and busybox ash, and must work whatever the author's
# script has set: that script runs in a subshell, and what may meet its options and its IFS is run
# by qs__isolated.

qs__path=${PATH-}
qs__nonce=${QS_CHECK_NONCE-}
unset QS_CHECK_NONCE
qs__outputs=${qs__outputs:-/.quickstarted/agent-output}

# For logs, answers and marks; empty where none can be made, which only some checks need to know.
qs__dir=$(mktemp -d "${TMPDIR:-/tmp}/qs-check.XXXXXX" 2>/dev/null) || {
  qs__dir=${TMPDIR:-/tmp}/qs-check.$$
  mkdir -m 700 "$qs__dir" 2>/dev/null || qs__dir=
}

# A port that is in none of the kernel's tables of TCP sockets, and below 32768, from where on it gives
# ports to outgoing connections.
qs__choose_port() {
  qs__sockets=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
  QS_PORT=$((20000 + $$ % 10000))
  while :; do
    case $qs__sockets in
      *":$(printf '%04X' "$QS_PORT") "*) QS_PORT=$((QS_PORT + 1)) ;;
      *) break ;;
    esac
  done
  unset qs__sockets
}

[ -n "${QS_PORT-}" ] || qs__choose_port
export QS_PORT

# The harness knows by this line that the check has started.
[ -z "$qs__nonce" ] || printf '%s start\n' "$qs__nonce"
