# The end of a check, after the author's script: servers, the temporary directory, the exit code.

# qs__end EXIT_CODE
qs__end() {
  qs__code=$1
  qs__state=end
  if [ -n "$qs__dir" ]; then
    if [ -e "$qs__dir/broken" ]; then
      qs__state=broken qs__code=125
    elif [ -e "$qs__dir/failed" ] && [ "$qs__code" -eq 0 ]; then
      printf 'check failed: an assertion failed in a subshell, though the script went on\n' >&2
      qs__code=1
    fi
    [ "$qs__code" -eq 0 ] || qs__show_logs
    qs__stop_servers
    rm -rf "$qs__dir"
  elif [ "$qs__code" -eq 125 ]; then
    qs__state=broken
  fi
  if [ "$qs__code" -ne 0 ] && [ "$qs__state" = end ] && ! qs__parses; then
    qs__state=broken
  fi
  # The harness believes an exit code only when this line says the same.
  [ -z "$qs__nonce" ] || printf '\n%s %s %s\n' "$qs__nonce" "$qs__state" "$qs__code"
  exit "$qs__code"
}

# Whether this image's shell can read the author's script at all. Asked only after it failed: a
# script may be right although this cannot tell (aliases, text after `exit`).
qs__parses() {
  if [ -n "${BASH_VERSION-}" ] && [ -x "${BASH-}" ]; then
    # The one option that changes what can be read.
    case $qs__author in *"shopt -s "*extglob*) set -- -O extglob ;; *) set -- ;; esac
    qs__complaint=$(printf '%s\n' "$qs__author" | BASH_ENV='' "$BASH" "$@" -n 2>&1) && return 0
    printf 'check broken: its script is not valid bash: %s\n' "$qs__complaint" >&2
  else
    qs__complaint=$(printf '%s\n' "$qs__author" | /bin/sh -n 2>&1) && return 0
    printf 'check broken: its script is not valid for this image'"'"'s /bin/sh (there is no bash): %s\n' "$qs__complaint" >&2
  fi
  return 1
}

# qs__interpreter NAME: what the first line of the author's script asks for.
qs__interpreter() {
  [ "$1" != bash ] || [ -n "${BASH_VERSION-}" ] ||
    qs__broken "the script asks for bash, and this image has none: write it for sh, or name an image with bash"
}

# How the author's script, $qs__author, is run: `eval "$qs__run_author"`. In bash as a file is, from a
# pipe: line numbers in messages are those of the script, and ${BASH_SOURCE[0]} is $0, by which
# scripts ask whether they are the main one. A function would give it a scope of its own.
qs__run_author='eval "$qs__author"'
case ${BASH_VERSION-}:${SHELLOPTS-} in
  : | :* | *posix*) ;;
  *)
    [ ! -e /dev/fd/0 ] || qs__run_author='
      exec {qs__fd}< <(printf "%s\n" "$qs__author")
      BASH_ARGV0=/dev/fd/$qs__fd
      . "/dev/fd/$qs__fd"'
    ;;
esac

trap 'qs__interrupted 129' HUP
trap 'qs__interrupted 130' INT
trap 'qs__interrupted 143' TERM

# A check whose own shell is told to stop has not ended: no line for the harness.
qs__interrupted() {
  [ -z "$qs__dir" ] || { qs__stop_servers; rm -rf "$qs__dir"; }
  exit "$1"
}
