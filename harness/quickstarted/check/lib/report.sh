# How a check ends: it failed (1), or it could not judge (125).

# qs_fail WHY: end the check as failed. Goes to standard error, so that $(...) does not swallow it;
# the mark fails the check even where `exit` ends a subshell only.
qs_fail() {
  printf 'check failed: %s\n' "$*" >&2
  qs__mark failed
  exit 1
}

# qs__broken WHY: end the check as one that could not judge: its script or the image is at fault.
qs__broken() {
  printf 'check broken: %s\n' "$*" >&2
  qs__mark broken
  exit 125
}

qs__mark() {
  [ -z "$qs__dir" ] || : >|"$qs__dir/$1"
}

qs__need_dir() {
  [ -n "$qs__dir" ] ||
    qs__broken "$1 cannot make a temporary directory in ${TMPDIR:-/tmp}; mktemp or mkdir, and free space, are needed"
}

# qs__isolated FUNCTION ARGUMENT...: run a function of the library free from what the author's
# script has set, and leave the script where the function does.
qs__isolated() {
  (
    { set +xefuC; } 2>/dev/null
    IFS=' 	
'
    unset -f cat date grep head mktemp rm sleep tail timeout wc 2>/dev/null
    "$@"
  ) || exit "$?"
}

# qs__find NAME: set qs__found to the file of that program in the PATH that the check started with.
qs__find() {
  qs__left=$qs__path:
  while [ -n "$qs__left" ]; do
    qs__found=${qs__left%%:*}/$1
    qs__left=${qs__left#*:}
    [ ! -f "$qs__found" ] || [ ! -x "$qs__found" ] || return 0
  done
  qs__found=
  return 1
}

# Sets qs__now: hundredths of a second since some moment.
qs__clock() {
  if { IFS=' .' read -r qs__whole qs__part qs__rest </proc/uptime; } 2>/dev/null; then
    qs__now=$((qs__whole * 100 + 1$qs__part - 100))
  else
    qs__now=$(date +%s)00
  fi
}

# qs__nap SECONDS: not every sleep takes fractions.
qs__nap() {
  sleep "$1" 2>/dev/null || sleep 1
}

# qs__one_line OPTION TEXT
qs__one_line() {
  case $2 in
    '') qs__broken "$1 needs a text that is not empty" ;;
    *'
'*) qs__broken "$1 takes one line" ;;
  esac
}
