# Servers: started in the background, their logs kept, ended with the check.
# Of server N there are, below $qs__dir: server.N.name, .log, .pid, and .exit once it has ended.

# qs_serve COMMAND...: one word is a shell command, several are a program and its arguments.
# Nothing here may be the left side of || or a condition: `set -e` inside the command counts.
qs_serve() {
  [ "$#" -gt 0 ] || qs__broken "qs_serve needs a command"
  qs__need_dir qs_serve
  qs__number=0
  while [ -e "$qs__dir/server.$qs__number.name" ]; do
    qs__number=$((qs__number + 1))
  done
  qs__base=$qs__dir/server.$qs__number
  (IFS=' ' && printf '%s\n' "$*") >|"$qs__base.name"
  # Two subshells: a `wait` of the author's script must not wait for the server.
  (
    qs__run_server "$@" >|"$qs__base.log" 2>&1 </dev/null &
    printf '%s\n' "$!" >|"$qs__base.pid"
  )
}

qs__run_server() {
  set +e
  # By this what it starts is found, should its parents end first.
  export QS_SERVED="$qs__dir"
  if [ "$#" -eq 1 ]; then
    (eval "$1")
  else
    ("$@")
  fi
  printf '%s\n' "$?" >|"$qs__base.exit"
}

# Whether a server has ended as it should not; sets qs__dead to which and how. One that ended with 0
# may have put itself in the background.
qs__server_died() {
  for qs__file in "$qs__dir"/server.*.pid; do
    [ -e "$qs__file" ] || continue
    qs__base=${qs__file%.pid}
    qs__code=
    if [ -e "$qs__base.exit" ]; then
      IFS= read -r qs__code <"$qs__base.exit"
    elif IFS= read -r qs__pid <"$qs__file" && ! kill -0 "$qs__pid" 2>/dev/null; then
      qs__code=killed
    fi
    case $qs__code in
      '' | 0) continue ;;
      killed) qs__dead="was killed" ;;
      *) qs__dead="ended with exit code $qs__code" ;;
    esac
    qs__dead="the server ($(cat "$qs__base.name")) $qs__dead"
    return 0
  done
  return 1
}

# The end of each server's log.
qs__show_logs() {
  for qs__file in "$qs__dir"/server.*.log; do
    [ -e "$qs__file" ] || continue
    qs__base=${qs__file%.log}
    if [ -s "$qs__file" ]; then
      printf -- '--- the end of the log of: %s\n' "$(cat "$qs__base.name")"
      tail -n 40 "$qs__file" | tail -c 8000
      printf -- '\n---\n'
    else
      printf -- '--- printed nothing: %s\n' "$(cat "$qs__base.name")"
    fi
  done >&2
}

# Sets qs__alive to the pids, with a space after each, of what qs_serve started and still runs: what
# carries QS_SERVED, and all descendants (a program may overwrite its environment).
qs__find_served() {
  qs__known=' '
  for qs__file in "$qs__dir"/server.*.pid; do
    [ -e "${qs__file%.pid}.exit" ] || { IFS= read -r qs__pid <"$qs__file" && qs__known="$qs__known$qs__pid "; }
  done 2>/dev/null
  for qs__file in $(grep -lszF "QS_SERVED=$qs__dir" /proc/[0-9]*/environ); do
    qs__pid=${qs__file#/proc/}
    qs__known="$qs__known${qs__pid%/environ} "
  done
  qs__before=
  while [ "$qs__before" != "$qs__known" ]; do
    qs__before=$qs__known
    qs__alive=
    for qs__file in /proc/[0-9]*/stat; do
      { IFS= read -r qs__line <"$qs__file"; } 2>/dev/null || continue
      qs__look_at "${qs__line%% *}" "${qs__line##*) }"
    done
  done
}

# qs__look_at PID "STATE PPID ...": one process for qs__find_served. Z has ended already.
qs__look_at() {
  case $2 in Z*) return ;; esac
  qs__parent=${2#* }
  case $qs__known in
    *" $1 "*) qs__alive="$qs__alive$1 " ;;
    *" ${qs__parent%% *} "*)
      qs__known="$qs__known$1 "
      qs__alive="$qs__alive$1 "
      ;;
  esac
}

# End all servers: politely, and after two seconds for good.
qs__stop_servers() {
  [ -e "$qs__dir/server.0.name" ] || return 0
  qs__find_served
  [ -z "$qs__alive" ] || kill -s TERM $qs__alive 2>/dev/null
  qs__tries=0
  while [ -n "$qs__alive" ] && [ "$qs__tries" -lt 40 ]; do
    qs__nap 0.1
    qs__tries=$((qs__tries + 1))
    qs__find_served
    # Each time anew: one that was not killed yet may have started another.
    [ "$qs__tries" -lt 20 ] || [ -z "$qs__alive" ] || kill -s KILL $qs__alive 2>/dev/null
  done
}
